import { inspect } from '../src/core/schema/inspect.js';
import type { Catalogue, PublicMethod } from './catalogue.ts';
import { codeSpan, methodDetails } from './export-sections.ts';
import type { Export } from './exports.ts';
import { fenced, table, withSpec } from './markdown.ts';
import { inputTable } from './method-input.ts';
import { linkTo, returnedBy, typeOf } from './schema-tables.ts';

/** How a failed call is retried, by its retry class. */
const retries: Readonly<Record<string, string>> = {
  safe: 'a read: retried after any transient error',
  idempotent: 'idempotent: retried like a read',
  unsafe: 'a write: retried only where the service certainly did nothing',
};

/** The section of one public method of the client or of a resource. */
export function methodSection(each: PublicMethod, exports: readonly Export[], all: Catalogue): string[] {
  const { name, method, endpoint } = each;
  const { prose, signatures } = method;
  const path = name.includes('.') ? `.${name.split('.').slice(0, -1).join('.')}` : '';
  return [
    `## ${name}`,
    withSpec(prose),
    fenced(signatures.map((signature) => `seller${path}.${signature}`).join('\n')),
    ...(endpoint
      ? [
          request(each),
          ...inputTable(each, exports, all),
          output(each, all),
          ...errors(each),
          ...prose.examples.flatMap((example) => ['**Example**', fenced(example)]),
        ]
      : methodDetails(prose)),
  ];
}

function request({ endpoint }: PublicMethod): string {
  if (!endpoint) return '';
  const retried = `\`${endpoint.method} ${endpoint.path}\` is ${retries[endpoint.retry] ?? endpoint.retry}.`;
  return endpoint.supportsAttributes
    ? `${retried} It supports the call option \`attributes\`, which reduces the response to the named fields.`
    : retried;
}

function output({ endpoint, method }: PublicMethod, all: Catalogue): string {
  const { returns } = method.prose;
  const type = endpoint?.responseBody === 'stream' ? 'a stream' : resultType({ endpoint, method }, all);
  return `**Returns**: ${type}${returns ? `; ${returns}` : '.'}`;
}

/** The output of the endpoint in words. If its schema accepts anything, the method declares what it returns. */
function resultType({ endpoint, method }: Pick<PublicMethod, 'endpoint' | 'method'>, all: Catalogue): string {
  const schema = endpoint?.output;
  if (schema && !isAny(schema)) return typeOf(schema, all);
  const [first] = returnedBy(method, all);
  if (first) return linkTo(first.type);
  const type = /ApiPromise<(.+)>$/.exec(method.signatures[0] ?? '')?.[1] ?? 'unknown';
  const words: Readonly<Record<string, string>> = { unknown: 'any value', undefined: 'nothing', boolean: 'boolean' };
  return words[type] ?? codeSpan(type);
}

function isAny(schema: Parameters<typeof inspect>[0]): boolean {
  const found = inspect(schema);
  return found.kind === 'preprocess' ? isAny(found.of) : found.kind === 'unknown' || found.kind === 'record';
}

function errors({ endpoint, method }: PublicMethod): string[] {
  const documented = endpoint?.errors ?? [];
  const responses = documented.map((each) => [
    errorLink(each.error.kind),
    [each.status, ...(each.otherStatuses ?? [])].join(' or '),
    each.code === undefined ? '' : `\`${each.code}\``,
    condition(method.prose.throws.find(({ error }) => error === each.error.kind)?.when ?? each.message),
  ]);
  const kinds = documented.map(({ error }) => error.kind);
  const others = method.prose.throws
    .filter(({ error }) => !kinds.includes(error))
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
