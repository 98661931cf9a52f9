import * as library from 'marketplace-seller-sdk';
import * as testing from 'marketplace-seller-sdk/testing';
import { describe, expect, test } from 'vitest';
import { abortAtRandom } from '../../bench/soak/aborts.ts';
import { misbehave } from '../../bench/soak/bytes.ts';
import { writeThroughChaos } from '../../bench/soak/writes.ts';
import { seed, share } from '../support/seed.ts';
import { transports } from '../support/transports.ts';

// The workloads of `npm run soak`. `npm run explore` makes some thousand calls, `npm test` some hundred.
const cases = Math.ceil(400 * share);
const writes = Number(process.env.CHAOS_WRITES ?? 300) / 3;

describe.each(transports)('over %s', (_, transport) => {
  const subject = { library, testing, transport };

  test(`of ${cases} calls aborted at random (seed ${seed}) nothing is left`, async () => {
    expect(await abortAtRandom(subject, { count: cases, seed })).toMatchObject({
      wrong: [],
      left: { listeners: 0, slots: 0, sources: 0, requests: 0 },
    });
  });

  test(`of ${writes} writes through a proxy that breaks connections (seed ${seed}) none is lost, doubled or denied`, async () => {
    const result = await writeThroughChaos(subject, { count: writes, seed });
    expect(result).toMatchObject({ lost: 0, doubled: 0, denied: 0 });
    expect(result.faults).toBeGreaterThan(writes / 30);
    expect(result.done).toBeGreaterThan(writes * 0.5);
  });

  test(`${cases} responses of damaged bytes (seed ${seed}) end as an error or a result`, async () => {
    const result = await misbehave(subject, { count: cases, seed });
    expect(result.wrong).toEqual([]);
    expect(result.delivered).toBeGreaterThan(0);
    expect(result.failed).toBeGreaterThan(cases / 10);
  });
});
