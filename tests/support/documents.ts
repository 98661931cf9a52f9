import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import * as actionGuide from '../../src/resources/action-guide/schemas.ts';
import * as blacklist from '../../src/resources/blacklist/blacklist.ts';
import * as contacts from '../../src/resources/contacts/schemas.ts';
import * as currencies from '../../src/resources/currencies/currencies.ts';
import * as description from '../../src/resources/describe.ts';
import * as fields from '../../src/resources/fields.ts';
import * as flex from '../../src/resources/flex/schemas.ts';
import * as flexItems from '../../src/resources/flex-items/flex-items.ts';
import * as flexV2 from '../../src/resources/flex-v2/schemas.ts';
import * as items from '../../src/resources/items/items.ts';
import * as messages from '../../src/resources/messages/schemas.ts';
import * as postSale from '../../src/resources/post-sale/message.ts';
import * as questions from '../../src/resources/questions/schemas.ts';
import * as sites from '../../src/resources/sites/sites.ts';
import * as notification from '../../src/notifications/notification.ts';
import { catalogue } from '../../tools/catalogue.ts';
import { Sources } from '../../tools/sources.ts';

// What the generated documents are made from.

export const root = join(import.meta.dirname, '../..');
export const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
export const sources = new Sources(root);

/** The modules that declare schemas: of inputs, of responses and their parts, and of a notification. */
const modules: Record<string, unknown>[] = [
  actionGuide,
  blacklist,
  contacts,
  currencies,
  description,
  fields,
  flex,
  flexItems,
  flexV2,
  items,
  messages,
  postSale,
  questions,
  sites,
  notification,
];
const files = globSync(['src/resources/**/*.ts', 'src/notifications/notification.ts'], { cwd: root }).sort();
/** The tables that a module exports as `questionSchemas`, besides the schemas that it exports by themselves. */
const tables = modules.flatMap((each) =>
  Object.keys(each).flatMap((name) => (name.endsWith('Schemas') ? [each[name]] : [])),
);
const surface = Object.assign({}, ...tables, ...modules) as Record<string, unknown>;
export const all = catalogue({ ...surface, endpoints }, files, sources, version);
