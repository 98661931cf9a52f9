import type { StandardSchema } from '../src/core/schema/schema.js';
import type { Catalogue, Entry, PublicMethod } from './catalogue.ts';
import { typeNameOf } from './catalogue.ts';
import { commandPage } from './commands.ts';
import { fakeControls } from './fake-controls.ts';
import { fieldColumns, fieldRows, schemasWithin } from './fields.ts';
import { withAnchors } from './headings.ts';
import { document, firstSentence, generated, table } from './markdown.ts';
import { exportSection, inputOf, methodSection, resultOf, textOf } from './sections.ts';
import type { Export } from './sources.ts';

/** A page of the reference: about a resource, or about what an entry of the package exports. */
export interface Page {
  readonly title: string;
  readonly file: string;
  readonly about: string;
  readonly methods: readonly PublicMethod[];
  /** The schemas that the methods need. */
  readonly schemas: readonly StandardSchema[];
  readonly exports: readonly Export[];
}

/** The description of the methods of the client itself. */
export const aboutCommon = 'Methods of the client itself, which apply to every resource.';

/** The titles of the pages about everything but the resources. */
const titles: Readonly<Record<Entry, string>> = {
  'marketplace-seller-sdk': 'Client',
  'marketplace-seller-sdk/schemas': 'Schemas',
  'marketplace-seller-sdk/inbox': 'Inbox',
  'marketplace-seller-sdk/outbox': 'Outbox',
  'marketplace-seller-sdk/stores': 'Stores',
  'marketplace-seller-sdk/simulation': 'Simulation',
  'marketplace-seller-sdk/testing': 'Testing',
  'marketplace-seller-sdk/tools': 'Tools',
  'marketplace-seller-sdk/oauth': 'OAuth',
  'marketplace-seller-sdk/otel': 'OpenTelemetry',
};

const abouts: Readonly<Record<Entry, string>> = {
  'marketplace-seller-sdk':
    'The client, its options, the options of a call, and what calls return. [Common](common.md) has the methods of the client itself.',
  'marketplace-seller-sdk/schemas':
    'The types of schemas. The entry also exports the schema of each entity that a method returns, such as `question`, and, with their `input` and `output`, all `endpoints`.',
  'marketplace-seller-sdk/inbox':
    'The inbox for notifications (webhooks). The [guide](../guide/notifications.md) shows how to use it.',
  'marketplace-seller-sdk/outbox':
    'Writes that are sent once, also when processes end. The [guide](../guide/after-a-sale.md) shows how to use it.',
  'marketplace-seller-sdk/stores':
    'Where inboxes and outboxes keep their work. The [guide](../guide/notifications.md) says which one to use.',
  'marketplace-seller-sdk/simulation':
    'Days of a bot, from a seed. The [guide](../guide/simulation.md) shows how to use them.',
  'marketplace-seller-sdk/testing':
    'The fake marketplace, to mock the service in tests. The [guide](../guide/testing.md) shows how to use it.',
  'marketplace-seller-sdk/tools':
    'Every operation as a tool for a language model. The [guide](../guide/tools.md) shows how to use them.',
  'marketplace-seller-sdk/oauth':
    'The authorisation by a seller, and new tokens. The [guide](../guide/connect-sellers.md) shows how to use it.',
  'marketplace-seller-sdk/otel':
    'Traces of calls. The [guide](../guide/observability.md#opentelemetry) shows how to use them.',
};

/** What readers of the page about the client look for. */
const openings = ['SellerClient', 'ClientOptions', 'CallOptions', 'ApiPromise', 'Paged'];

/** The groups of a page, by the kind of an export. */
const groups = { class: 'Classes', function: 'Functions', constant: 'Constants', interface: 'Types', type: 'Types' };

/** The folders whose exports are on the page of another one. */
const pageOfFolder: Readonly<Record<string, string>> = {
  blacklist: 'questions',
  'flex-items': 'flex',
  'post-sale': 'messages',
};

/** Returns the pages of the reference, by file name. */
export function reference(all: Catalogue): Map<string, string> {
  const pages = pagesOf(all);
  const written = new Map([
    ['README.md', contents(pages, all)],
    ...pages.map((each) => [each.file, write(each, all)] as const),
    ['commands.md', commandPage()],
    ['fake-controls.md', fakeControls()],
  ]);
  return new Map([...written].map(([file, text]) => [file, withAnchors(text, new Map([...written, ['', text]]))]));
}

