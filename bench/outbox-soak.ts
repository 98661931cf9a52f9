// An outbox whose process is killed (kill -9) at random moments, while the service loses and delays responses. Needs a
// build. node bench/outbox-soak.ts [kills] [seed]
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type * as Library from 'marketplace-seller-sdk';
import type * as Schemas from 'marketplace-seller-sdk/schemas';
import type * as Testing from 'marketplace-seller-sdk/testing';
import { SqliteOutbox } from '../examples/sqlite-outbox.ts';
import { here } from './measure.ts';
import { writePart } from './soak/page.ts';

// The built package, as users load it.
const built: readonly unknown[] = await Promise.all(
  ['index', 'schemas', 'testing/index'].map((entry) => import(here(`../dist/esm/${entry}.js`))),
);
const [{ SellerClient }, { endpoints }, { FakeMarketplace }] = built as [
  typeof Library,
  typeof Schemas,
  typeof Testing,
];

const [kills = 300, seed = Date.now() % 2 ** 31] = process.argv.slice(2).map(Number);
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
  const child = start(packsPerKill * (kill + 1));
  await once(child, 'message');
  await pause(Math.random() * 150);
  if (child.exitCode === null) hits += 1;
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
// A connection that fails before anything was sent ends a process; the supervisor starts the next one.
for (let code: unknown; code !== 0;) [code] = (await once(start(packs.length), 'exit')) as unknown[];
await close();

const outbox = new SqliteOutbox(database, new SellerClient({ baseUrl: url, accessToken }), { site_id });
const rows = outbox.rows();
outbox.close();
rmSync(folder, { recursive: true });
const sent = packs.flatMap((pack) => marketplace.messages.of(pack)).filter(({ from }) => from === user_id);
const counts = Map.groupBy(sent, ({ text }) => text);
const inState = (state: string) => rows.filter((row) => row.state === state);
const figures = {
  kills,
  '... while it worked': hits,
  'jobs: a text, an option, a message with a file': rows.length,
  '... sent': inState('sent').length,
  '... for a person, who is told why': inState('for a person').filter(({ reason }) => reason).length,
};
const faults = {
  '... neither': rows.length - figures['... sent'] - figures['... for a person, who is told why'],
  '... missing': packs.length * 3 - rows.length,
  'messages sent twice': sent.length - counts.size,
  'messages called sent that the service does not have': inState('sent').filter(
    ({ input }) => !counts.has((JSON.parse(input) as { text: string }).text),
  ).length,
};
console.log(page());
// Smaller runs are for trying it out, and for `.ci/run`.
if (process.argv.length === 2) writePart(page());
process.exitCode = Object.values(faults).some(Boolean) || hits < kills / 2 ? 1 : 0;

function start(count: number): ChildProcess {
  const args = [url, accessToken, user_id, site_id, buyer.user_id, database, file, firstPack, count].map(String);
  return fork(here('children/outbox.ts'), args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
}

function page(): string {
  return [
    '## Results of `npm run soak:outbox`',
    '',
    `Written by \`npm run soak:outbox\` on ${new Date().toISOString().slice(0, 10)}, Node ${process.version},`,
    `${process.platform} ${process.arch}, with a load of ${loadavg()[0]?.toFixed(0)} on ${availableParallelism()} cores.`,
    '',
    'The process of `examples/sqlite-outbox.ts` is killed with SIGKILL at a random moment, again and again, until a last one',
    'ends by itself. The service loses one response in ten, breaks one connection in twenty before it acts, and is slow for one',
    `request in five. Seed ${seed}.`,
    '',
    '| | |',
    '| --- | ---: |',
    ...Object.entries({ ...figures, ...faults }).map(([what, count]) => `| ${what} | ${count} |`),
  ].join('\n');
}
