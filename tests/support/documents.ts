import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { notificationFields } from 'marketplace-seller-sdk/notifications';
import * as schemas from 'marketplace-seller-sdk/schemas';
import { catalogue } from '../../tools/catalogue.ts';
import { parseSources } from '../../tools/exports.ts';
import { indexProse } from '../../tools/prose.ts';

// What the generated documents are made from.

export const root = join(import.meta.dirname, '../..');
export const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const texts = sourcesIn(root);
export const sources = parseSources(texts);
export const all = catalogue(schemas.endpoints, { ...schemas, notificationFields }, indexProse(texts), version);

function sourcesIn(folder: string): Map<string, string> {
  const paths = readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' });
  const sources = paths.filter((path) => path.endsWith('.ts')).map((path) => `src/${path.replaceAll('\\', '/')}`);
  // The fake marketplace has classes of the same names, such as `Items`: of two, the later one counts.
  const isFake = (path: string): boolean => path.startsWith('src/testing/');
  const sorted = [...sources.filter(isFake), ...sources.filter((path) => !isFake(path))];
  return new Map(sorted.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}
