import { createRandom } from '../testing/random.js';
import { callFaults, notificationFaults, sharesOf, usualLoad } from './options.js';
import type { DailyLoad, FaultShares, SimulationOptions } from './options.js';

/** What happens at a time, whatever the bot does. */
export interface PlannedEvent {
  /** Such as `q3`, the third question, or `m5.1b`, the one that follows the first message of the fifth sale. */
  readonly name: string;
  readonly kind: EventKind;
  /** In milliseconds since the beginning. */
  readonly at: number;
  /** The seller: 0 for the first. */
  readonly seller: number;
  /** The sale or question that it is about. */
  readonly about: string;
  /** How long it lasts, in milliseconds: an outage, or the time until the bot starts again. */
  readonly lastsMs: number;
  /** Whether a question is one that is held back and released. */
  readonly isReleased?: boolean | undefined;
}

type EventKind =
  | 'question'
  | 'sale'
  | 'sale change'
  | 'message'
  | 'cancellation'
  | 'answer by hand'
  | 'message by hand'
  | 'odd question'
  | 'held question'
  | keyof typeof disturbances;

interface PlanInit {
  readonly seed: number;
  readonly days: number;
  readonly sellers: number;
  readonly load: DailyLoad;
  readonly shares: FaultShares;
}

export const dayMs = 86_400_000;
const minuteMs = 60_000;

/** What disturbs a day: the name of its share, and how long it lasts, at least and at most. */
const disturbances = {
  kill: ['kills', 1000, 10 * minuteMs],
  stop: ['stops', 1000, 2 * minuteMs],
  outage: ['outages', 1000, 20 * minuteMs],
  offline: ['offline', minuteMs, 120 * minuteMs],
  quota: ['quotas', minuteMs, 20 * minuteMs],
  'slow moderation': ['slowModeration', minuteMs, 30 * minuteMs],
  revocation: ['revocations', 0, 0],
} as const;

/** Draws what will happen, before anything runs. Each kind has random numbers of its own. */
export function planOf(options: SimulationOptions, seed: number): PlannedEvent[] {
  const { days = 1, load: aDay = {}, sellers = 2 } = options;
  const init = { seed, days, sellers, load: aDay, shares: sharesOf(options) };
  const load = loadOf(init);
  const near = (random: () => number): number => nearOneOf(load, random) ?? random() * init.days * dayMs;
  const disturbing = Object.entries(disturbances).flatMap(([kind, [share, ...lastsMs]]) =>
    drawn(init, kind as EventKind, init.shares[share], near, lastsMs),
  );
  return [...load, ...oddQuestionsOf(init), ...changesOf(init, load), ...disturbing].sort((a, b) => a.at - b.at);
}

/** Questions that no answer reaches, or only later: one to sixteen others, and from a stream of their own, so that no other moves. */
function oddQuestionsOf(init: PlanInit): PlannedEvent[] {
  const { questions } = { ...usualLoad, ...init.load };
  const lastsMs = [minuteMs, 120 * minuteMs] as const;
  // One of the default day is held back and released, whatever the seed: bots forget those.
  const held = drawn(init, 'held question', Math.floor(questions / usualLoad.questions), undefined, lastsMs);
  return [
    ...drawn(init, 'odd question', questions / 16, undefined, lastsMs),
    ...held.map((event) => ({ ...event, kind: 'odd question' as const, isReleased: true })),
  ];
}

/** The service announces an order again when something of it changes, such as its shipment. */
function changesOf(init: PlanInit, load: readonly PlannedEvent[]): PlannedEvent[] {
  const sold = load.filter(({ kind }) => kind === 'sale');
  return aboutOne(init, 'sale change', sold.length / 2 / init.days, sold, 360 * minuteMs).filter(
    ({ at }) => at < init.days * dayMs,
  );
}

function loadOf(init: PlanInit): PlannedEvent[] {
  const { questions, sales, messages, cancellations, byHand } = { ...usualLoad, ...init.load };
  const [asked, sold] = [drawn(init, 'question', questions), drawn(init, 'sale', sales)];
  const written = messagesOf(init, messages, sold);
  const cancelled = aboutOne(init, 'cancellation', cancellations, sold, 360 * minuteMs);
  const answered = aboutOne(init, 'answer by hand', byHand / 2, asked, 2 * minuteMs);
  const replied = aboutOne(init, 'message by hand', byHand / 2, written, 2 * minuteMs);
  return [...asked, ...sold, ...written, ...cancelled, ...answered, ...replied].filter(
    ({ at }) => at < init.days * dayMs,
  );
}

const prefixes: Readonly<Partial<Record<EventKind, string>>> = {
  question: 'q',
  'odd question': 'x',
  'held question': 'h',
  sale: 's',
  'answer by hand': 'answer by hand ',
  'message by hand': 'message by hand ',
};

