// An outbox whose two processes are killed (kill -9) at random moments, while the service loses and delays responses. Needs a
// build. The clock of the second process is 40 seconds ahead, unless `right` is said. node bench/outbox-soak.ts [kills] [seed] [right]
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type * as Outboxes from 'marketplace-seller-sdk/outbox';
import type * as Schemas from 'marketplace-seller-sdk/schemas';
import type * as Stores from 'marketplace-seller-sdk/stores';
import type * as Testing from 'marketplace-seller-sdk/testing';
import { createRandom } from '../src/testing/random.ts';
import { here } from './measure.ts';
import { writePart } from './soak/page.ts';

// The built package, as users load it.
const built: readonly unknown[] = await Promise.all(
  ['outbox/index', 'schemas', 'stores', 'testing/index'].map((entry) => import(here(`../dist/esm/${entry}.js`))),
);
const [{ createOutbox }, { endpoints }, { sqliteStore }, { FakeMarketplace }] = built as [
  typeof Outboxes,
  typeof Schemas,
  typeof Stores,
  typeof Testing,
];

const [kills = 300, seed = Date.now() % 2 ** 31] = process.argv.slice(2, 4).map(Number);
const isRight = process.argv[4] === 'right';
const random = createRandom(seed);
const firstPack = 2_000_000_000_000_001;
const packsPerKill = 3;

const marketplace = new FakeMarketplace();
const { user_id, site_id } = marketplace.addUser();
const buyer = marketplace.addUser();
const packs = Array.from({ length: (kills + 1) * packsPerKill }, (_, index) => {
  const pack = marketplace.addPack({ pack_id: firstPack + index, seller_id: user_id, buyer_id: buyer.user_id });
  marketplace.buyerWrites({ pack, text: 'Could I have an invoice?' });
  return pack;
});
for (const endpoint of [endpoints.messages.send, endpoints.actionGuide.send, endpoints.messages.upload]) {
  marketplace.faults.inject({ endpoint, reset: 'after', probability: 0.1, seed });
  marketplace.faults.inject({ endpoint, reset: 'before', probability: 0.05, seed: seed + 1 });
  marketplace.faults.inject({ endpoint, delayMs: 40, probability: 0.2, seed: seed + 2 });
}

const folder = mkdtempSync(join(tmpdir(), 'soak-'));
const [database, file] = [join(folder, 'outbox.db'), join(folder, 'invoice.pdf')];
writeFileSync(file, '%PDF-1.7 an invoice');
const { url, close } = await marketplace.listen();
const accessToken = marketplace.tokenFor({ user_id });

let hits = 0;
for (let kill = 0; kill < kills; kill += 1) {
  const children = started(packsPerKill * (kill + 1));
  await Promise.all(children.map((child) => once(child, 'message')));
  await pause(random() * 150);
  if (children.some(({ exitCode }) => exitCode === null)) hits += 1;
  await Promise.all(children.map(ended));
}
await Promise.all(started(packs.length).map((child) => once(child, 'exit')));
await close();

const store = sqliteStore(database);
const outbox = createOutbox({ store, clientFor: () => undefined });
const stats = await outbox.stats();
const dead = await outbox.deadLetters.list({ limit: 100_000 });
for (const { entry, failure } of dead) console.log(entry.key, failure);
await outbox.close();
rmSync(folder, { recursive: true });
const expected = (index: number) =>
  ['Here is your invoice.', 'Thank you!', 'Thank you!', `https://shop.example.com/invoices/${index}`].toSorted();
/** How many messages are there, or are not, against what was added. */
const compared = packs.map((pack, index) => {
  const sent = marketplace.messages.of(pack).filter(({ from }) => from === user_id);
  const missing = expected(index);
  const more = sent.filter(({ text }) => {
    const at = missing.indexOf(text);
    if (at >= 0) missing.splice(at, 1);
    return at < 0;
  });
  return { missing: missing.length, more: more.length };
});
const sum = (name: 'missing' | 'more'): number => compared.reduce((total, each) => total + each[name], 0);
const figures = {
  kills: kills * 2,
  '... while they worked': hits * 2,
  'jobs: two equal texts, an option, an upload with its message': packs.length * 4,
  '... accepted': stats.accepted,
  '... for a person, who is told why': dead.filter(({ failure }) => failure).length,
};
const faults = {
  '... neither': packs.length * 4 - stats.accepted - dead.length,
  'messages sent twice': sum('more'),
  'messages missing that no person is told of': Math.max(0, sum('missing') - dead.length),
};
console.log(page());
// Smaller runs are for trying it out, and for `.ci/run`.
if (process.argv.length === 2) writePart(page());
process.exitCode = Object.values(faults).some(Boolean) || hits < kills / 2 ? 1 : 0;

async function ended(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** Two processes. The clock of the second one is ahead. */
function started(count: number): ChildProcess[] {
  return [start(count, 0), start(count, isRight ? 0 : 40_000)];
}

function start(count: number, aheadMs: number): ChildProcess {
  const args = [url, accessToken, user_id, site_id, buyer.user_id, database, file, firstPack, count, aheadMs].map(
    String,
  );
  return fork(here('children/outbox.ts'), args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
}

function page(): string {
  return [
    '## Results of `npm run soak:outbox`',
    '',
    `Written by \`npm run soak:outbox\` on ${new Date().toISOString().slice(0, 10)}, Node ${process.version},`,
    `${process.platform} ${process.arch}, with a load of ${loadavg()[0]?.toFixed(0)} on ${availableParallelism()} cores.`,
    '',
    'Two processes with one outbox in SQLite are killed with SIGKILL at a random moment, again and again, until the last two',
    'end by themselves. The service loses one response in ten, breaks one connection in twenty before it acts, and is slow for one',
    `request in five. ${isRight ? '' : 'The clock of one process is 40 seconds ahead. '}Seed ${seed}.`,
    '',
    '| | |',
    '| --- | ---: |',
    ...Object.entries({ ...figures, ...faults }).map(([what, count]) => `| ${what} | ${count} |`),
  ].join('\n');
}
