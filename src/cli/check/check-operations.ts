import { ConnectionError } from '../../core/errors/errors.js';
import { UnexpectedResponseError } from '../../core/errors/response-errors.js';
import { SellerError } from '../../core/errors/seller-error.js';
import { NotFoundError } from '../../core/errors/status-errors.js';
import type { Drift } from '../../core/options/hooks.js';
import type { SellerClient } from '../../client.js';
import type { IdName, Ids } from './ids.js';
import { readings } from './readings.js';
import type { ReadingOperation } from './readings.js';

/** The results of an operation, the best first. */
export const outcomes = ['not tried', 'works', 'differs', 'rejected', 'no response'] as const;

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
