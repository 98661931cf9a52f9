import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { fc } from '../support/fast-check.ts';
import { seed } from '../support/seed.ts';

/** Where the processes keep their notifications, and how to see what is left of them. */
export interface Place {
  readonly kind: 'sqlite' | 'postgres' | 'bullmq';
  /** A file, a connection string, or a socket of Redis. */
  readonly where: string;
  /** How many notifications wait or run, and how many were given up. */
  left(): Promise<{ readonly left: number; readonly dead: number }>;
}

/** What came of a run. */
export interface Answers {
  readonly kills: number;
  readonly questions: number;
  readonly messages: number;
  /** Messages with more than one answer. The service takes only one answer to a question. */
  readonly doubled: number;
  readonly unanswered: number;
  readonly dead: number;
}

/** What makes a run harder. */
export interface Mixture {
  /** How far the clock of the first process is ahead, in milliseconds. @default 0 */
  readonly aheadMs?: number | undefined;
  /** Whether moderation rejects each second answer to a message, and the service loses and delays responses. @default false */
  readonly rejects?: boolean | undefined;
}

type Pack = ReturnType<FakeMarketplace['addPack']>;

/** How many processes share the work. One is killed at a time, and replaced. */
const processes = 3;

/** Sellers are asked and written to while the processes that answer are killed, again and again. Then all is counted. */
export class Answering {
  readonly #program: string;
  readonly #place: Place;
  readonly #marketplace = new FakeMarketplace();
  readonly #seller = this.#marketplace.addUser();
  readonly #buyer = this.#marketplace.addUser();
  readonly #item = this.#marketplace.addItem({ seller_id: this.#seller.user_id });
  readonly #children: ChildProcess[] = [];
  readonly #urls: string[] = [];
  /** How many messages the buyer has written in each pack. */
  readonly #packs = new Map<Pack, number>();
  /** What no process has acknowledged yet. */
  readonly #undelivered: object[] = [];
  #questions = 0;
  #service: { readonly url: string; close(): Promise<void> } | undefined;

  readonly #mixture: Mixture;

  constructor(program: string, place: Place, mixture: Mixture = {}) {
    this.#program = program;
    this.#place = place;
    this.#mixture = mixture;
    if (!mixture.rejects) return;
    const { send } = endpoints.messages;
    this.#marketplace.faults.inject({ endpoint: send, reset: 'after', probability: 0.1, seed });
    this.#marketplace.faults.inject({ endpoint: send, reset: 'before', probability: 0.05, seed: seed + 1 });
    this.#marketplace.faults.inject({ endpoint: send, delayMs: 300, probability: 0.3, seed: seed + 2 });
  }

  async run(kills: number): Promise<Answers> {
    this.#service = await this.#marketplace.listen();
    for (let index = 0; index < processes; index += 1) await this.#start(index);
    const delays = fc.sample(fc.integer({ min: 50, max: 350 }), { seed, numRuns: kills });
    for (const [kill, delayMs] of delays.entries()) await this.#killOnce(kill % processes, delayMs);
    await this.#deliver(() => this.#undelivered.length > 0);
    return this.#count(kills);
  }

  async close(): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL');
    await this.#service?.close();
  }

  async #start(index: number): Promise<void> {
    const { kind, where } = this.#place;
    const { user_id } = this.#seller;
    const token = this.#marketplace.tokenFor(this.#seller);
    const args = [
      this.#program,
      kind,
      where,
      this.#service?.url ?? '',
      token,
      String(user_id),
      String(index === 0 ? (this.#mixture.aheadMs ?? 0) : 0),
    ];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#children[index] = child;
    const [port] = (await once(child.stdout, 'data')) as [Buffer];
    this.#urls[index] = `http://127.0.0.1:${String(port).trim()}/`;
  }

  async #killOnce(index: number, delayMs: number): Promise<void> {
    const child = this.#children[index];
    if (!child) return;
    const gone = once(child, 'exit');
    setTimeout(() => child.kill('SIGKILL'), delayMs);
    let rounds = 0;
    await this.#deliver(() => (rounds += 1) <= 6 && this.#happen());
    await gone;
    await this.#start(index);
  }

  /** A buyer asks, and writes in a new pack and once more in an earlier one. */
  #happen(): true {
    const { user_id } = this.#seller;
    const [older] = [...this.#packs.keys()].slice(-3);
    const pack = this.#marketplace.addPack({ seller_id: user_id, buyer_id: this.#buyer.user_id });
    for (const each of older && this.#packs.get(older) === 1 ? [pack, older] : [pack]) {
      const text = this.#mixture.rejects && this.#packs.size % 2 === 1 ? 'Call me.' : 'When does it leave?';
      const { id } = this.#marketplace.buyerWrites({ pack: each, text });
      this.#packs.set(each, (this.#packs.get(each) ?? 0) + 1);
      this.#undelivered.push({ user_id, topic: 'messages', resource: id, _id: `m${id}` });
    }
    const { item_id } = this.#item;
    const { id } = this.#marketplace.ask({ from: this.#buyer, item_id, text: 'Is it new?' });
    this.#questions += 1;
    this.#undelivered.push({ user_id, topic: 'questions', resource: `/questions/${id}`, _id: `q${id}` });
    return true;
  }

  /** Delivers as the service does: again whatever was not acknowledged. */
  async #deliver(goesOn: () => boolean): Promise<void> {
    while (goesOn()) {
      const due = this.#undelivered.splice(0);
      await Promise.all(due.map(async (body, index) => this.#post(this.#urls[index % processes] ?? '', body)));
      await pause(20);
    }
  }

  async #post(url: string, body: object): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }).catch(() => undefined);
    if (response?.status !== 200) this.#undelivered.push(body);
  }

  async #count(kills: number): Promise<Answers> {
    let state = await this.#place.left();
    for (; state.left > 0; state = await this.#place.left()) await pause(200);
    const client = this.#marketplace.clientFor(this.#seller);
    const { user_id } = this.#seller;
    const counts = { doubled: 0, unanswered: 0 };
    for (const [{ pack_id }, written] of this.#packs) {
      const found = await client.messages.conversation({ pack_id: pack_id!, user_id, mark_as_read: false }).toArray();
      const answers = found.filter(({ from }) => from?.user_id === user_id).length;
      counts.doubled += Math.max(0, answers - written);
      counts.unanswered += Math.max(0, written - answers);
    }
    counts.unanswered += this.#marketplace.questions.all.filter(({ answer }) => !answer).length;
    const messages = [...this.#packs.values()].reduce((sum, each) => sum + each, 0);
    return { kills, questions: this.#questions, messages, ...counts, dead: state.dead };
  }
}
