import type { FakeMarketplace } from '../testing/marketplace.js';

/** Replaces the address of a start, which differs from run to run, by that of the service. */
export function ofAnyStart(text: string): string {
  return text.replace(/\bstart\d+\.marketplace\.test\b/g, 'marketplace.test');
}

/** What a bot has not handled. */
export type BotStats = NonNullable<History['stats']>;

/** What has happened in a run, for checks. Times are in milliseconds since 1970, on the clock of the service. */
export interface History {
  readonly seed: number;
  /** What was planned and has happened: questions, sales, messages, kills and the like. */
  readonly events: readonly {
    readonly name: string;
    readonly at: number;
  }[];
  /** The calls of the bot, in the order in which they began. */
  readonly calls: readonly SimulatedCall[];
  /** The attempts to deliver notifications. */
  readonly deliveries: readonly {
    /** Such as `notification q3#1`. */
    readonly name: string;
    readonly topic: string;
    /** Such as `/questions/42`. */
    readonly resource: string;
    readonly user_id: number;
    readonly at: number;
    /** The status of the response, or why there is none. */
    readonly outcome: number | 'too slow' | 'unreachable' | 'lost';
  }[];
  /** Errors that nobody handled. Each ended its process. */
  readonly crashes: readonly {
    readonly start: number;
    readonly at: number;
    readonly message: string;
  }[];
  /** The sellers who have revoked the application, and when. */
  readonly revoked: ReadonlyMap<number, number>;
  /** The marketplace at the end. */
  readonly marketplace: FakeMarketplace;
  /** What the bot has counted at the end; absent if it has no `stats`. */
  readonly stats?:
    | {
        readonly waiting: number;
        readonly running: number;
        readonly dead: number;
      }
    | undefined;
  /** All that has happened, one line each. */
  readonly trace: readonly string[];
  /** The name of a question, sale or message by its id, e.g. `q3`. */
  readonly nameOf: (id: number | string) => string;
}

/** An event of the world. */
export type WorldEvent = History['events'][number];

/** A call of the bot. */
export interface SimulatedCall {
  /** Such as `POST /answers q3#2`. */
  readonly name: string;
  /** The number of the start of the bot that has made it. */
  readonly start: number;
  /** The user of its token, also of one that is revoked; absent without a token. */
  readonly user_id?: number | undefined;
  readonly method: string;
  readonly path: string;
  /** The JSON value of the body, or its text. */
  readonly body: unknown;
  readonly at: number;
  /** The fault, e.g. `response lost`. */
  readonly fault?: string | undefined;
  /** Whether the service has carried it out. */
  readonly isCarriedOut: boolean;
  /** When the bot had its response; absent when it never had one. */
  readonly receivedAt?: number | undefined;
  /** The status that the bot has received. */
  readonly status?: number | undefined;
  /** The JSON value that the bot has received. */
  readonly response?: unknown;
}

/** An attempt to deliver a notification. */
export type SimulatedDelivery = History['deliveries'][number];

/** An error that nobody handled. */
export type Crash = History['crashes'][number];

/** A call while it is written down. */
export type RecordedCall = { -readonly [Key in keyof SimulatedCall]: SimulatedCall[Key] };

interface Line {
  readonly at: number;
  readonly text: () => string;
}

/** Writes down what happens. */
export class Recorder {
  readonly events: WorldEvent[] = [];
  readonly calls: RecordedCall[] = [];
  readonly deliveries: SimulatedDelivery[] = [];
  readonly crashes: Crash[] = [];
  readonly revoked = new Map<number, number>();
  readonly #lines: Line[] = [];
  readonly #startedAt: number;
  readonly #names: Names;
  #endsAt = Infinity;

  constructor(startedAt: number, names: Names) {
    this.#startedAt = startedAt;
    this.#names = names;
  }

  line(at: number, text: string | (() => string)): void {
    this.#lines.push({ at, text: typeof text === 'string' ? () => text : text });
  }

  /** The run ends: the bot is stopped, and what is under way is no fault. */
  end(at: number): void {
    this.#endsAt = at;
    this.line(at, 'the simulation ends, and stops the bot');
  }

  event(event: WorldEvent, text: string): void {
    this.events.push(event);
    this.line(event.at, `${event.name}: ${text}`);
  }

