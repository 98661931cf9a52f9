import { ApiError } from '../core/errors/response-errors.js';
import type { Endpoint } from '../core/operation/endpoint.js';
import { array, integer, int64, looseObject, nullish, optional, string, unknown } from '../core/schema/define.js';
import type { Output } from '../core/schema/schema.js';
import { isOfToken } from '../work/policy.js';
import { describeFailure } from '../work/log.js';
import { addEntry, type InboxContext } from './context.js';
import { isHandled, KnownSellers } from './door.js';
import { newEntry, isReadReceipt, parseNotification, type Notification } from './notification.js';
import { StoreFullError } from './errors.js';
import type { NotificationClient } from './handling/read-notification.js';

const listParams = looseObject({ app_id: int64, topic: optional(string), offset: integer });
const listResponse = looseObject({ messages: nullish(array(unknown)) });

/** The notifications of the last two days that the service could not deliver. It is not part of the specification. */
const missedFeeds: Endpoint<Output<typeof listParams>, Output<typeof listResponse>> = {
  name: 'missedFeeds.list',
  method: 'GET',
  path: '/missed_feeds',
  input: listParams,
  output: listResponse,
  retry: 'safe',
  errors: [],
};

/** How long it is known that an entry of the list was added, in milliseconds: longer than the service lists it. */
const listedMs = 3 * 86_400_000;
/** How long the application is known of which a notification came last, in milliseconds. */
const applicationMs = 90 * 86_400_000;
const application = 'application';

type ClientOf = (user_id: number) => Promise<NotificationClient | undefined>;

/** What was added of a list, and whose entries were not. */
interface Added {
  found: number;
  added: number;
  readonly failed: { readonly user_id: number; readonly error: unknown }[];
}

/** One list of an application: of a topic, or of all. */
interface MissedList {
  readonly app_id: number | string;
  readonly topic: string | undefined;
  readonly user_ids: ReadonlySet<number>;
  readonly clientOf: ClientOf;
}

/** Adds what the service lists as missed: of the topics that this process has handlers for, and of all sellers at once. */
export class MissedNotifications {
  readonly #context: InboxContext;
  readonly #sellers: KnownSellers;
  /** The application of the last notification. */
  #last: string | undefined;
  /** The seller whose token may read the list. */
  #reader: number | undefined;

  constructor(context: InboxContext) {
    this.#context = context;
    this.#sellers = new KnownSellers(context);
  }

