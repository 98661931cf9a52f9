import { setTimeout as sleep } from 'node:timers/promises';
import { SellerClient } from '../../client.js';
import { userOfToken } from '../../core/recover/user-of-token.js';
import { ConfigurationError } from '../../core/errors/errors.js';
import { readings, sitesOf } from '../check/readings.js';
import { checkOperations } from '../check/check-operations.js';
import type { Checked } from '../check/check-operations.js';
import { formatChecked } from '../check/format-checked.js';
import { Ids, idOptions } from '../check/ids.js';
import type { IdName } from '../check/ids.js';
import type { Command } from '../command.js';
import { UsageError } from '../errors.js';
import type { Values } from '../options.js';

/** `check`: calls the reading operations of a service, and compares the responses with their schemas. */
export const check: Command = {
  name: 'check',
  summary: `Tells whether the service responds as documented. It calls every reading operation once or twice, and prints
which ones work, which ones the service rejects, and where responses differ from their schemas. It writes nothing and marks no message as read.
It ends with how many were not tried and which ids these need.
The exit code is 0 when all operations that were tried work, otherwise 1.`,
  options: {
    'base-url': { value: 'URL', text: 'base URL of the service; required' },
    token: { value: 'TOKEN', text: 'access token of the seller (default: the environment variable SELLER_TOKEN)' },
    ...idOptions,
    skip: { value: 'NAME', text: 'operation that is not called, e.g. flex.driver', repeatable: true },
    'pause-ms': { value: 'NUMBER', text: 'pause before each call, in milliseconds', default: '250' },
    json: { text: 'print the results as JSON' },
  },
  run: async (values, io) => {
    const token = values.text('token') ?? process.env.SELLER_TOKEN;
    if (!token) throw new UsageError('--token, or the environment variable SELLER_TOKEN, must be an access token');
    const pauseMs = pauseOf(values);
    const rows: Checked[] = [];
    const checks = checkOperations({
      ids: idsOf(values, token),
      skip: skipped(values),
      pause: () => sleep(pauseMs),
      createClient: clientOf(values, token),
    });
    for await (const row of checks) rows.push(row);
    io.out(values.has('json') ? JSON.stringify(rows, null, 2) : formatChecked(rows));
    return rows.every(({ result }) => result === 'works' || result === 'not tried') ? 0 : 1;
  },
};

/** Returns a function that creates clients of the service. @throws {UsageError} when no client can be created */
function clientOf(values: Values, accessToken: string): Parameters<typeof checkOperations>[0]['createClient'] {
  const baseUrl = values.text('base-url') ?? '';
  try {
    const client = new SellerClient({ baseUrl, accessToken, responseValidation: 'report', deadlineMs: 60_000 });
    return (onDrift) => client.withOptions({ onDrift });
  } catch (error) {
    if (error instanceof ConfigurationError) throw new UsageError(`--base-url or --token is invalid: ${error.message}`);
    throw error;
  }
}

function idsOf(values: Values, token: string): Ids {
  const ids = new Ids();
  for (const name of Object.keys(idOptions) as IdName[]) ids.add(name, [values.text(name)]);
  ids.add('user', [userOfToken(token)]);
  ids.add('site', sitesOf([values.text('item')]));
  return ids;
}

/** @throws {UsageError} when an operation does not exist */
function skipped(values: Values): readonly string[] {
  const names = readings().map(({ operation }) => operation);
  const unknown = values.all('skip').find((name) => !names.includes(name));
  if (unknown === undefined) return values.all('skip');
  throw new UsageError(`--skip: there is no reading operation "${unknown}"; they are ${names.join(', ')}`);
}

/** @throws {UsageError} */
function pauseOf(values: Values): number {
  const text = values.text('pause-ms') ?? '';
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new UsageError(`--pause-ms must be a number of milliseconds, not "${text}"`);
}
