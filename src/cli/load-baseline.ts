import { array, enumOf, looseObject, string } from '../core/schema/define.js';
import type { KnownDifferences } from '../testing/tape/report.js';
import { loadFile } from './load-file.js';

const difference = looseObject({
  path: string,
  what: enumOf('missing', 'extra', 'type', 'value', 'entries', 'order'),
  expected: string,
  actual: string,
});
const results = array(looseObject({ endpoint: string, differences: array(difference) }));

/** Reads what `fake verify --json` printed. @throws {CliError} with one line per problem */
export function loadBaseline(path: string): Promise<KnownDifferences> {
  return loadFile('baseline', path, results);
}