  /** A notification was accepted: it names the application. Other processes of the store know it too. */
  async note({ application_id }: Pick<Notification, 'application_id'>): Promise<void> {
    if (application_id === undefined || application_id === null || String(application_id) === this.#last) return;
    this.#last = String(application_id);
    const { ledger, durable } = this.#context.store;
    const known = await this.#lastOfOthers().catch(() => undefined);
    if (durable) await ledger.replace(application, known, this.#last, applicationMs).catch(() => false);
  }

  /** Adds what sellers missed. */
  async add(user_ids: ReadonlySet<number>, clientOf: ClientOf): Promise<Added> {
    const { options, reporter } = this.#context;
    const total: Added = { found: 0, added: 0, failed: [] };
    const app_id = options.application_id ?? this.#last ?? (await this.#lastOfOthers());
    if (app_id === undefined) {
      reporter.informedOnce(
        `The list of missed notifications is read once a notification has come: or pass \`application_id\``,
      );
      return total;
    }
    for (const topic of this.#topics) await this.#addOf({ app_id, topic, user_ids, clientOf }, total);
    return total;
  }

  /** What an earlier process was told, or another one. */
  async #lastOfOthers(): Promise<string | undefined> {
    const { durable, ledger } = this.#context.store;
    return durable ? ledger.get(application) : undefined;
  }

  async #addOf(of: MissedList, total: Added): Promise<void> {
    const full = new Map<number, StoreFullError>();
    try {
      for await (const listed of this.#pages(of))
        for (const notification of listed.flatMap((each) => notificationOf(each) ?? [])) {
          const isNew = await this.#addOne(notification, of.user_ids).catch((error: unknown) => {
            if (!(error instanceof StoreFullError)) throw error;
            full.set(notification.user_id, error);
          });
          if (isNew !== undefined) total.found += 1;
          if (isNew) total.added += 1;
        }
    } catch (error) {
      total.failed.push({ user_id: this.#reader ?? [...of.user_ids][0] ?? 0, error });
    }
    for (const [user_id, error] of full) total.failed.push({ user_id, error });
  }

  /** The list of one topic, or of all. Of the topic `items` alone, the service asks for a site. */
  get #topics(): readonly (string | undefined)[] {
    const { on = {}, fallback, handle } = this.#context.options;
    if (!handle) return ['questions', 'messages'];
    const topics = Object.entries(on).flatMap(([topic, handler]) => (handler === undefined ? [] : topic));
    return fallback || topics.some((topic) => topic.toLowerCase() === 'items') ? [undefined] : topics;
  }

  async *#pages({ app_id, topic, user_ids, clientOf }: MissedList): AsyncGenerator<readonly unknown[]> {
    const seen = new Set<string>();
    for (let offset = 0; ;) {
      const messages = await this.#read({ app_id, topic, offset }, user_ids, clientOf);
      // A service that ignores `offset` shows the same page again.
      const fresh = messages.filter((each) => seen.size < seen.add(JSON.stringify(each)).size);
      if (fresh.length === 0) return;
      yield fresh;
      offset += messages.length;
    }
  }

  /** Some applications need the token of their owner: each seller is tried until one may read, who is asked first from then on. */
  async #read(
    input: Output<typeof listParams>,
    user_ids: ReadonlySet<number>,
    clientOf: ClientOf,
  ): Promise<readonly unknown[]> {
    const first = this.#reader === undefined || !user_ids.has(this.#reader) ? [] : [this.#reader];
    let rejection: unknown;
    for (const user_id of new Set([...first, ...user_ids])) {
      try {
        const client = await clientOf(user_id);
        if (!client?.call) continue;
        const { messages } = await client.call(missedFeeds, input);
        this.#reader = user_id;
        return messages ?? [];
      } catch (error) {
        if (!isRejected(error)) throw error;
        rejection = error;
      }
    }
    if (rejection !== undefined)
      this.#context.reporter.warnedOnce(
        `The list of missed notifications is not read, because no token may: ${describeFailure(rejection)}`,
      );
    return [];
  }

  /** Whether it was added; `undefined` if it is nothing for this process, or was added before. */
  async #addOne(notification: Notification, user_ids: ReadonlySet<number>): Promise<boolean | undefined> {
    if (isReadReceipt(notification) || !user_ids.has(notification.user_id)) return undefined;
    if (!isHandled(this.#context, notification) || !(await this.#sellers.has(notification.user_id))) return undefined;
    const entry = await newEntry(notification, Date.now());
    const { ledger } = this.#context.store;
    const name = `listed ${entry.key}`;
    // It is listed for longer than the key of what was handled is known.
    if ((await ledger.get(name)) !== undefined) return undefined;
    const isNew = await addEntry(this.#context, entry);
    await ledger.replace(name, undefined, '', listedMs);
    return isNew;
  }
}

/** Beside the fields of a notification, an entry of the list has the request and the response of the last attempt. */
function notificationOf(listed: unknown): Notification | undefined {
  try {
    const { request: _, response: __, ...fields } = listed as Record<string, unknown>;
    return parseNotification(fields);
  } catch {
    return undefined;
  }
}

/** Whether another token may be allowed to read what this one is not. */
function isRejected(error: unknown): boolean {
  return isOfToken(error) || (error instanceof ApiError && [401, 403, 404].includes(error.status));
}
