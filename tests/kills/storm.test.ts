import { test } from 'vitest';
import { bundled } from '../support/program.ts';
import { places } from './places.ts';
import { weather } from './storm.ts';

const there = places.filter(({ isThere }) => isThere);

// With short leases, so the pauses of a suspect are short, too. `node bench/reply-soak.ts storm` takes minutes.
test.concurrent.for(there)(
  'what ends its process is found within ten runs, and nothing else is blamed for kills from outside: $name',
  async ({ open }, { expect }) => {
    const place = await open();
    const program = await bundled('tests/kills/reply-process.ts');
    const found = await weather(program, place, { goesOn: (killed) => killed < 12, lifeMs: 300, leaseMs: 150 });
    await place.close();
    expect(found).toMatchObject({ unanswered: 1, dead: 1 });
    expect(found.endings).toBeLessThanOrEqual(10);
  },
);

test.concurrent.for(there)(
  'what ends its process is found within ten runs in processes that are never idle: $name',
  async ({ open }, { expect }) => {
    const place = await open();
    const program = await bundled('tests/kills/reply-process.ts');
    const storm = { goesOn: (killed: number) => killed < 6, lifeMs: 300, leaseMs: 150, isBusy: true };
    const found = await weather(program, place, storm);
    await place.close();
    expect(found).toMatchObject({ unanswered: 1, dead: 1 });
    expect(found.endings).toBeLessThanOrEqual(10);
  },
);
