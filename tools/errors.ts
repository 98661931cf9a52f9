import type { DocumentedError } from '../src/core/operation/documented-error.js';
import { ApiError, isLastingStatus } from '../src/core/errors/response-errors.js';
import { pageOfError } from '../src/core/errors/seller-error.js';
import type { SellerError } from '../src/core/errors/seller-error.js';
import type { Catalogue } from './catalogue.ts';
import { withAnchors } from './headings.ts';
import { codeSpan, document, fenced, firstSentence, generated, table } from './markdown.ts';
import type { Prose } from './prose.ts';
import { methodLink, pagesOf, reference } from './reference.ts';
import type { Page } from './reference.ts';
import { statusAndCode } from './sections.ts';

type ErrorClass = typeof SellerError & { readonly statuses?: readonly number[] };

/** The pages of the error classes, by file name: one of all classes, and those of the classes that have so much to say. */
export function errorPages(all: Catalogue, surface: Readonly<Record<string, unknown>>): Map<string, string> {
  const classes = Object.values(surface).filter(isErrorClass);
  const sorted = classes.toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
  const throwers = pagesOf(all).flatMap(throwersOn);
  const targets = new Map([...reference(all)].map(([file, text]) => [`../reference/${file}`, text]));
  const pages = sorted.filter(hasPage).map((type) => {
    const links = throwers.filter(({ kinds }) => kinds.includes(type.kind)).map(({ link }) => `- ${link}`);
    return [`${type.kind}.md`, withAnchors(page(type, sorted, links, all), targets)] as const;
  });
  return new Map([['README.md', list(sorted, all)], ...pages]);
}

function hasPage({ kind }: ErrorClass): boolean {
  return pageOfError(kind) === `${kind}.md`;
}

function isErrorClass(value: unknown): value is ErrorClass {
  return typeof value === 'function' && value.prototype instanceof Error && Object.hasOwn(value, 'kind');
}

/** All classes: those of a base class after it, each with what a catch block has to know. */
function list(classes: readonly ErrorClass[], all: Catalogue): string {
  const below = (parent: ErrorClass | undefined): ErrorClass[] =>
    classes.filter((type) => ancestorsOf(type)[0] === parent).flatMap((type) => [type, ...below(type)]);
  return document([
    '# Errors',
    generated,
    'Every error that this library throws. Each class follows the one that it extends. The methods that throw an error are in the ' +
      '[reference](../reference/README.md): each method lists its errors.',
    '## Catch it',
    fenced(example('QuestionNotOpenError', all)),
    '`isLasting` says whether waiting helps. If it is `true`, the same call is rejected until somebody changes something. If it is ' +
      '`false`, it may succeed later. Where a write may have been carried out, `outcomeUnknown` is `true`: **read it back first**, ' +
      'with `error.confirm()`.',
    ...below(undefined).flatMap((type) => section(type, classes, all)),
  ]);
}

function section(type: ErrorClass, classes: readonly ErrorClass[], all: Catalogue): string[] {
  const { kind } = type;
  const documented = [...new Set(documentedOf(type, all))];
  const remedy = remedyOf(kind, all);
  const [parent] = ancestorsOf(type);
  return [
    `## ${kind}`,
    hasPage(type) ? `${firstSentence(causeOf(type, all))} [Its page](${kind}.md) says more.` : causeOf(type, all),
    remedy && `**Remedy:** ${remedy}`,
    [...(parent ? [`Extends ${link(parent)}`] : []), ...waiting(type, documented)].join('; ').replace(/.$/, '$&.'),
    hasPage(type) ? '' : [responses(documented), ownMembers(kind, all)].filter(Boolean).join('\n\n'),
  ];
}

/** What `isLasting` is, where it does not depend on the response. */
function waiting(type: ErrorClass, documented: readonly DocumentedError[]): string[] {
  const status = documented[0]?.status ?? type.statuses?.[0];
  if (type.kind in exceptions || (type.lasting === undefined && status === undefined)) return [];
  return [`\`isLasting\` is \`${isLasting(type, documented, status)}\``];
}

