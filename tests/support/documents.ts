import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { notificationFields } from 'marketplace-seller-sdk/inbox';
import * as schemas from 'marketplace-seller-sdk/schemas';
import { catalogue } from '../../tools/catalogue.ts';
import { Sources } from '../../tools/sources.ts';

// What the generated documents are made from.

export const root = join(import.meta.dirname, '../..');
export const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
export const sources = new Sources(root);
export const all = catalogue({ ...schemas, notificationFields }, sources, version);
