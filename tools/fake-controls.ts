import { maxControlMb, controlsOf } from '../src/testing/dashboard/dashboard.js';
import type { Control } from '../src/testing/dashboard/control.js';
import { EventStream } from '../src/testing/dashboard/snapshot.js';
import { RequestLog } from '../src/testing/dashboard/request-log.js';
import { describeControls } from '../src/testing/dashboard/control.js';
import { document, generated, table } from './markdown.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | null)[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Operation {
  readonly summary: string;
  readonly parameters?: readonly { readonly name: string }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

const about = `The [fake marketplace](../guide/testing.md#as-a-server) has these calls for tests in any language. Each needs the header \`x-fake-token\`,
except \`GET /__fake/health\`. \`GET /__fake/openapi.json\` returns the same as an OpenAPI document. A field whose name ends in \`?\` is optional.
A body has at most ${maxControlMb} MB; a larger one is a 413.

[The guide](../guide/testing.md#control-it-over-http) shows examples.`;

const aboutRequests = `\`GET /__fake/requests\` responds with \`{ "count", "requests" }\`. \`requests\` are the newest 1,000 that match, the oldest first; \`count\` is
the number of all that match. The server keeps the newest 20,000 requests, fewer if their bodies have over 32 MB together. All given filters must match:`;

const filters = [
  ['id', 'with this number'],
  ['endpoint', 'to this endpoint, e.g. `questions.answer`'],
  ['method', 'with this method'],
  ['path', 'to this path without its query; `*` stands for any text'],
  ['status', 'with this status, or class of statuses such as `4xx`; `broken` for a connection that broke'],
  ['user', 'of this user: a `user_id` or a nickname'],
  ['since', "that arrived then or later, by the machine's clock: ISO 8601, or milliseconds since 1970"],
  ['body', 'whose body contains this text, also if its JSON is written with escapes (`\\u00ed`)'],
] as const;

const fields = [
  ['`id`, `at`, `ms`', 'a number, the time of arrival in milliseconds since 1970, the duration in milliseconds'],
  ['`method`, `path`, `endpoint`', '`path` with its query; `endpoint` is `null` if there is none'],
  ['`user_id`, `nickname`', 'the user of the token; `null` without a valid one'],
  ['`state`, `status`', '`open`, `done` or `broken`; the status of the response, or `null`'],
  ['`requestHeaders`, `requestBody`', 'the text as it was sent, up to 1,048,576 characters; `null` without one'],
  ['`files`', 'of a multipart form: `part`, `filename`, `type`, `size` in bytes, `sha256` in hexadecimal; else `null`'],
  ['`responseHeaders`, `responseBody`', 'the text of the response; `(binary)` for a file, `null` while there is none'],
] as const;

/** Returns the page of the reference about the control endpoints of the fake marketplace. */
export function fakeControls(): string {
  const { paths } = describeControls(allControls()) as {
    paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  const rows = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => [
      `\`${method.toUpperCase()} ${path}\``,
      `${operation.summary}.`,
      takes(operation),
      fieldsOf(schemaIn(operation.responses['200'])),
    ]),
  );
  return document([
    '# Controls of the fake marketplace',
    generated,
    about,
    table(['Call', 'What it does', 'Body, or query', 'Response'], rows),
    '## Requests',
    aboutRequests,
    table(
      ['Filter', 'Selects requests'],
      filters.map(([name, text]) => [`\`${name}\``, text]),
    ),
    'The fields of a request:',
    table(['Field', 'Content'], fields),
  ]);
}

/** All that a server has, as its own OpenAPI document lists them. */
function allControls(): Readonly<Record<string, Control>> {
  const events = new EventStream(() => {
    throw new Error('nobody reads the events of a document');
  });
  return controlsOf({ requestLog: new RequestLog(), events, reset: undefined });
}

function takes({ parameters = [], requestBody }: Operation): string {
  const query = parameters.map(({ name }) => `\`?${name}=\``).join(', ');
  return query || fieldsOf(schemaIn(requestBody));
}

function schemaIn({ content = {} }: Content = {}): Schema {
  return content['application/json']?.schema ?? {};
}

function fieldsOf({ properties = {}, required = [] }: Schema): string {
  return Object.entries(properties)
    .map(([name, schema]) => `\`${name}${required.includes(name) ? '' : '?'}\` ${typeOf(schema)}`)
    .join(', ');
}

function typeOf({ type = 'any', enum: values, items, anyOf }: Schema): string {
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (values) return values.map((value) => (value === null ? 'null' : `\`'${value}'\``)).join(' or ');
  if (items) return `list of ${typeOf(items)}`;
  return [type].flat().join(' or ');
}
