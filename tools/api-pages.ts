import { exportsOf } from './exports.ts';
import type { Export, Member, Sources } from './exports.ts';
import { anchor, document, fenced, firstSentence, generated, table, withSpec } from './markdown.ts';
import type { Prose } from './prose.ts';

/** A page about names that an entry of the package exports. */
export interface ApiPage {
  readonly title: string;
  readonly file: string;
  /** The entry that exports the names, e.g. `marketplace-seller-sdk/testing`. */
  readonly entry: string;
  readonly about: string;
  readonly exports: readonly Export[];
}

/** Writes a page. */
export function apiPage({ title, entry, about, exports }: ApiPage): string {
  return document([`# ${title}`, generated, about, `Import from \`${entry}\`.`, ...exports.flatMap(exportSection)]);
}

/** The rows of a page in the list of the reference. */
export function apiRows({ file, exports }: ApiPage): string[][] {
  return exports.map(({ name, prose }) => [`[\`${name}\`](${file}#${anchor(name)})`, firstSentence(prose)]);
}

/** The section of one exported name. */
export function exportSection(each: Export): string[] {
  // What a schema delivers is described with the schema.
  const inherited = each.bases.filter((base) => !/^(AsyncIterable|Output|Input)</.test(base));
  return [
    `## ${each.name}`,
    withSpec(each.prose),
    each.code === '' ? '' : fenced(each.code),
    inherited.length === 0 ? '' : `Extends ${inherited.map(codeSpan).join(', ')}.`,
    ...propertyTable(each.members.filter(({ kind }) => kind === 'property')),
    ...methodDetails(each.prose),
    ...each.members.filter(({ kind }) => kind === 'method').flatMap((method) => methodSection(each, method)),
  ];
}

function propertyTable(members: readonly Member[]): string[] {
  if (members.length === 0) return [];
  const hasDefaults = members.some(({ prose }) => prose.defaultValue !== undefined);
  const rows = members.map(({ name, code, optional, prose }) => [
    `\`${name}${optional ? '?' : ''}\``,
    code === '' ? '' : codeSpan(code),
    ...(hasDefaults ? [prose.defaultValue === undefined ? '' : defaultOf(prose.defaultValue)] : []),
    withSpec(prose),
  ]);
  const examples = members.flatMap(({ name, prose }) =>
    prose.examples
      .filter((code) => code.includes('\n'))
      .flatMap((code) => [`**Example of \`${name}\`**`, fenced(code)]),
  );
  return [table(['Name', 'Type', ...(hasDefaults ? ['Default'] : []), 'Notes'], rows), ...examples];
}

/** A default is a value, or words. */
function defaultOf(text: string): string {
  return /^('.*'|\[\]|[\d_.]+|true|false|undefined|\w+\(\))$/.test(text) ? codeSpan(text) : text;
}

/** Code in a line of text. Two backticks enclose code that contains one. */
function codeSpan(code: string): string {
  return code.includes('`') ? `\`\` ${code} \`\`` : `\`${code}\``;
}

function methodSection({ name }: Export, { name: method, code, prose }: Member): string[] {
  return [`### ${name}.${method}`, withSpec(prose), fenced(code), ...methodDetails(prose)];
}

/** What a method returns and throws, and its examples. */
export function methodDetails({ returns, throws, examples }: Prose): string[] {
  return [
    returns === undefined ? '' : `**Returns** ${returns.replace(/\.?$/, '.')}`,
    ...throws.map(({ error, when }) => `**Throws** ${errorLink(error)}${when.replace(/\.?$/, '.')}`),
    ...examples.flatMap((example) => ['**Example**', fenced(example)]),
  ].filter((part) => part !== '');
}

/** A link to the page of an error class. The platform's errors have none, and neither has an error of the user. */
function errorLink(kind: string): string {
  if (kind === '') return '';
  return /^(Type|Range)Error$|(?<!Error)$/.test(kind) ? `\`${kind}\` ` : `[${kind}](../errors/${kind}.md) `;
}

/** The pages about everything but the resources, from the parsed sources. */
export function apiPages(sources: Sources): ApiPage[] {
  const main = exportsOf(sources, 'src/index.ts').filter((each) => !isError(each));
  const inMain = new Set(main.map(({ name }) => name));
  // The schema of a type is described with the type.
  const schemas = exportsOf(sources, 'src/schemas.ts').filter(
    ({ name }) => !inMain.has(name) && !inMain.has(typeNameOf(name)) && name !== 'endpoints',
  );
  const entry = (path: string): Export[] => exportsOf(sources, `src/${path}/index.ts`).filter((each) => !isError(each));
  return [
    {
      title: 'Client',
      file: 'client.md',
      entry: 'marketplace-seller-sdk',
      about: 'The client, its options, the options of a call, and what calls return.',
      exports: main.filter(({ file }) => !isResource(file)),
    },
    {
      title: 'Schemas',
      file: 'schemas.md',
      entry: 'marketplace-seller-sdk/schemas',
      about:
        'The functions that schemas are built with. The entry also exports the schema of each type in this reference, ' +
        'under the name of the type in lower camel case, and all `endpoints`.',
      exports: schemas,
    },
    {
      title: 'Notifications',
      file: 'notifications.md',
      entry: 'marketplace-seller-sdk/notifications',
      about: 'The inbox for notifications (webhooks). The [guide](../guide/notifications.md) shows how to use it.',
      exports: entry('notifications'),
    },
    {
      title: 'Testing',
      file: 'testing.md',
      entry: 'marketplace-seller-sdk/testing',
      about:
        'The fake marketplace, to mock the service in tests. The [guide](../guide/testing.md) shows how to use it.',
      exports: entry('testing'),
    },
    {
      title: 'OpenTelemetry',
      file: 'otel.md',
      entry: 'marketplace-seller-sdk/otel',
      about: 'Traces of calls. The [guide](../guide/observability.md#opentelemetry) shows how to use them.',
      exports: entry('otel'),
    },
  ];
}

/** What the main entry exports of one resource: types and functions, no errors. */
export function resourceExports(sources: Sources, resource: string): Export[] {
  const folders = resource === 'messages' ? ['messages', 'post-sale'] : [resource];
  const isOwn = (each: Export): boolean =>
    !isError(each) && folders.some((folder) => each.file.startsWith(`src/resources/${folder}/`));
  return exportsOf(sources, 'src/index.ts').filter(isOwn);
}

/** Error classes have pages of their own. */
function isError({ kind, name }: Export): boolean {
  return kind === 'class' && name.endsWith('Error');
}

/** The name of the type that a schema delivers. */
export function typeNameOf(schema: string): string {
  return schema.charAt(0).toUpperCase() + schema.slice(1);
}

function isResource(file: string): boolean {
  return file.startsWith('src/resources/') || ['src/endpoints.ts', 'src/core/describe.ts'].includes(file);
}
