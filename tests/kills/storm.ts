import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import type { Place } from './answering.ts';

/** What came of a storm. */
export interface Weathered {
  readonly kills: number;
  readonly messages: number;
  readonly unanswered: number;
  /** How often the message ran that ends its process. */
  readonly endings: number;
  /** What was given up, that message included. */
  readonly dead: number;
}

interface Storm {
  /** Whether it goes on after this number of kills. */
  goesOn(kills: number): boolean;
  /** How long a process lives after its start. */
  readonly lifeMs: number;
  readonly leaseMs: number;
  /** Whether each process has also to answer what takes longer than it waits for it, so that it is never idle. @default false */
  readonly isBusy?: boolean;
}

/** One message ends its process by itself, and all processes are killed from outside for some time, one after the other. */
export async function weather(
  program: string,
  place: Place,
  { goesOn, lifeMs, leaseMs, isBusy = false }: Storm,
): Promise<Weathered> {
  const marketplace = new FakeMarketplace();
  const [seller, buyer] = [marketplace.addUser(), marketplace.addUser()];
  const service = await marketplace.listen();
  const { user_id } = seller;
  const args = [
    program,
    place.kind,
    place.where,
    service.url,
    marketplace.tokenFor(seller),
    String(user_id),
    '0',
    String(leaseMs),
  ];
  const packs: ReturnType<FakeMarketplace['addPack']>[] = [];
  let undelivered: object[] = [];
  let [kills, starts, endings, isOver] = [0, 0, 0, false];
  let current: ChildProcess | undefined;

  async function run(): Promise<void> {
    while (!isOver) {
      const child = (current = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] }));
      const gone = once(child, 'exit');
      let said = '';
      child.stdout.on('data', (data: Buffer) => {
        said += String(data);
        if (said.includes('It ends.')) endings += 1;
        if (said.includes('It ends.')) said = '';
      });
      while (!said.includes('\n') && child.exitCode === null && child.signalCode === null) await pause(5);
      if (isBusy) for (let count = 0; count < 3; count += 1) write('Take a while.');
      void deliver(`http://127.0.0.1:${said.trim()}/`);
      if (goesOn(kills)) {
        void pause(lifeMs).then(() => (kills += Number(child.kill('SIGKILL'))));
        write((starts += 1) === 6 ? 'End the process.' : 'When does it leave?');
      }
      await gone;
    }
  }
  function write(text: string): void {
    const pack = marketplace.addPack({ seller_id: user_id, buyer_id: buyer.user_id });
    packs.push(pack);
    const { id } = marketplace.buyerWrites({ pack, text });
    undelivered.push({ user_id, topic: 'messages', resource: id, _id: `m${id}` });
  }
  async function deliver(url: string): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    for (const body of [...undelivered]) {
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }).catch(() => undefined);
      // What is on its way is not delivered yet: the storm is not over.
      if (response?.status === 200) undelivered = undelivered.filter((each) => each !== body);
    }
  }

  const running = run();
  while (goesOn(kills)) await pause(100);
  for (let left = 1; left > 0 || undelivered.length > 0;) {
    await pause(500);
    left = (await place.left()).left;
  }
  isOver = true;
  current?.kill('SIGKILL');
  await running;
  const { dead } = await place.left();
  const unanswered = packs.filter((pack) => marketplace.messages.of(pack).every(({ from }) => from !== user_id)).length;
  await service.close();
  return { kills, messages: packs.length, unanswered, endings, dead };
}
