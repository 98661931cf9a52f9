import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bundled } from '../support/program.ts';
import { Answering } from './answering.ts';
import { places } from './places.ts';

/** Few, because each process has to start. `npm run soak:replies` kills 200 times. */
const kills = Number(process.env.KILLS ?? 6);

test('the handlers that are killed are those of the guide', () => {
  const handlers = readFileSync(join(import.meta.dirname, 'guide-handlers.ts'), 'utf8');
  const guide = words(readFileSync(join(import.meta.dirname, '../../docs/guide/notifications.md'), 'utf8'));
  const [questions = '', messages = ''] = handlers.split(/^(?=  messages:)/m);
  expect(guide).toContain(words(questions.slice(questions.indexOf('  questions:'))));
  expect(guide).toContain(words(messages.replace(/^};\n/m, '')));
});

for (const { name, isThere, open } of places) {
  test.skipIf(!isThere)(`with ${name}, the guide's handlers answer once, however often they are killed`, async () => {
    const place = await open();
    const answering = new Answering(await bundled('tests/kills/reply-process.ts'), place);
    onTestFinished(async () => {
      await answering.close();
      await place.close();
    });
    const found = await answering.run(kills);
    expect(found).toEqual({ ...found, kills, doubled: 0, unanswered: 0, dead: 0 });
    expect(found.questions).toBeGreaterThan(kills);
  });
}

const words = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
