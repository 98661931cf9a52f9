import type { Endpoint } from '../src/core/endpoint.js';
import type { StandardSchema } from '../src/core/schema/standard-schema.js';
import { isOptional, placeOf, shapesOf } from './catalogue.ts';
import type { Catalogue, Operation } from './catalogue.ts';
import { aboutCommon, tagOf } from './openapi.ts';
import type { ApiPage } from './api-pages.ts';
import { apiPage, apiPages, apiRows, exportSection, methodDetails, resourceExports } from './api-pages.ts';
import type { Sources } from './exports.ts';
import { anchor, document, fenced, firstSentence, generated, table, withSpec } from './markdown.ts';
import { namedSchemas, notes, schemaSection, typeOf } from './schema-tables.ts';

/** How a failed call is retried, by its retry class. */
const retries: Readonly<Record<string, string>> = {
  safe: 'a read: retried after any transient error',
  idempotent: 'idempotent: retried like a read',
  unsafe: 'a write: retried only where the service certainly did nothing',
};

/** The reference pages, by file name: one per resource, and one that lists them. */
export function reference(all: Catalogue, sources: Sources): Map<string, string> {
  const names = [...new Set(all.operations.map(({ endpoint }) => tagOf(endpoint)))];
  const groups = names.map(
    (name) => [name, all.operations.filter(({ endpoint }) => tagOf(endpoint) === name)] as const,
  );
  const pages = groups.map(
    ([name, operations]) => [`${fileOf(name)}.md`, page(name, operations, all, sources)] as const,
  );
  const others = apiPages(sources);
  return new Map([
    ['README.md', contents(groups, others)],
    ...pages,
    ...others.map((each) => [each.file, apiPage(each)] as const),
  ]);
}

function fileOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** A link to a method, from a page for which the reference is at `folder`. */
export function methodLink(endpoint: Endpoint, folder: string): string {
  return `[\`seller.${endpoint.name}\`](${folder}${fileOf(tagOf(endpoint))}.md#${anchor(endpoint.name)})`;
}

