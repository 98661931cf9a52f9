import { setTimeout as sleep } from 'node:timers/promises';
import { readings, sitesOf } from '../check/readings.js';
import { checkOperations } from '../check/check-operations.js';
import type { Checked } from '../check/check-operations.js';
import { formatChecked } from '../check/format-checked.js';
import { Ids, idOptions } from '../check/ids.js';
import type { IdName } from '../check/ids.js';
import type { Command } from '../command.js';
import { connect, connectionOptions } from '../connection.js';
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
    ...connectionOptions,
    ...idOptions,
    skip: { value: 'NAME', text: 'operation that is not called, e.g. flex.driver', repeatable: true },
    'pause-ms': { value: 'NUMBER', text: 'pause before each call, in milliseconds', default: '250' },
    json: { text: 'print the results as JSON' },
  },
  run: async (values, io) => {
    const { client, user } = connect(values);
    const pauseMs = values.number('pause-ms', 0, 99_999);
    const rows: Checked[] = [];
    const checks = checkOperations({
      ids: idsOf(values, user),
      skip: skipped(values),
      pause: () => sleep(pauseMs),
      createClient: (onDrift) => client.withOptions({ responseValidation: 'report', deadlineMs: 60_000, onDrift }),
    });
    for await (const row of checks) rows.push(row);
    io.out(values.has('json') ? JSON.stringify(rows, null, 2) : formatChecked(rows));
    return rows.every(({ result }) => result === 'works' || result === 'not tried') ? 0 : 1;
  },
};

function idsOf(values: Values, user: string | undefined): Ids {
  const ids = new Ids();
  for (const name of Object.keys(idOptions) as IdName[]) ids.add(name, [values.text(name)]);
  ids.add('user', [user]);
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
