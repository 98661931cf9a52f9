import { insideOf } from '../core/recover/write-hook.js';
import { checkConfiguration, type Rule } from '../core/options/rules.js';
import { LayoutError, type Shelf } from './store.js';
import { endsWithin } from './timers.js';

/** What a store has noted of the service whose work it keeps. */
interface Noted {
  /** Its base URLs: one, and those that it has moved to. */
  readonly urls: readonly string[];
  /** A seller for whom there was a client: the next process asks for it, too. */
  readonly user_id: number;
}

const name = 'service';
const notedMs = 20 * 365 * 86_400_000;
/** How long the start waits for a client and for what the store has noted, in milliseconds. */
const startMs = 5_000;

/** For how many sellers the start asks for a client, until there is one. */
const mostAsked = 10;

type ClientFor = (user_id: number) => unknown;

/**
 * Keeps the work of two services out of one store: their ids may be equal, and one would be taken for the other. The store notes the base
 * URL of the first client that it sees. Clients that are none of this package have none.
 */
export class ServiceOfStore {
  readonly #store: Pick<Shelf, 'ledger'>;
  readonly #clientFor: ClientFor | undefined;
  #movedFrom: string | undefined;
  #urls: ReadonlySet<string> = new Set();
  #problem: LayoutError | undefined;
  #hasSeen = false;
  /** Called once, when a client of another service was seen. */
  onOther: () => void = () => undefined;

  constructor(store: Pick<Shelf, 'ledger'>, clientFor: ClientFor | undefined) {
    this.#store = store;
    this.#clientFor = clientFor;
  }

  /** Accepts the store of a service that has moved. @throws {ConfigurationError} when an option is unknown or wrong */
  accept(options: { readonly movedFrom?: string | undefined }): void {
    checkConfiguration('start', options, { movedFrom: movedFromRule });
    if (options.movedFrom !== undefined) this.#movedFrom = written(options.movedFrom);
  }

  /** Sees a client. @throws {LayoutError} when the store keeps the work of another service */
  async see(client: unknown, user_id: number): Promise<void> {
    if (this.#problem) throw this.#problem;
    const { baseUrl } = insideOf(client) ?? {};
    this.#hasSeen ||= client !== undefined;
    // A mock, or a client of an earlier version.
    if (baseUrl === undefined) return;
    const url = written(baseUrl);
    while (!this.#urls.has(url)) this.#urls = await this.#noted(url, user_id);
  }

  /** Returns the base URLs of the store, with a new one if it is the first, or the service has moved. */
  async #noted(url: string, user_id: number): Promise<ReadonlySet<string>> {
    const { ledger } = this.#store;
    const text = await ledger.get(name);
    const { urls }: Pick<Noted, 'urls'> = text === undefined ? { urls: [] } : (JSON.parse(text) as Noted);
    if (urls.includes(url)) return new Set(urls);
    if (urls.length > 0 && !urls.includes(this.#movedFrom ?? '')) throw this.#other(urls, url);
    const noted: Noted = { urls: [...urls, url], user_id };
    const isSet = await ledger.replace(name, text, JSON.stringify(noted), notedMs);
    // Another process was faster: it is read again.
    return isSet ? new Set(noted.urls) : this.#urls;
  }

  #other(urls: readonly string[], url: string): LayoutError {
    const known = urls.at(-1) ?? '';
    this.#problem = new LayoutError(
      `The store keeps the work of ${known}, and clientFor returned a client of ${url}: equal ids would be taken for one ` +
        `another; use another store, or, if the service has moved, call start({ movedFrom: '${known}' })`,
    );
    this.onOther();
    return this.#problem;
  }

  /** Sees the client of a seller, unless one was seen. @throws {LayoutError} as `see` does */
  async look(user_id: number): Promise<void> {
    if (this.#problem) throw this.#problem;
    if (this.#hasSeen || !this.#clientFor) return;
    try {
      await this.see((await this.#clientFor(user_id)) ?? undefined, user_id);
    } catch (error) {
      // What else is wrong is told where the client is needed.
      if (error instanceof LayoutError) throw error;
    }
  }

  /**
   * Sees a client of these sellers, or of the one that is noted. What passes, such as a database that is away, is left to those who use it.
   *
   * @throws {LayoutError} as `see` does
   */
  async start(user_ids: () => Promise<Iterable<number>> | Iterable<number> = () => []): Promise<void> {
    if (!this.#clientFor) return;
    try {
      await endsWithin(startMs, this.#lookFor(user_ids));
    } catch (error) {
      if (error instanceof LayoutError) throw error;
    }
  }

  async #lookFor(user_ids: () => Promise<Iterable<number>> | Iterable<number>): Promise<void> {
    for (const user_id of [...(await user_ids())].slice(0, mostAsked)) await this.look(user_id);
    if (this.#hasSeen) return;
    const text = await this.#store.ledger.get(name);
    if (text !== undefined) await this.look((JSON.parse(text) as Noted).user_id);
  }
}

/** A base URL as it is compared: the query and the user of one are no part of it. */
function written(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname.replace(/(?<!\/)\/+$/, '')}`;
}

const movedFromRule: Rule = (value) =>
  typeof value === 'string' && URL.canParse(value) ? undefined : 'takes the base URL that the service had, as a text';
