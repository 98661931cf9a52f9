import { exportsOf } from './exports.ts';
import type { Export, Sources } from './exports.ts';
import type { Catalogue } from './catalogue.ts';
import { exportSection, proseOfExport } from './export-sections.ts';
import { document, firstSentence, generated } from './markdown.ts';

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
export function apiPage({ title, entry, about, exports }: ApiPage, all: Catalogue): string {
  const sections = exports.flatMap((each) => exportSection(each, all));
  return document([`# ${title}`, generated, about, `Import from \`${entry}\`.`, ...sections]);
}

/** The rows of a page in the list of the reference. */
export function apiRows({ file, exports }: ApiPage, all: Catalogue): string[][] {
  return exports.map((each) => [
    `[\`${each.name}\`](${file}#${each.name})`,
    firstSentence(proseOfExport(each, all) ?? { text: '' }),
  ]);
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
      about:
        'The client, its options, the options of a call, and what calls return. [Common](common.md) has the methods of ' +
        'the client itself.',
      exports: opened(main.filter(({ file }) => !isResource(file)).map(withoutListedMethods)),
    },
    {
      title: 'Schemas',
      file: 'schemas.md',
      entry: 'marketplace-seller-sdk/schemas',
      about:
        'The types of schemas. The entry also exports the schema of each type in this reference, under the name of the ' +
        'type in lower camel case, and all `endpoints`.',
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
      title: 'OAuth',
      file: 'oauth.md',
      entry: 'marketplace-seller-sdk/oauth',
      about:
        'The authorisation by a seller, and new tokens. The [guide](../guide/authentication.md) shows how to use it.',
      exports: entry('oauth'),
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

/** Begins the page of the client with what its readers look for. */
function opened(exports: readonly Export[]): Export[] {
  const names = ['SellerClient', 'ClientOptions', 'CallOptions', 'ApiPromise', 'Paged'];
  const first = names.flatMap((name) => exports.filter((each) => each.name === name));
  return [...first, ...exports.filter((each) => !first.includes(each))];
}

/** The page of a resource, or `common.md`, describes the methods of the client. */
function withoutListedMethods(each: Export): Export {
  return each.name === 'SellerClient'
    ? { ...each, members: each.members.filter(({ kind }) => kind !== 'method') }
    : each;
}

/** The folders whose exports are on the page of another one. */
const parts: Readonly<Record<string, readonly string[]>> = {
  flex: ['flex-items'],
  messages: ['post-sale'],
  questions: ['blacklist'],
};

/** What the main entry exports of one resource: types and functions, no errors. */
export function resourceExports(sources: Sources, resource: string): Export[] {
  const folders = [resource, ...(parts[resource] ?? [])];
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
