import type { Account } from '../testing/state/accounts.js';
import type { MarketplaceEvent } from '../testing/state/events.js';
import type { StoredMessage } from '../testing/state/messages.js';
import type { Pack } from '../testing/state/packs.js';
import type { QuestionMarks, StoredQuestion } from '../testing/state/questions.js';
import type { PlannedDelivery } from '../testing/webhooks/subscription.js';
import { notificationFaults } from './options.js';
import type { PlannedEvent } from './plan.js';
import type { Scene } from './scene.js';

const buyers = 12;
/** The share of the kills that happen during a write. */
const killsInWrites = 0.4;

type State = readonly [text: string, set: (scene: Scene, isOn: boolean) => void];

/** What lasts for a time. */
const states = {
  outage: ['the service answers 503', ({ network }, isOn) => (network.isOut = isOn)] as State,
  offline: ['the bot has no network', ({ network }, isOn) => (network.isOffline = isOn)] as State,
  quota: [
    '20 calls a minute are allowed',
    ({ marketplace }, isOn) => marketplace.rateLimiter.set(isOn ? { perMinute: 20 } : undefined),
  ] as State,
  'slow moderation': ['messages are moderated later', moderateLater] as State,
};

function moderateLater({ marketplace: { messages } }: Scene, isOn: boolean): void {
  messages.moderation = isOn ? 'later' : 'atOnce';
  if (!isOn) messages.moderate();
}

const [paused, released] = ['and the item is paused', 'and the service holds it back'];
/** What keeps a question from being answered that is listed as unanswered. */
const oddities: readonly (readonly [what: string, marks: QuestionMarks])[] = [
  [released, { hold: true }],
  ['and the service holds it back for good', { hold: true }],
  ['and it is taken from the listing', { deleted_from_listing: true }],
  [paused, {}],
];
const [firstId, firstOddId] = [5_000_000_001, 7_000_000_001];

