import { readFile } from 'node:fs/promises';
import { parseTape } from '../testing/tape/tape.js';
import type { TapeExchange } from '../testing/tape/tape.js';
import { CliError } from './errors.js';
import { withLocation } from './with-location.js';

/** Reads a tape. @throws {CliError} when it cannot be read, or has a line that is no exchange */
export async function readTape(path: string): Promise<TapeExchange[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new CliError(`cannot read ${path}: ${String((error as { code?: string }).code)}`);
  });
  return withLocation(path, () => parseTape(text));
}

/** Reads the successful responses of a tape, the last one of each endpoint. @throws {CliError} */
export async function loadTape(path: string): Promise<Record<string, unknown>> {
  const tape = await readTape(path);
  const successful = tape.filter(({ status, endpoint, response }) => {
    return status < 300 && endpoint !== null && response.kind === 'json';
  });
  const entries = successful.map(({ endpoint, response }) => [endpoint ?? '', response.value] as const);
  return Object.fromEntries<unknown>(entries);
}
