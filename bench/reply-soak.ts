// The guide's handlers answer questions and messages while their processes are killed.
// node bench/reply-soak.ts [kills] [SQLite | PostgreSQL | BullMQ] [mixture]
// With `mixture`, the clock of one process is 40 seconds ahead, and moderation rejects each second answer to a message.
// node bench/reply-soak.ts storm [SQLite | PostgreSQL | BullMQ]
// Some 100 kills a minute for four minutes, and one message that ends its process by itself.
import { availableParallelism, loadavg } from 'node:os';
import { Answering } from '../tests/kills/answering.ts';
import type { Answers } from '../tests/kills/answering.ts';
import { places } from '../tests/kills/places.ts';
import { weather } from '../tests/kills/storm.ts';
import { bundled } from '../tests/support/program.ts';
import { writePart } from './soak/page.ts';

const [kills = '200', only, mixed] = process.argv.slice(2);
const mixture = mixed === 'mixture' ? { aheadMs: 40_000, rejects: true } : {};
const program = await bundled('tests/kills/reply-process.ts');
const rows: string[] = [];
let isWrong = false;
for (const { name, isThere, open } of places.filter((each) => only === undefined || each.name === only)) {
  if (!isThere) {
    console.log(`NOT RUN: ${name}, because its server is not installed`);
    continue;
  }
  const place = await open();
  if (kills === 'storm') {
    const endsAt = performance.now() + 240_000;
    const found = await weather(program, place, {
      goesOn: () => performance.now() < endsAt,
      lifeMs: 250,
      leaseMs: 3_000,
    });
    await place.close();
    console.log(name, JSON.stringify(found));
    isWrong ||= found.dead !== 1 || found.unanswered !== 1 || found.endings > 10;
    continue;
  }
  const answering = new Answering(program, place, mixture);
  const found = await answering.run(Number(kills));
  await answering.close();
  await place.close();
  rows.push(rowOf(name, found));
  console.log(rows.at(-1));
  isWrong ||= found.doubled + found.unanswered + found.dead > 0;
}
// Smaller runs are for trying it out.
if (process.argv.length === 2) writePart(page());
process.exit(isWrong ? 1 : 0);

function rowOf(name: string, { kills: killed, questions, messages, doubled, unanswered, dead }: Answers): string {
  return `| ${name} | ${killed} | ${questions} | ${messages} | ${doubled} | ${unanswered} | ${dead} |`;
}

function page(): string {
  return [
    '## Results of `npm run soak:replies`',
    '',
    `Written by \`npm run soak:replies\` on ${new Date().toISOString().slice(0, 10)}, Node ${process.version},`,
    `${process.platform} ${process.arch}, with a load of ${loadavg()[0]?.toFixed(0)} on ${availableParallelism()} cores.`,
    '',
    'Three processes with the handlers of the guide (`docs/guide/notifications.md`) share an inbox. One of them is killed',
    'with SIGKILL at a random moment and replaced, again and again. Some buyers write the same message twice and get the same',
    'answer twice. What no process has acknowledged is delivered again.',
    '',
    '| | kills | questions | messages | answered twice | unanswered | dead letters |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...rows,
  ].join('\n');
}
