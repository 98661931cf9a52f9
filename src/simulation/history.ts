import type { FakeMarketplace } from '../testing/marketplace.js';
import type { Names } from './names.js';

/** What a bot has not handled. */
export interface BotStats {
  readonly waiting: number;
  readonly running: number;
  readonly dead: number;
}

/** What has happened in a run, for checks. Times are in milliseconds since 1970, on the clock of the service. */
export interface History {
  readonly seed: number;
  /** What was planned and has happened: questions, sales, messages, kills and the like. */
  readonly events: readonly WorldEvent[];
  /** The calls of the bot, in the order in which they began. */
  readonly calls: readonly SimulatedCall[];
  /** The attempts to deliver notifications. */
  readonly deliveries: readonly SimulatedDelivery[];
  /** Errors that nobody handled. Each ended its process. */
  readonly crashes: readonly Crash[];
  /** The sellers who have revoked the application, and when. */
  readonly revoked: ReadonlyMap<number, number>;
  /** The marketplace at the end. */
  readonly marketplace: FakeMarketplace;
  /** What the bot has counted at the end; absent if it has no `stats`. */
  readonly stats?: BotStats | undefined;
  /** All that has happened, one line each. */
  readonly trace: readonly string[];
  /** The name of a question, sale or message by its id, e.g. `q3`. */
  readonly nameOf: (id: number | string) => string;
}

/** An event of the world. */
export interface WorldEvent {
  readonly name: string;
  readonly at: number;
}

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
export interface SimulatedDelivery {
  /** Such as `notification q3#1`. */
  readonly name: string;
  readonly topic: string;
  /** Such as `/questions/42`. */
  readonly resource: string;
  readonly user_id: number;
  readonly at: number;
  /** The status of the response, or why there is none. */
  readonly outcome: number | 'too slow' | 'unreachable' | 'lost';
}

/** An error that nobody handled. */
export interface Crash {
  readonly start: number;
  readonly at: number;
  readonly message: string;
}

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
    // The address of a start differs from run to run.
    const address = /\bstart\d+\.marketplace\.test\b/g;
    const lines = [...this.#lines];
    const shown = (text: string): string => this.#names.named(text.replace(address, 'marketplace.test'));
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
