import type { SellerError } from '../src/core/errors/seller-error.js';
import { isPermanentStatus } from '../src/core/errors/response-errors.js';
import type { Catalogue } from './catalogue.ts';
import type { Sources } from './exports.ts';
import { withAnchors } from './headings.ts';
import { document, fenced, firstSentence, generated, table } from './markdown.ts';
import { reference } from './reference.ts';
import { throwersOf } from './throwers.ts';
import type { Thrower } from './throwers.ts';

/** A class of errors, as its page shows it. */
interface ErrorClass {
  readonly kind: string;
  readonly type: typeof SellerError;
}

/** The pages of the error classes, by file name: one per class, and one that lists them. */
export function errorPages(
  all: Catalogue,
  sources: Sources,
  surface: Readonly<Record<string, unknown>>,
): Map<string, string> {
  const classes = Object.values(surface).filter(isErrorClass);
  const sorted = classes.map((type) => ({ kind: type.kind, type })).sort((a, b) => (a.kind < b.kind ? -1 : 1));
  const throwers = throwersOf(all, sources);
  const targets = new Map([...reference(all, sources)].map(([file, text]) => [`../reference/${file}`, text]));
  const pages = sorted.map((each) => {
    return [`${each.kind}.md`, withAnchors(page(each, sorted, throwers, all), targets)] as const;
  });
  return new Map([['README.md', contents(sorted, all)], ...pages]);
}

function isErrorClass(value: unknown): value is typeof SellerError {
  return typeof value === 'function' && value.prototype instanceof Error && Object.hasOwn(value, 'kind');
}

function contents(classes: readonly ErrorClass[], all: Catalogue): string {
  const rows = (parent: string, depth: number): string[] =>
    classes
      .filter(({ type }) => parentOf(type) === parent)
      .flatMap(({ kind }) => [
        `${'  '.repeat(depth)}- [${kind}](${kind}.md): ${firstSentence(causeOf(kind, all))}`,
        ...rows(kind, depth + 1),
      ]);
  const intro = 'Every error that this library throws. Subclasses are indented below their base class.';
  return document(['# Errors', generated, intro, rows('Error', 0).join('\n')]);
}

function page(
  { kind, type }: ErrorClass,
  classes: readonly ErrorClass[],
  throwers: readonly Thrower[],
  all: Catalogue,
): string {
  const below = classes.filter((each) => parentOf(each.type) === kind).map((each) => link(each.kind));
  return document([
    `# ${kind}`,
    generated,
    causeOf(kind, all).text,
    ...section('## What to do', remedyOf(kind, all)),
    '## Catch it',
    fenced(example(kind)),
    ...section('## Repeat the call', permanence(type, all)),
    ...section('## Inherits', ancestry(type)),
    ...section('## Subclasses', below.join(', ')),
    ...section('## How the service reports it', responses(type, all)),
    ...section('## Methods and functions that throw it', linksTo(throwers, kind)),
  ]);
}

function section(title: string, text: string): string[] {
  return text === '' ? [] : [title, text];
}

function link(kind: string): string {
  return `[${kind}](${kind}.md)`;
}

function parentOf(type: typeof SellerError): string {
  return (Object.getPrototypeOf(type) as { kind?: string; name: string }).kind ?? 'Error';
}

function ancestry(type: typeof SellerError): string {
  const chain: string[] = [];
  for (let at: unknown = type; isErrorClass(at); at = Object.getPrototypeOf(at)) chain.push(at.kind);
  return `${chain.map((kind, index) => (index === 0 ? kind : link(kind))).join(' → ')} → Error`;
}

/** The prose of a class before its remedy. */
function causeOf(kind: string, all: Catalogue): { text: string } {
  return { text: textOf(kind, all).split('\n\nRemedy: ')[0] ?? '' };
}

/** What a class's JSDoc says after "Remedy:". */
export function remedyOf(kind: string, all: Catalogue): string {
  const remedy = /\n\nRemedy: ([^\n]+)/.exec(textOf(kind, all))?.[1] ?? '';
  return remedy.charAt(0).toUpperCase() + remedy.slice(1);
}

function textOf(kind: string, all: Catalogue): string {
  return all.prose.classes.get(kind)?.prose.text ?? '';
}

/** Whether the same call can never succeed, as `isPermanent` states it. */
function permanence(type: typeof SellerError, all: Catalogue): string {
  const statuses = all.operations.flatMap(({ endpoint }) =>
    endpoint.errors.filter(({ error }) => error === type).map(({ status }) => status),
  );
  const isOfCall = type.permanent !== undefined || statuses.length > 0 || 'statuses' in type;
  if (!isOfCall) return '`isPermanent` depends on the status: it is `true` if the service rejects the request itself.';
  const status = statuses[0] ?? (type as { readonly statuses?: readonly number[] }).statuses?.[0] ?? 0;
  return (type.permanent ?? isPermanentStatus(status))
    ? '`isPermanent` is `true`: the same call can never succeed.'
    : '`isPermanent` is `false`: the same call may succeed later, or with another token.';
}

function responses(type: typeof SellerError, all: Catalogue): string {
  const documented = new Set(
    all.operations.flatMap(({ endpoint }) => endpoint.errors.filter(({ error }) => error === type)),
  );
  if (documented.size === 0) return '';
  const rows = [...documented].map(({ status, otherStatuses = [], code, message }) => {
    return [[status, ...otherStatuses].join(' or '), code === undefined ? '' : `\`${code}\``, message];
  });
  return table(['Status', 'Code', 'Message'], rows);
}

function linksTo(throwers: readonly Thrower[], kind: string): string {
  const those = throwers.filter(({ kinds }) => kinds.has(kind));
  return those.map(({ link }) => `- ${link}`).join('\n');
}

/** Classes that another entry than the main one exports. */
const entries: Readonly<Record<string, string>> = {
  FakeMarketplaceError: '/testing',
  DropNotificationError: '/notifications',
  HandlerTimeoutError: '/notifications',
  StoreFullError: '/notifications',
  UnrecoverableError: '/notifications',
};

function example(kind: string): string {
  const from = `marketplace-seller-sdk${entries[kind] ?? ''}`;
  return `import { ${kind} } from '${from}';\n\nif (error instanceof ${kind}) {\n  console.log(error.message, error.docsPath);\n}`;
}
