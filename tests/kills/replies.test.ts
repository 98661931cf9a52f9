import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openInbox, sqliteStore } from 'marketplace-seller-sdk/notifications';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { expect, onTestFinished, test } from 'vitest';
import { bundled } from '../support/program.ts';

const kills = 25;

test('the handlers of the guide answer every question and message once, however often their process is killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'replies-'));
  const program = await bundled('tests/kills/reply-process.ts');
  const marketplace = new FakeMarketplace();
  const [seller, buyer] = [marketplace.addUser(), marketplace.addUser()];
  const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
  const server = await marketplace.listen();
  const path = join(folder, 'inbox.db');
  let child: ChildProcess | undefined;
  onTestFinished(async () => {
    child?.kill('SIGKILL');
    await server.close();
    rmSync(folder, { recursive: true });
  });
  const start = async (): Promise<string> => {
    child = spawn(process.execPath, [program, path, server.url, marketplace.tokenFor(seller), String(seller.user_id)]);
    const [port] = (await once(child.stdout!, 'data')) as [Buffer];
    return `http://127.0.0.1:${String(port).trim()}/`;
  };
  const packs: ReturnType<typeof marketplace.addPack>[] = [];
  const waiting: object[] = [];
  let events = 0;
  const deliver = async (url: string, body: object): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const sent = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }).catch(() => undefined);
    if (sent?.status !== 200) waiting.push(body);
  };
  const happen = (): object[] => {
    const pack = marketplace.addPack({ seller_id: seller.user_id, buyer_id: buyer.user_id });
    packs.push(pack);
    const { id } = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
    const question = marketplace.ask({ from: buyer, item_id, text: 'Is it new?' });
    const { user_id } = seller;
    return [
      { user_id, topic: 'messages', resource: id, _id: `e${(events += 1)}` },
      { user_id, topic: 'questions', resource: `/questions/${question.id}`, _id: `e${(events += 1)}` },
    ];
  };
  for (let kill = 0; kill < kills; kill += 1) {
    const url = await start();
    const killed = once(child!, 'exit');
    setTimeout(() => child?.kill('SIGKILL'), 100 + Math.random() * 300);
    for (let round = 0; round < 6; round += 1) {
      const due = [...waiting.splice(0), ...happen()];
      await Promise.all(due.map(async (each) => deliver(url, each)));
      await pause(20);
    }
    await killed;
  }
  const url = await start();
  for (const each of waiting.splice(0)) await deliver(url, each);
  const inbox = openInbox(sqliteStore({ path }));
  const left = async () => {
    const { waiting: waits, running, dead } = await inbox.stats();
    return { left: waits + running, dead };
  };
  await expect.poll(left, { timeout: 40_000, interval: 200 }).toEqual({ left: 0, dead: 0 });
  await inbox.close();
  const client = marketplace.clientFor(seller);
  const answers: number[] = [];
  for (const pack of packs) {
    const written = await client.messages
      .conversation({ pack_id: pack.pack_id!, user_id: seller.user_id, mark_as_read: false })
      .toArray();
    answers.push(written.filter(({ from }) => from?.user_id === seller.user_id).length);
  }
  expect(answers.filter((count) => count !== 1)).toEqual([]);
  const { total } = await client.questions.search({ seller_id: seller.user_id, filters: { status: 'UNANSWERED' } }).pages().next().then(({ value }) => value as { total?: number }); // prettier-ignore
  expect(total).toBe(0);
});