function documentedOf(type: ErrorClass, all: Catalogue): DocumentedError[] {
  return all.operations.flatMap(({ endpoint }) => endpoint.errors.filter(({ error }) => error === type));
}

function page(type: ErrorClass, classes: readonly ErrorClass[], throwers: readonly string[], all: Catalogue): string {
  const { kind } = type;
  const below = classes.filter((each) => ancestorsOf(each)[0] === type);
  const documented = [...new Set(documentedOf(type, all))];
  const sections = {
    'What to do': remedyOf(kind, all),
    'Catch it': fenced(example(kind, all)),
    'Repeat the call': lastingOf(type, documented, classes, all),
    'What it has': ownMembers(kind, all),
    Inherits: [kind, ...ancestorsOf(type).map(link), 'Error'].join(' → '),
    Subclasses: below.map(link).join(', '),
    'How the service reports it': responses(documented),
    'Methods and functions that throw it': throwers.join('\n'),
  };
  const written = Object.entries(sections).filter(([, text]) => text !== '');
  return document([
    `# ${kind}`,
    generated,
    causeOf(type, all),
    ...written.flatMap(([title, text]) => [`## ${title}`, text]),
  ]);
}

/** The properties and methods that a class adds to those of the classes that it extends. */
function ownMembers(kind: string, all: Catalogue): string {
  const members = all.exports.get(kind)?.members ?? [];
  if (members.length === 0) return '';
  const rows = members.map(({ name, code, prose }) => [`\`${name}\``, codeSpan(code), prose.text]);
  return table(['Name', 'Type', 'What it is'], rows);
}

function link({ kind }: ErrorClass): string {
  return `[${kind}](${pageOfError(kind)})`;
}

function ancestorsOf(type: ErrorClass): ErrorClass[] {
  const parent: unknown = Object.getPrototypeOf(type);
  return isErrorClass(parent) ? [parent, ...ancestorsOf(parent)] : [];
}

/** The prose of a class before its remedy. */
function causeOf({ kind }: ErrorClass, all: Catalogue): string {
  return all.exports.get(kind)?.prose.text.split('\n\nRemedy: ')[0] ?? '';
}

/** What a class's JSDoc says after "Remedy:". */
export function remedyOf(kind: string, all: Catalogue): string {
  const remedy = /\n\nRemedy: ([^\n]+)/.exec(all.exports.get(kind)?.prose.text ?? '')?.[1] ?? '';
  return remedy.charAt(0).toUpperCase() + remedy.slice(1);
}

/** The classes whose own fields do not say it. */
const exceptions: Readonly<Record<string, string>> = {
  SellerError: 'Each class says it in `isLasting`, and in `outcomeUnknown` where a write may have been carried out.',
  UnexpectedResponseError:
    '`isLasting` is `false`: a read may succeed later. **Read a write back first**: the service reported that it succeeded.',
};

/** Whether waiting helps, as `isLasting` states it, and what comes first if it may have been carried out. */
function lastingOf(
  type: ErrorClass,
  documented: readonly DocumentedError[],
  classes: readonly ErrorClass[],
  all: Catalogue,
): string {
  const { lasting, statuses } = type;
  const status = documented[0]?.status ?? statuses?.[0];
  const own = exceptions[type.kind];
  if (own !== undefined) return own;
  if (isAlwaysUnknown(type, all)) {
    return `**Read it back first.** The write may have been carried out: send it again only after the service has shown that it was not. \`isLasting\` is \`${lasting ?? false}\`.`;
  }
  if (lasting === undefined && status === undefined && !statuses) {
    return `\`isLasting\` depends on the status: it is \`true\` if the service rejects the request itself. ${readBack(type, classes, all)}`;
  }
  if (isLasting(type, documented, status))
    return '`isLasting` is `true`: waiting does not help, somebody has to change something first.';
  const later = `the same call may succeed ${status === 401 || status === 403 ? 'with another token, or later' : 'later'}.`;
  const first = readBack(type, classes, all);
  return first === ''
    ? `\`isLasting\` is \`false\`: ${later}`
    : `\`isLasting\` is \`false\`. ${first} Otherwise ${later}`;
}

