import { setTimeout as sleep } from 'node:timers/promises';
import type { SellerClient } from '../../client.js';
import { ConnectionError } from '../../core/errors/errors.js';
import { NotFoundError, UnexpectedResponseError } from '../../core/errors/response-errors.js';
import { SellerError } from '../../core/errors/seller-error.js';
import type { Drift } from '../../core/options/hooks.js';
import { UsageError, type Command, type Values } from '../command.js';
import { connect, connectionOptions } from '../connection.js';
import { idOptions, Ids, idsToGive, readings, sitesOf, type IdName, type ReadingOperation } from '../readings.js';

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

/** The results of an operation, the best first. */
const outcomes = ['not tried', 'works', 'differs', 'rejected', 'no response'] as const;

/** What calling an operation showed. */
export interface Checked {
  readonly operation: string;
  readonly result: (typeof outcomes)[number];
  /** Why it is not `works`, or where the response differs: paths and types, no values. */
  readonly details: readonly string[];
  /** The ids that are needed to try it; absent if it was tried or skipped. */
  readonly missing?: readonly IdName[];
}

interface CheckOptions {
  readonly ids: Ids;
  readonly skip: readonly string[];
  /** Waits before each call. */
  readonly pause: () => Promise<unknown>;
  /** Creates a client that reports to `onDrift`. */
  readonly createClient: (onDrift: (drift: Drift) => void) => SellerClient;
}

/** Calls each reading operation, one after the other: twice if there are two objects to read. */
export async function* checkOperations({ ids, skip, pause, createClient }: CheckOptions): AsyncGenerator<Checked> {
  for (const reading of readings()) {
    const { operation, needs } = reading;
    const missing = needs.filter((name) => ids.choice(0)[name] === undefined);
    if (skip.includes(operation)) yield { operation, result: 'not tried', details: ['skipped'] };
    else if (missing.length > 0)
      yield {
        operation,
        result: 'not tried',
        details: [`needs ${missing.map((name) => `--${name}`).join(' and ')}`],
        missing,
      };
    else yield await checkOne(reading);
  }

  async function checkOne(reading: ReadingOperation): Promise<Checked> {
    const { operation, needs } = reading;
    const checked: Checked[] = [];
    const choices = ([0, 1] as const).map((index) => ids.choice(index) as Parameters<ReadingOperation['call']>[1]);
    const isTwice = needs.some((name) => choices[0]?.[name] !== choices[1]?.[name]);
    for (const choice of isTwice ? choices : choices.slice(0, 1)) {
      await pause();
      const drifts: string[] = [];
      const seller = createClient((drift) => drifts.push(lineOf(drift)));
      const found = reading.call(seller, choice).then((each) => {
        for (const [name, values] of Object.entries(each)) ids.add(name as IdName, values);
      });
      checked.push(await resultOf(operation, found, drifts));
    }
    const result = outcomes.findLast((outcome) => checked.some((each) => each.result === outcome)) ?? 'not tried';
    return { operation, result, details: [...new Set(checked.flatMap(({ details }) => details))] };
  }
}

async function resultOf(operation: string, call: Promise<void>, drifts: string[]): Promise<Checked> {
  try {
    await call;
    return { operation, result: drifts.length > 0 ? 'differs' : 'works', details: [...new Set(drifts)] };
  } catch (error) {
    if (!(error instanceof SellerError)) throw error;
    if (error instanceof UnexpectedResponseError) return { operation, result: 'differs', details: linesOf(error) };
    return { operation, result: resultOfError(error), details: [error.message] };
  }
}

function resultOfError(error: SellerError): Checked['result'] {
  if (error instanceof ConnectionError) return 'no response';
  // There is nothing to read, and the service says so as documented.
  return error instanceof NotFoundError && error.constructor !== NotFoundError ? 'works' : 'rejected';
}

function linesOf({ issues, message }: UnexpectedResponseError): string[] {
  return issues.length === 0
    ? [message]
    : [...new Set(issues.map(({ path, message }) => `${placeOf(path)}: ${message}`))];
}

function lineOf({ path, expected, received }: Drift): string {
  return `${placeOf(path)}: ${expected}, not ${received}`;
}

/** A path in which all entries of a list are the same place. */
function placeOf(path: readonly PropertyKey[]): string {
  const text = path.map((key) => (typeof key === 'number' ? '[]' : `.${String(key)}`)).join('');
  return text === '' ? 'the body' : text.replace(/^\./, '');
}

/** Formats the results as a table, with one line per operation and per detail, and their numbers. */
function formatChecked(rows: readonly Checked[]): string {
  const nameWidth = widthOf(rows.map(({ operation }) => operation));
  const resultWidth = widthOf(outcomes);
  const lines = rows.flatMap(({ operation, result, details }) => {
    const left = `${operation.padEnd(nameWidth)}  ${result.padEnd(resultWidth)}`;
    const [first = '', ...more] = details;
    return [`${left}  ${first}`.trimEnd(), ...more.map((detail) => `${' '.repeat(left.length)}  ${detail}`)];
  });
  return [...lines, '', ...missingOf(rows), summaryOf(rows), ...triedOf(rows)].join('\n');
}

/** How few operations were tried, and the options that try the others: the last line, because the exit code is 0. */
function triedOf(rows: readonly Checked[]): string[] {
  const missing = rows.flatMap((row) => row.missing ?? []);
  if (missing.length === 0) return [];
  const tried = rows.filter(({ result }) => result !== 'not tried').length;
  const options = idsToGive(missing).map((name) => `--${name}`);
  return [
    `${tried} of ${rows.length} operations were tried; ${options.join(' and ')} ${options.length === 1 ? 'tries' : 'try'} the others`,
  ];
}

/** How many operations were not tried because of ids, and the options that give them. */
function missingOf(rows: readonly Checked[]): string[] {
  const untried = rows.filter(({ missing }) => missing !== undefined);
  if (untried.length === 0) return [];
  const options = idsToGive(untried.flatMap(({ missing = [] }) => missing)).map((name) => {
    const { value, text } = idOptions[name];
    return [`--${name} ${value}`, text] as const;
  });
  const width = widthOf(options.map(([option]) => option));
  const verb = untried.length === 1 ? 'was' : 'were';
  return [
    `${untried.length} of ${rows.length} ${verb} not tried, because ids are missing. Give them with these options:`,
    ...options.map(([option, text]) => `  ${option.padEnd(width)}  ${text}`),
    '',
  ];
}

function summaryOf(rows: readonly Checked[]): string {
  const counts = outcomes.map((outcome) => [outcome, rows.filter(({ result }) => result === outcome).length] as const);
  const named = counts.filter(([, count]) => count > 0).map(([outcome, count]) => `${outcome} ${count}`);
  return `${rows.length} reading operations: ${named.join(', ')}`;
}

function widthOf(texts: readonly string[]): number {
  return Math.max(...texts.map(({ length }) => length));
}