  call(call: RecordedCall): void {
    this.calls.push(call);
    this.line(call.at, () => `${call.name}: ${this.#endOf(call)}`);
  }

  delivery(delivery: SimulatedDelivery): void {
    this.deliveries.push(delivery);
    this.line(delivery.at, `${delivery.name}: ${delivery.outcome}`);
  }

  crash(crash: Crash): void {
    this.crashes.push(crash);
    this.line(crash.at, `bot ${crash.start} ended with an error that nobody handled: ${crash.message}`);
  }

  /** Returns what writes out all that has happened until now: most runs pass, and nobody reads it. */
  traced(): () => string[] {
    const lines = [...this.#lines];
    const shown = (text: string): string => this.#names.named(ofAnyStart(text));
    return () => lines.map(({ at, text }) => `${clockText(at - this.#startedAt)}  ${shown(text())}`);
  }

  #endOf({ at, receivedAt, status, fault, isCarriedOut }: RecordedCall): string {
    const done = isCarriedOut ? 'carried out' : 'not carried out';
    if (receivedAt === undefined && at > this.#endsAt - longestCallMs) return `${done} when the simulation ended`;
    if (receivedAt === undefined) return `${done}, ${fault ?? 'nobody received the response'}`;
    const result = status === undefined ? `${done}, ${fault ?? 'no response'}` : `${status}`;
    const cause = fault !== undefined && status !== undefined ? ` (${fault}, ${done})` : '';
    return `${result}${cause} after ${Math.round(receivedAt - at)} ms`;
  }
}

/** How long a call on the quiet day may take. */
const longestCallMs = 1000;

/** `day 1 09:31:22.104` */
export function clockText(ms: number): string {
  const [day, time] = [Math.floor(ms / 86_400_000) + 1, new Date(ms % 86_400_000).toISOString().slice(11, 23)];
  return `day ${day} ${time}`;
}

/** Gives everything a name that holds no id and stays the same when something else is left out. */
export class Names {
  readonly #byId = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  #expected: string | undefined;

  /** Runs what creates a thing; an unknown id that is asked for meanwhile is that of the thing. */
  creating<T>(name: string, create: () => T, idsOf: (created: T) => readonly (number | string)[]): T {
    this.#expected = name;
    const created = create();
    this.#expected = undefined;
    for (const id of idsOf(created)) this.give(id, name);
    return created;
  }

  give(id: number | string, name: string): void {
    this.#byId.set(String(id), name);
  }

  /** The name of a question, sale or message by its id or path. */
  of(idOrPath: number | string): string {
    const id = String(idOrPath).replace(/^.*\//, '');
    if (!this.#byId.has(id) && this.#expected !== undefined) this.give(id, this.#expected);
    return this.#byId.get(id) ?? '?';
  }

  /** A text with names in place of the ids in it. */
  named(text: string): string {
    return text.replace(/\w{7,}/g, (token) => this.#byId.get(token) ?? token);
  }

  /** A name that was used before gets a number. */
  numbered(name: string): string {
    const number = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, number);
    return `${name}#${number}`;
  }

  /** The name of a call, such as `POST /answers q3#2`. */
  ofCall({ method, path, query, body, seller }: CallParts): string {
    const known = (text: string): string[] => (text.match(/\w{7,}/g) ?? []).filter((token) => this.#byId.has(token));
    const about = new Set(known(`${path} ${query} ${body}`).map((id) => this.#byId.get(id)));
    const fixed = path.split('/').filter((part) => !this.#byId.has(part) && !/\d/.test(part));
    const subject = about.size > 0 ? [...about].join(' ') : seller;
    return this.numbered(`${method} ${fixed.join('/') || '/'}${subject === '' ? '' : ` ${subject}`}`);
  }

  /** The name of a call that does not go to the marketplace: what its text is about, as in `Is it in stock? (q3)`. */
  ofOutside(call: string, text: string): string {
    const named = [...text.matchAll(/\(([qxm]\d[\d.]*b?)\)/g)].map(([, name]) => name);
    return this.numbered([call, ...new Set(named)].join(' '));
  }
}

/** What the name of a call is made of. */
interface CallParts {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
  /** The name of the seller whose token it has, or nothing. */
  readonly seller: string;
}