/** The pages of the resources, then the others. */
export function pagesOf(all: Catalogue): Page[] {
  const main = all.entries['marketplace-seller-sdk'];
  const resources = [...new Set(all.methods.map(({ resource }) => resource))].map((resource): Page => {
    const methods = all.methods.filter((each) => each.resource === resource);
    const name = resource.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const schemas = schemasOf(methods, all);
    const described = [
      ...schemas.map((schema) => all.schemas.get(schema)?.type),
      ...methods.filter(({ endpoint }) => endpoint).map((each) => inputOf(each, all).type),
    ];
    return {
      title: typeNameOf(name.replaceAll('-', ' ')),
      file: `${name}.md`,
      about: resource === 'common' ? aboutCommon : (methods[0]?.about ?? ''),
      methods,
      schemas,
      exports: main.filter(
        (each) => resourceOf(each) === name && each.kind !== 'class' && !described.includes(each.name),
      ),
    };
  });
  const rest = (Object.keys(titles) as Entry[]).map((entry): Page => {
    const listed = all.entries[entry].filter((each) => hasOwnSection(each, entry, all));
    const exports = listed.toSorted((a, b) => rankOf(a) - rankOf(b));
    return {
      title: titles[entry],
      file: `${entry.split('/')[1] ?? 'client'}.md`,
      about: `${abouts[entry]}\n\nImport from \`${entry}\`.`,
      methods: [],
      schemas: [],
      exports,
    };
  });
  return [...resources, ...rest];
}

function groupOf({ name, kind }: Export): string {
  return openings.includes(name) ? 'Most used' : groups[kind];
}

/** Exports are listed by group, as their page shows them. */
function rankOf(each: Export): number {
  return [...openings, ...Object.values(groups)].indexOf(openings.includes(each.name) ? each.name : groupOf(each));
}

/** The named schemas in the inputs and results of methods. */
function schemasOf(methods: readonly PublicMethod[], all: Catalogue): StandardSchema[] {
  const sent = methods.flatMap(({ endpoint }) => (endpoint ? [endpoint.input, endpoint.output] : []));
  const results = new Set(methods.flatMap(({ method }) => [...(resultOf(method).match(/\w+/g) ?? [])]));
  const returned = [...all.schemas].filter(([, { type }]) => results.has(type)).map(([schema]) => schema);
  const inputs = methods.filter(({ endpoint }) => endpoint).map((each) => inputOf(each, all).schema);
  return [...schemasWithin([...sent, ...returned], all)].filter((schema) => !inputs.includes(schema));
}

/** Errors have pages of their own, so have resources, and a schema is described with its type. */
function hasOwnSection(each: Export, entry: Entry, all: Catalogue): boolean {
  const names = [each.name, typeNameOf(each.name)];
  if (each.kind === 'class' && each.name.endsWith('Error')) return false;
  if (entry === 'marketplace-seller-sdk') return resourceOf(each) === undefined;
  if (entry !== 'marketplace-seller-sdk/schemas') return true;
  return each.name !== 'endpoints' && !all.entries['marketplace-seller-sdk'].some(({ name }) => names.includes(name));
}

/** The resource whose page describes an export. */
function resourceOf({ file }: Export): string | undefined {
  if (['src/endpoints.ts', 'src/resources/describe.ts'].includes(file)) return 'common';
  const [, folder = ''] = /^src\/resources\/([\w-]+)\//.exec(file) ?? [];
  return pageOfFolder[folder] ?? (folder || undefined);
}

/** A link to the heading of a method, from a page for which the reference is at `folder`. */
export function methodLink({ name }: PublicMethod, { file }: Page, folder = ''): string {
  return `[\`seller.${name}\`](${folder}${file}#${name})`;
}

function contents(pages: readonly Page[], all: Catalogue): string {
  const intro =
    'Every method by resource, then everything else that the package exports. A field whose name ends in `?` is optional. ' +
    'The endpoints as data: [openapi.json](../openapi.json).';
  const sections = pages.map((page) => {
    const methods = page.methods.map((each) => [
      methodLink(each, page),
      each.endpoint ? `\`${each.endpoint.method} ${each.endpoint.path}\`` : '',
      firstSentence(each.method.prose.text),
    ]);
    const names = page.exports.map((each) => {
      return [`[\`${each.name}\`](${page.file}#${each.name})`, firstSentence(textOf(each, all))];
    });
    const listed =
      methods.length > 0 ? table(['Method', 'Request', 'What it does'], methods) : table(['Name', 'What it is'], names);
    return `## [${page.title}](${page.file})\n\n${listed}`;
  });
  const program = [
    '## [Commands](commands.md)',
    'The options of `npx marketplace-seller-sdk check`, `fake`, `inbox`, `outbox`, `mcp` and `call`.',
    '## [Controls of the fake marketplace](fake-controls.md)',
    'Every call with which a test changes and reads the fake marketplace over HTTP.',
  ];
  return document(['# Reference', generated, intro, ...sections, ...program]);
}

function write({ title, about, methods, schemas, exports }: Page, all: Catalogue): string {
  const sections = [
    ...methods.map((each) => ['Methods', methodSection(each, all)] as const),
    ...schemas.map((schema) => {
      const { type = '', text = '' } = all.schemas.get(schema) ?? {};
      return ['Types', [`### ${type}`, text, table(fieldColumns, fieldRows(schema, all))]] as const;
    }),
    ...exports.map((each) => [groupOf(each), exportSection(each, all)] as const),
  ];
  const grouped = [...Map.groupBy(sections, ([group]) => group)];
  const blocks = grouped.flatMap(([group, each]) => [`## ${group}`, ...each.flatMap(([, section]) => section)]);
  return document([`# ${title}`, generated, about, ...blocks]);
}