/** Makes the planned events happen. One whose sale or question is left out brings it along, or does nothing. */
export class PlannedEvents {
  readonly #scene: Scene;
  readonly #questions = new Map<string, number>();
  readonly #packs = new Map<string, Pack>();
  readonly #messages = new Map<string, StoredMessage>();
  readonly #buyers: readonly Account[];
  readonly #running = new Map<string, number>();

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#buyers = Array.from({ length: buyers }, () => scene.marketplace.addUser());
  }

  /** Makes an event happen now. */
  happen(event: PlannedEvent): void {
    const text = this.#act(event);
    if (text === undefined) return;
    const { recorder, decisions, world } = this.#scene;
    decisions.happened.push(event.name);
    recorder.event({ name: event.name, at: world.time.now }, text);
  }

  /** @returns what has happened; `undefined` for nothing */
  #act(event: PlannedEvent): string | undefined {
    const { bots } = this.#scene;
    const { kind, lastsMs } = event;
    switch (kind) {
      case 'question':
        return this.#ask(event);
      case 'odd question':
      case 'held question':
        return this.#askOddly(event);
      case 'sale':
        return this.#sell(event.name, event.seller);
      case 'sale change':
        this.#announce(this.#packOf(event.about, event.seller));
        return `something of ${event.about} changes`;
      case 'message':
        return this.#write(event);
      case 'cancellation':
        return this.#cancel(event);
      case 'answer by hand':
        return this.#answer(event);
      case 'message by hand':
        return this.#reply(event);
      case 'kill':
        if (!bots.process?.isAlive) return undefined;
        return this.#kill(event);
      case 'stop':
        if (!bots.process?.isAlive || bots.isStopping) return undefined;
        void bots.stop(lastsMs);
        return `the bot is stopped, for ${seconds(lastsMs)}`;
      case 'revocation':
        return this.#revoke(event);
      default:
        return this.#last(kind, lastsMs);
    }
  }

  /** Two events of a kind may overlap: the state ends with the last. */
  #last(kind: keyof typeof states, lastsMs: number): string {
    const [text, set] = states[kind];
    this.#running.set(kind, (this.#running.get(kind) ?? 0) + 1);
    set(this.#scene, true);
    setTimeout(() => {
      const left = (this.#running.get(kind) ?? 1) - 1;
      this.#running.set(kind, left);
      if (left === 0) set(this.#scene, false);
    }, lastsMs);
    return `${text}, for ${seconds(lastsMs)}`;
  }

  /** Some wait for a write: few of a bot that works by a timer would meet one. */
  #kill({ name, lastsMs }: PlannedEvent): string {
    const { bots, network, decisions, recorder, world } = this.#scene;
    if (decisions.amount(`moment of ${name}`) >= killsInWrites) {
      bots.kill(lastsMs);
      return `the bot is killed, for ${seconds(lastsMs)}`;
    }
    network.duringNextWrite = () => {
      recorder.line(world.time.now, 'the bot is killed');
      bots.kill(lastsMs);
    };
    return `the bot will be killed during its next write, for ${seconds(lastsMs)}`;
  }

  #buyerOf(name: string): Account {
    return nth(this.#buyers, Math.floor(this.#scene.decisions.amount(`buyer of ${name}`) * buyers));
  }

  #ask(
    { name, seller }: PlannedEvent,
    { item_id } = nth(this.#scene.items, seller),
    marks: QuestionMarks = {},
  ): string {
    const { marketplace, names, sellers } = this.#scene;
    const from = this.#buyerOf(name);
    const ask = (): StoredQuestion => marketplace.ask({ from, item_id, text: `Is it in stock? (${name})`, ...marks });
    const asked = names.creating(name, ask, ({ id }) => [id]);
    this.#questions.set(name, asked.id);
    return `${from.nickname} asks ${nth(sellers, seller).nickname}`;
  }

  /** One that the list of unanswered questions has, and whose answer is rejected, for a time or for good. */
  #askOddly(event: PlannedEvent): string {
    const { marketplace, decisions, sellers } = this.#scene;
    const item = marketplace.addItem({ seller_id: nth(sellers, event.seller).user_id });
    const chosen = Math.floor(decisions.amount(`oddity of ${event.name}`) * oddities.length);
    const [what, marks] = nth(oddities, event.isReleased ? 0 : chosen);
    // The ids of other questions stay what they would be without it: those that are taken are skipped.
    marketplace.nextIds({ question_id: firstOddId });
    const asked = this.#ask(event, item, marks);
    marketplace.nextIds({ question_id: firstId });
    if (what === paused) marketplace.items.change(item.item_id, { status: 'paused' });
    if (what !== released) return `${asked}, ${what}`;
    const id = this.#questions.get(event.name) ?? 0;
    setTimeout(() => marketplace.questions.release(id), event.lastsMs);
    return `${asked}, ${what} for ${seconds(event.lastsMs)}`;
  }

  #sell(name: string, seller: number): string {
    const { marketplace, names, sellers } = this.#scene;
    const [{ user_id: seller_id, nickname }, buyer] = [nth(sellers, seller), this.#buyerOf(name)];
    const sell = (): Pack => marketplace.addPack({ seller_id, buyer_id: buyer.user_id });
    const pack = names.creating(name, sell, ({ pack_id, order_ids }) => [pack_id ?? 0, ...order_ids]);
    this.#packs.set(name, pack);
    return `${buyer.nickname} buys from ${nickname}`;
  }

  #packOf(sale: string, seller: number): Pack {
    const known = this.#packs.get(sale);
    if (known) return known;
    this.#sell(sale, seller);
    return this.#packOf(sale, seller);
  }

  #write({ name, about, seller }: PlannedEvent): string | undefined {
    const { marketplace, names } = this.#scene;
    const pack = marketplace.packs.getOrThrow(this.#packOf(about, seller).pack_id ?? 0);
    if (pack.blockedBy !== null) return undefined;
    const text = `Where is my parcel? (${name})`;
    const write = (): StoredMessage => marketplace.buyerWrites({ pack, text });
    this.#messages.set(
      name,
      names.creating(name, write, ({ id }) => [id]),
    );
    return `the buyer of ${about} writes`;
  }

  #cancel({ about, seller }: PlannedEvent): string {
    const pack = this.#packOf(about, seller);
    this.#scene.marketplace.packs.change(pack, { blockedBy: 'blocked_by_cancelled_order' });
    this.#announce(pack);
    return `${about} is cancelled`;
  }

  #announce({ order_ids, seller_id: user_id }: Pack): void {
    for (const id of order_ids)
      this.#scene.marketplace.events.emit({ topic: 'orders_v2', resource: `/orders/${id}`, user_id });
  }

  #answer({ about }: PlannedEvent): string | undefined {
    const { questions } = this.#scene.marketplace;
    const id = this.#questions.get(about);
    if (id === undefined || questions.statusOf(questions.getOrThrow(id)) !== 'UNANSWERED') return undefined;
    questions.answer(id, 'A person of the team answers: yes.');
    return `a person of the team answers ${about}`;
  }

  #reply({ about, seller }: PlannedEvent): string | undefined {
    const { marketplace, sellers } = this.#scene;
    const message = this.#messages.get(about);
    if (!message || marketplace.packs.getOrThrow(message.pack).blockedBy !== null) return undefined;
    const text = 'A person of the team writes: it is on its way.';
    marketplace.messages.add(marketplace.packs.getOrThrow(message.pack), {
      from: nth(sellers, seller).user_id,
      text,
    });
    return `a person of the team replies to ${about}`;
  }

  #revoke({ seller }: PlannedEvent): string {
    const { marketplace, sellers, recorder, world } = this.#scene;
    const account = nth(sellers, seller);
    marketplace.accounts.endGrant(account);
    recorder.revoked.set(account.user_id, world.time.now);
    return `${account.nickname} revokes the application`;
  }

  /** The quiet day: no fault begins any more, and somebody has switched the topics on again. */
  calmDown(): void {
    const { decisions, marketplace, bots, network } = this.#scene;
    decisions.isCalm = true;
    network.duringNextWrite = undefined;
    for (const subscription of marketplace.notifications.subscriptions)
      for (const topic of topics) subscription.enable(topic);
    bots.begin();
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}

