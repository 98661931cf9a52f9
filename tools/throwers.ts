import { apiPages, resourceExports } from './api-pages.ts';
import type { Catalogue } from './catalogue.ts';
import type { Export, Sources } from './exports.ts';
import { tagOf } from './openapi.ts';
import type { Prose } from './prose.ts';
import { dashed, fileOf, methodLink } from './reference.ts';
import { thrownErrors } from './thrown-errors.ts';

const folder = '../reference/';

/** A method or a function, and the errors that it documents. */
export interface Thrower {
  /** A link to the heading that describes it. */
  readonly link: string;
  readonly kinds: ReadonlySet<string>;
}

/** Everything that documents errors: the methods of resources, then the functions and methods of the other pages. */
export function throwersOf(all: Catalogue, sources: Sources): Thrower[] {
  const methods = all.methods.map((each) => ({
    link: methodLink(each, folder),
    kinds: new Set([...thrownErrors(each).map(({ error }) => error.kind), ...kindsOf(each.method.prose)]),
  }));
  const pages = [
    ...[...new Set(all.methods.map(tagOf))].map((name) => {
      return { file: fileOf(name), exports: resourceExports(sources, dashed(name)) };
    }),
    ...apiPages(sources),
  ];
  const listed = new Set(all.methods.map(({ owner, name }) => `${owner.name}.${name.split('.').at(-1)}`));
  const others = pages.flatMap(({ file, exports }) => exports.flatMap((each) => throwersIn(each, file)));
  return [...methods, ...others.filter(({ name }) => !listed.has(name))];
}

function throwersIn(each: Export, file: string): (Thrower & { name: string })[] {
  const parts = [
    { heading: each.name, name: each.kind === 'class' ? `new ${each.name}` : each.name, prose: each.prose },
    ...each.members.map(({ name: member, kind, prose }) => {
      const name = `${each.name}.${member}`;
      return { heading: kind === 'method' ? name : each.name, name, prose };
    }),
  ];
  return parts.map(({ heading, name, prose }) => {
    return { name, link: `[\`${name}\`](${folder}${file}#${heading})`, kinds: kindsOf(prose) };
  });
}

function kindsOf({ throws }: Prose): Set<string> {
  return new Set(throws.map(({ error }) => error));
}
