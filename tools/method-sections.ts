import type { Catalogue, PublicMethod } from './catalogue.ts';
import { methodDetails } from './export-sections.ts';
import type { Export } from './exports.ts';
import { fenced, table } from './markdown.ts';
import { inputTable } from './method-input.ts';
import { resultType } from './result-type.ts';
import { thrownErrors } from './thrown-errors.ts';

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
    ...prose.examples.map(fenced),
    prose.text,
    fenced(signatures.map((signature) => `seller${path}.${signature}`).join('\n')),
    ...(endpoint
      ? [request(each), ...inputTable(each, exports, all), output(each, all), ...errors(each)]
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

function output(each: PublicMethod, all: Catalogue): string {
  const { returns } = each.method.prose;
  return `**Returns**: ${resultType(each, all)}${returns ? `; ${returns}` : '.'}`;
}

function errors(each: PublicMethod): string[] {
  const { endpoint, method } = each;
  const documented = thrownErrors(each);
  const responses = documented.map(({ error: { kind }, status, otherStatuses = [], code, message }) => [
    errorLink(kind),
    [status, ...otherStatuses].join(' or '),
    code === undefined ? '' : `\`${code}\``,
    condition(method.prose.throws.find(({ error }) => error === kind)?.when ?? message),
  ]);
  const kinds = (endpoint?.errors ?? []).map(({ error }) => error.kind);
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