function nth<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new RangeError(`There is no entry ${index}`);
  return found;
}

/** The topics of the bot. */
const topics: readonly string[] = ['questions', 'messages', 'orders_v2'];
const longestDelayMs = 600_000;
/** When the service lists what it has not delivered, at the latest, in milliseconds. */
const longestListingMs = 5_400_000;
const tripMs = 10;

/** Subscribes the bot. The fake's own service posts the notifications: its retries and switched-off topics are real. */
export function subscribe(scene: Scene): void {
  const { marketplace, sellers, network, bots, names, recorder, world } = scene;
  const { notifications } = marketplace;
  const namesOf = new Map<MarketplaceEvent, string>();
  const subscription = notifications.subscribe({
    topics,
    user_ids: sellers.map(({ user_id }) => user_id),
    callback: async (request) => {
      await world.wait(tripMs);
      if (network.isOffline) throw new TypeError('connect ETIMEDOUT');
      return bots.deliver(request);
    },
    faults: (event) => {
      const name = names.numbered(`notification ${names.of(event.resource)}`);
      namesOf.set(event, name);
      return plannedDelivery(scene, event, name);
    },
  });
  const off = new Set<string>();
  const noteTopic = (topic: string): void => {
    if (subscription.topics.has(topic)) off.delete(topic);
    else if (!off.has(topic)) {
      off.add(topic);
      recorder.line(
        world.time.now,
        `the service has switched off the topic ${topic}: three notifications in a row got no 200 in eight attempts`,
      );
    }
  };
  notifications.onAttempt(() => {
    const attempt = notifications.attempts.at(-1);
    const name = attempt && namesOf.get(attempt.event);
    if (!attempt || name === undefined) return;
    const { event, outcome } = attempt;
    recorder.delivery({ ...event, name, at: world.time.now, outcome });
    // The service decides after it has told of the attempt.
    queueMicrotask(() => noteTopic(event.topic));
  });
}

function plannedDelivery({ decisions, recorder, time }: Scene, event: MarketplaceEvent, name: string): PlannedDelivery {
  const fault = decisions.choose(name, notificationFaults);
  if (fault === 'lost') recorder.delivery({ ...event, name, at: time.now, outcome: 'lost' });
  const lateMs = fault === 'late' ? Math.round(decisions.amount(name) * longestDelayMs) : 0;
  // Of those that are lost, half are listed at once, and half later.
  const listedAfterMs = Math.max(0, Math.round((2 * decisions.amount(`listing of ${name}`) - 1) * longestListingMs));
  return { lateMs, twice: fault === 'twice', lost: fault === 'lost', listedAfterMs };
}