/** Events of one kind: this many a day, and one more with the probability that is left. */
function drawn(
  { seed, days, sellers }: PlanInit,
  kind: EventKind,
  aDay = 0,
  at: (random: () => number) => number = (random) => random() * days * dayMs,
  [shortest, longest]: readonly [number, number] = [0, 0],
): PlannedEvent[] {
  const random = createRandom(hashOf(seed, kind));
  const count = Math.floor(aDay * days + random());
  const each = Array.from({ length: count }, () => {
    // Most last a short time.
    const lastsMs = Math.round(shortest + (longest - shortest) * random() ** 2);
    return { kind, at: Math.round(at(random)), seller: Math.floor(random() * sellers), about: '', lastsMs };
  });
  const inOrder = each.sort((a, b) => a.at - b.at);
  return inOrder.map((event, index) => ({ ...event, name: `${prefixes[kind] ?? `${kind} `}${index + 1}` }));
}

/** Messages of the buyers: `m5.1`, and every third time `m5.1b` within seconds. */
function messagesOf(init: PlanInit, aDay: number, sales: readonly PlannedEvent[]): PlannedEvent[] {
  const random = createRandom(hashOf(init.seed, 'message'));
  const counts = new Map<string, number>();
  return aboutOne(init, 'message', (aDay * 3) / 4, sales, 180 * minuteMs).flatMap((event) => {
    const number = (counts.get(event.about) ?? 0) + 1;
    counts.set(event.about, number);
    const message = { ...event, name: `m${event.about.slice(1)}.${number}` };
    const soon = { ...message, name: `${message.name}b`, at: event.at + Math.round(200 + random() * 4000) };
    return random() < 1 / 3 ? [message, soon] : [message];
  });
}

/** Events that follow another one within a time. */
function aboutOne(
  init: PlanInit,
  kind: EventKind,
  aDay: number,
  others: readonly PlannedEvent[],
  withinMs: number,
): PlannedEvent[] {
  const random = createRandom(hashOf(init.seed, `about ${kind}`));
  return drawn(init, kind, others.length > 0 ? aDay : 0)
    .map((event) => {
      const other = others[Math.floor(random() * others.length)];
      const at = (other?.at ?? 0) + Math.round(random() ** 2 * withinMs);
      return { ...event, at, seller: other?.seller ?? 0, about: other?.name ?? '' };
    })
    .sort((a, b) => a.at - b.at);
}

/** In six of ten cases, within 2.5 s after an event: most faults that matter need one there. */
function nearOneOf(events: readonly PlannedEvent[], random: () => number): number | undefined {
  const event = events[Math.floor(random() * events.length)];
  return random() < 0.6 && event ? event.at + random() * 2500 : undefined;
}

/** What may happen to one call or notification, and the name of its share. */
type Kinds<Kind extends string> = Readonly<Record<Kind, keyof FaultShares>>;

const kinds = [...Object.keys(callFaults), ...Object.keys(notificationFaults)];

/** Whether a name can be that of a fault: which of them occur depends on the calls of the bot. */
export function isFault(name: string): boolean {
  return kinds.some((kind) => name.endsWith(`: ${kind}`));
}

/** Decides which faults occur: by a hash of the seed and the name, so that leaving one out moves no other. */
export class Decisions {
  /** After the load no fault occurs any more. */
  isCalm = false;
  /** The names of the events and faults that have occurred, in order. */
  readonly happened: string[] = [];
  readonly #seed: number;
  readonly #shares: FaultShares;
  readonly #only: ReadonlySet<string> | undefined;

  constructor(seed: number, shares: FaultShares, only: ReadonlySet<string> | undefined) {
    this.#seed = seed;
    this.#shares = shares;
    this.#only = only;
  }

  /** Whether a planned event happens. */
  includes(name: string): boolean {
    return this.#only?.has(name) ?? true;
  }

  /** Chooses what happens to a call or a notification. */
  choose<Kind extends string>(name: string, shareOf: Kinds<Kind>): Kind | undefined {
    if (this.isCalm) return undefined;
    const all = Object.keys(shareOf) as Kind[];
    let left = chance(this.#seed, name);
    const kind = all.find((each) =>
      this.#only ? this.#only.has(`${name}: ${each}`) : (left -= this.#shares[shareOf[each]] ?? 0) < 0,
    );
    if (kind !== undefined) this.happened.push(`${name}: ${kind}`);
    return kind;
  }

  /** A number from 0 to 1 that belongs to a name. */
  amount(name: string): number {
    return chance(this.#seed, `amount of ${name}`);
  }
}

/** A number from 0 to 1 that a seed and a name decide: the same for the same two, whatever else happens. */
function chance(seed: number, name: string): number {
  return hashOf(seed, name) / 2 ** 32;
}

/** A whole number of 32 bits that a seed and a name decide (FNV-1a, mixed as in MurmurHash3). */
export function hashOf(seed: number, name: string): number {
  let hash = (0x811c9dc5 ^ Math.imul(seed | 0, 0x9e3779b1)) >>> 0;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