/** Whether waiting alone does not help, as an error of this class says. */
function isLasting({ lasting }: ErrorClass, [documented]: readonly DocumentedError[], status = 0): boolean {
  if (documented === undefined) return lasting ?? isLastingStatus(status, ApiError);
  const details = { ...documented, headers: new Headers(), body: undefined, causes: [] };
  return new documented.error('', details).isLasting;
}

/** What a class says of an unknown outcome, itself or a class that it extends: the type of `outcomeUnknown`. */
function outcomeUnknownIn(type: ErrorClass, all: Catalogue): string | undefined {
  const declared = [type, ...ancestorsOf(type)].flatMap(({ kind }) => all.exports.get(kind)?.members ?? []);
  return declared.find(({ name }) => name === 'outcomeUnknown')?.code;
}

function isAlwaysUnknown(type: ErrorClass, all: Catalogue): boolean {
  return outcomeUnknownIn(type, all) === 'true';
}

/** What to do before a repetition, if the write may have been carried out. */
function readBack(type: ErrorClass, classes: readonly ErrorClass[], all: Catalogue): string {
  if (outcomeUnknownIn(type, all) !== undefined) {
    return 'If `outcomeUnknown` is `true`, **read it back first**: the write may have been carried out.';
  }
  const below = classes.filter((each) => ancestorsOf(each).includes(type) && isAlwaysUnknown(each, all));
  return below.map((each) => `After an ${link(each)}, **read it back first**.`).join(' ');
}

function responses(documented: readonly DocumentedError[]): string {
  const rows = documented.map((each) => [...statusAndCode(each), each.message, each.condition ?? '']);
  return rows.length === 0 ? '' : table(['Status', 'Code', 'Message', 'Condition'], rows);
}

/** The methods of the client, functions, constructors and other methods on a page, with the errors that each documents. */
function throwersOn(on: Page): { link: string; kinds: string[] }[] {
  const folder = '../reference/';
  const kindsOf = ({ throws }: Prose): string[] => throws.map(({ error }) => error);
  const methods = on.methods.map((each) => ({
    link: methodLink(each, on, folder),
    kinds: [...each.errors.map(({ error }) => error.kind), ...kindsOf(each.method.prose)],
  }));
  const thrower = (name: string, heading: string, prose: Prose): (typeof methods)[number] => {
    return { link: `[\`${name}\`](${folder}${on.file}#${heading})`, kinds: kindsOf(prose) };
  };
  const others = on.exports.flatMap(({ name, kind, prose, members }) => [
    thrower(kind === 'class' ? `new ${name}` : name, name, prose),
    ...(name === 'SellerClient' ? [] : members).map((each) => {
      const path = `${name}.${each.name}`;
      return thrower(path, each.kind === 'method' ? path : name, each.prose);
    }),
  ]);
  return [...methods, ...others];
}

/** How a catch block uses a class: an unknown outcome is read back, and any other error has something to tell. */
function example(kind: string, all: Catalogue): string {
  const exported = all.exports.get(kind);
  const entries = Object.entries(all.entries).filter(([, exports]) => exports.some(({ name }) => name === kind));
  const from = entries.at(-1)?.[0] ?? '';
  const told = exported?.members.find((each) => each.kind !== 'method')?.name ?? 'isLasting';
  const isUnknown = exported?.members.some(({ name, code }) => name === 'outcomeUnknown' && code === 'true');
  const lines = isUnknown
    ? [
        'const { done } = await error.confirm();',
        "if (done === false) console.log('It was not carried out: send it again.');",
      ]
    : [`console.log(error.message, error.${told});`];
  return `import { ${kind} } from '${from}';\n\nif (error instanceof ${kind}) {\n  ${lines.join('\n  ')}\n}`;
}