function titleOf(name: string): string {
  const words = fileOf(name).replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function contents(groups: readonly (readonly [string, readonly Operation[]])[], others: readonly ApiPage[]): string {
  const sections = groups.flatMap(([name, operations]) => [
    `## [${titleOf(name)}](${fileOf(name)}.md)`,
    table(
      ['Method', 'Request', 'What it does'],
      operations.map(({ endpoint, method }) => [
        methodLink(endpoint, ''),
        `\`${endpoint.method} ${endpoint.path}\``,
        firstSentence(method.prose),
      ]),
    ),
  ]);
  const otherSections = others.flatMap((each) => [
    `## [${each.title}](${each.file})`,
    table(['Name', 'What it is'], apiRows(each)),
  ]);
  const intro =
    'Every method by resource, then everything else that the package exports. ' +
    'The endpoints as data: [openapi.json](../openapi.json).';
  return document(['# Reference', generated, intro, ...sections, ...otherSections]);
}

function page(name: string, operations: readonly Operation[], all: Catalogue, sources: Sources): string {
  const owner = operations[0]?.owner;
  const about = name === 'common' ? aboutCommon : withSpec(owner?.prose);
  const parts = operations.flatMap((operation) => section(operation, all));
  const schemas = namedSchemas(operations, all);
  return document([
    `# ${titleOf(name)}`,
    generated,
    about,
    ...parts,
    ...otherMethods(name, operations),
    ...(schemas.length > 0 ? ['# Types'] : []),
    ...schemas.flatMap((schema) => schemaSection(schema, all)),
    ...otherExports(name, operations, schemas, all, sources),
  ]);
}

/** Methods of a resource that combine several calls, such as `messages.contact`. */
function otherMethods(name: string, operations: readonly Operation[]): string[] {
  if (name === 'common') return [];
  const named = new Set(operations.map(({ endpoint }) => endpoint.name));
  const owners = new Map(operations.map(({ endpoint, owner }) => [pathOf(endpoint), owner]));
  return [...owners].flatMap(([path, owner]) =>
    [...owner.methods]
      .filter(([method]) => !method.startsWith('#') && !named.has(`${path}.${method}`))
      .flatMap(([method, { prose, signatures }]) => [
        `## ${path}.${method}`,
        withSpec(prose),
        fenced(signatures.map((signature) => `seller.${path}.${signature}`).join('\n')),
        ...methodDetails(prose),
      ]),
  );
}

/** Types and functions of a resource that are no schemas. */
function otherExports(
  name: string,
  operations: readonly Operation[],
  schemas: readonly StandardSchema[],
  all: Catalogue,
  sources: Sources,
): string[] {
  const described = new Set([
    ...schemas.map((schema) => all.schemas.get(schema)?.type),
    ...operations.flatMap(({ endpoint, owner }) => [all.schemas.get(endpoint.input)?.type, owner.name]),
  ]);
  const others = resourceExports(sources, fileOf(name)).filter(
    (each) => !described.has(each.name) && each.kind !== 'class',
  );
  return others.flatMap((each) => exportSection(each));
}

/** The property of the client that has the method of an endpoint, e.g. `questions.blacklist`. */
function pathOf(endpoint: Endpoint): string {
  return endpoint.name.split('.').slice(0, -1).join('.');
}

function section(operation: Operation, all: Catalogue): string[] {
  const { endpoint, method } = operation;
  const { prose, signatures } = method;
  const path = endpoint.name.includes('.') ? `.${pathOf(endpoint)}` : '';
  return [
    `## ${endpoint.name}`,
    withSpec(prose),
    fenced(signatures.map((signature) => `seller${path}.${signature}`).join('\n')),
    `\`${endpoint.method} ${endpoint.path}\` is ${retries[endpoint.retry] ?? endpoint.retry}.${supportsAttributes(operation)}`,
    ...input(operation, all),
    ...output(operation, all),
    ...errors(operation),
    ...prose.examples.flatMap((example) => ['**Example**', fenced(example)]),
  ];
}

function supportsAttributes({ endpoint }: Operation): string {
  return endpoint.supportsAttributes
    ? ' It supports the call option `attributes`, which reduces the response to the named fields.'
    : '';
}

function input({ endpoint }: Operation, all: Catalogue): string[] {
  const shapes = shapesOf(endpoint.input);
  if (shapes.every((shape) => Object.keys(shape).length === 0)) {
    const none = all.schemas.get(endpoint.input)?.type;
    return [none === undefined ? '**Input**: none.' : `**Input**: none (\`${none}\`).`];
  }
  const prose = all.prose.fieldsOf(all.schemas.get(endpoint.input)?.constant ?? '');
  const names = [...new Set(shapes.flatMap((shape) => Object.keys(shape)))];
  const rows = names.map((name) => {
    const field = shapes.find((shape) => shape[name])?.[name] as StandardSchema;
    const needed = shapes.every((shape) => !isOptional(shape[name]));
    return [
      `\`${name}\``,
      typeOf(field, all),
      placeOf(endpoint, name),
      needed ? 'yes' : '',
      notes(field, prose.get(name)),
    ];
  });
  const type = all.schemas.get(endpoint.input)?.type;
  const title = type === undefined ? '**Input**' : `**Input** (\`${type}\`)`;
  return [title, table(['Field', 'Type', 'Sent in', 'Required', 'Notes'], rows)];
}

function output({ endpoint, method }: Operation, all: Catalogue): string[] {
  const type = endpoint.responseBody === 'stream' ? 'a stream' : typeOf(endpoint.output, all);
  return [`**Returns**: ${type}${method.prose.returns ? `; ${method.prose.returns}` : '.'}`];
}

function errors({ endpoint, method }: Operation): string[] {
  const responses = endpoint.errors.map((each) => [
    errorLink(each.error.kind),
    [each.status, ...(each.otherStatuses ?? [])].join(' or '),
    each.code === undefined ? '' : `\`${each.code}\``,
    condition(method.prose.throws.find(({ error }) => error === each.error.kind)?.when ?? each.message),
  ]);
  const documented = endpoint.errors.map(({ error }) => error.kind);
  const others = method.prose.throws
    .filter(({ error }) => !documented.includes(error))
    .map(({ error, when }) => [errorLink(error), '', '', condition(when)]);
  if (responses.length + others.length === 0) return [];
  return ['**Errors**', table(['Class', 'Status', 'Code', 'When'], distinct([...responses, ...others]))];
}

/** Returns the rows without duplicates: the service has several messages for one error. */
function distinct(rows: readonly string[][]): string[][] {
  return [...new Map(rows.map((row) => [row.join('|'), row])).values()];
}

/** Formats a condition for the column "When". */
function condition(text: string): string {
  const bare = text.replace(/^when /, '').replace(/\.$/, '');
  return bare.charAt(0).toLowerCase() + bare.slice(1);
}

function errorLink(kind: string): string {
  return `[${kind}](../errors/${kind}.md)`;
}
