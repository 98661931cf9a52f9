import type { StandardSchema } from '../src/core/schema/standard-schema.js';
import type { ApiPage } from './api-pages.ts';
import { apiPage, apiPages, apiRows, resourceExports } from './api-pages.ts';
import type { Catalogue, PublicMethod } from './catalogue.ts';
import { exportSection } from './export-sections.ts';
import type { Export, Sources } from './exports.ts';
import { withAnchors } from './headings.ts';
import { document, firstSentence, generated, table } from './markdown.ts';
import { inputOf } from './method-input.ts';
import { methodSection } from './method-sections.ts';
import { aboutCommon, tagOf } from './openapi.ts';
import { namedSchemas, schemaSection } from './schema-tables.ts';

/** The methods of a resource, by the name of the resource. */
type Group = readonly [name: string, methods: readonly PublicMethod[]];

/** The reference pages, by file name: one per resource, and one that lists them. */
export function reference(all: Catalogue, sources: Sources): Map<string, string> {
  const names = [...new Set(all.methods.map(tagOf))];
  const groups = names.map((name): Group => [name, all.methods.filter((each) => tagOf(each) === name)]);
  const others = apiPages(sources);
  const written = new Map([
    ['README.md', contents(groups, others, all)],
    ...groups.map(([name, methods]) => [fileOf(name), page(name, methods, all, sources)] as const),
    ...others.map((each) => [each.file, apiPage(each, all)] as const),
  ]);
  return new Map([...written].map(([file, text]) => [file, withAnchors(text, new Map([...written, ['', text]]))]));
}

/** The page of a resource. */
export function fileOf(name: string): string {
  return `${dashed(name)}.md`;
}

/** The name of a resource as its folder and its page have it, e.g. `action-guide`. */
export function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** A link to the heading of a method, from a page for which the reference is at `folder`. */
export function methodLink(method: PublicMethod, folder: string): string {
  return `[\`seller.${method.name}\`](${folder}${fileOf(tagOf(method))}#${method.name})`;
}

function titleOf(name: string): string {
  const words = dashed(name).replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function contents(groups: readonly Group[], others: readonly ApiPage[], all: Catalogue): string {
  const sections = groups.flatMap(([name, methods]) => [
    `## [${titleOf(name)}](${fileOf(name)})`,
    table(
      ['Method', 'Request', 'What it does'],
      methods.map((each) => [methodLink(each, ''), requestOf(each), firstSentence(each.method.prose)]),
    ),
  ]);
  const otherSections = others.flatMap((each) => [
    `## [${each.title}](${each.file})`,
    table(['Name', 'What it is'], apiRows(each, all)),
  ]);
  const intro =
    'Every method by resource, then everything else that the package exports. A field whose name ends in `?` is optional. ' +
    'The endpoints as data: [openapi.json](../openapi.json).';
  return document(['# Reference', generated, intro, ...sections, ...otherSections]);
}

function requestOf({ endpoint }: PublicMethod): string {
  return endpoint === undefined ? '' : `\`${endpoint.method} ${endpoint.path}\``;
}

function page(name: string, methods: readonly PublicMethod[], all: Catalogue, sources: Sources): string {
  const owner = methods[0]?.owner;
  const exports = resourceExports(sources, dashed(name));
  const about = name === 'common' ? aboutCommon : (owner?.prose.text ?? '');
  const schemas = namedSchemas(methods, all);
  return document([
    `# ${titleOf(name)}`,
    generated,
    about,
    ...methods.flatMap((each) => methodSection(each, exports, all)),
    ...(schemas.length > 0 ? ['# Types'] : []),
    ...schemas.flatMap((schema) => schemaSection(schema, all)),
    ...otherExports(methods, schemas, exports, all),
  ]);
}

/** Types and functions of a resource that are neither inputs of methods nor schemas. */
function otherExports(
  methods: readonly PublicMethod[],
  schemas: readonly StandardSchema[],
  exports: readonly Export[],
  all: Catalogue,
): string[] {
  const described = new Set([
    ...schemas.map((schema) => all.schemas.get(schema)?.type),
    ...methods.map((each) => inputOf(each, exports, all)?.type),
  ]);
  const others = exports.filter((each) => !described.has(each.name) && each.kind !== 'class');
  return others.flatMap((each) => exportSection(each, all));
}
