import type { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { onTestFinished } from 'vitest';
import { createRecorder } from '../../src/testing/tape/recorder.js';
import { TapeWriter, parseTape } from '../../src/testing/tape/tape.js';
import type { TapeExchange } from '../../src/testing/tape/tape.js';

/** A recorder in front of a service, and the text of its tape. */
export interface Taping {
  readonly fetch: typeof globalThis.fetch;
  /** Ends the recording. */
  readonly text: () => string;
  readonly tape: () => TapeExchange[];
  /** Why exchanges were not written. */
  readonly unwritten: readonly string[];
}

/** Records what is sent to a service. */
export function taping(upstream: string, keepsIds = false): Taping {
  const writer = new TapeWriter();
  const unwritten: string[] = [];
  let lines = '';
  const recorder = createRecorder(upstream, {
    write: (exchange) => (lines += writer.line(exchange)),
    skipped: (reason) => void unwritten.push(reason),
    keepsIds,
  });
  let end: string | undefined;
  const text = (): string => lines + (end ??= writer.end());
  return {
    fetch: (input, init) => recorder(new Request(input, init)),
    text,
    tape: () => parseTape(text()),
    unwritten,
  };
}

/** Records what is sent to a fake. */
export async function tapingOf(marketplace: FakeMarketplace, keepsIds = false): Promise<Taping> {
  const { url, close } = await marketplace.listen();
  onTestFinished(close);
  return taping(url, keepsIds);
}
