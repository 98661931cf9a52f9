import { test } from 'vitest';
import { bundled } from '../support/program.ts';
import { places } from './places.ts';
import { weather } from './storm.ts';

const storms = [
  { how: 'and nothing else is blamed for kills from outside', most: 12, isBusy: false },
  { how: 'in processes that are never idle', most: 6, isBusy: true },
];
const there = places.filter(({ isThere }) => isThere);
const cases = storms.flatMap((storm) => there.map((place) => ({ ...place, ...storm })));

// With short leases, so the pauses of a suspect are short, too. `node bench/reply-soak.ts storm` takes minutes.
test.concurrent.for(cases)(
  'what ends its process is found within ten runs, $how: $name',
  async ({ open, most, isBusy }, { expect }) => {
    const place = await open();
    const program = await bundled('tests/kills/reply-process.ts');
    const goesOn = (killed: number): boolean => killed < most;
    const found = await weather(program, place, { goesOn, lifeMs: 300, leaseMs: 150, isBusy });
    await place.close();
    expect(found).toMatchObject({ unanswered: 1, dead: 1 });
    expect(found.endings).toBeLessThanOrEqual(10);
  },
);
