import { isObject } from '../../core/json/plain-object.js';
import type { SeedInit } from '../seed/schema.js';
import { moderationOf } from '../state/moderation.js';
import { thingsIn } from './ids.js';
import type { TapeExchange } from './tape.js';

type TapeFields = Readonly<Record<string, unknown>>;
type SeedEntry = Record<string, unknown>;

/**
 * Builds the seed of a marketplace in which a tape can be replayed: the users, items, questions, packs, conversations and
 * subscriptions as they were before the tape, as far as its responses show them. Texts are masked, as on the tape.
 */
export function seedOfTape(tape: readonly TapeExchange[]): SeedInit {
  const seen = new Seen();
  for (const exchange of tape) seen.add(exchange);
  return { now: tape[0]?.at, ...seen.seed() };
}

/** What the exchanges up to now have shown. What is seen first is how it was at the start. */
class Seen {
  readonly #users = new Map<number, SeedEntry>();
  readonly #items = new Map<string, SeedEntry>();
  readonly #questions = new Map<number, SeedEntry>();
  readonly #packs = new Map<number, SeedEntry & { readonly messages: Map<string, SeedEntry> }>();
  readonly #subscriptions = new Map<string, SeedEntry>();
  readonly #shipments = new Map<string, SeedEntry>();
  readonly #blocked = new Map<string, SeedEntry>();
  readonly #contacts = new Map<string, SeedEntry[]>();
  /** The ids of what the tape itself has made. */
  readonly #made = new Set<string>();
  #nextUser = 1;

  add(exchange: TapeExchange): void {
    const { status, path, request, response, user } = exchange;
    const caller = numberOf(user);
    if (caller !== undefined) this.#user(caller, path);
    if (status >= 400) {
      this.#addBlocked(exchange, caller);
      return;
    }
    const asked = thingsIn(`${decodeURIComponent(path)} ${JSON.stringify(request.value)}`);
    for (const { thing, id } of asked) {
      if (thing === 'user') this.#user(Number(id), path);
      // A multi-get is successful also for an item that does not exist.
      if (thing === 'item' && exchange.endpoint !== 'items.status') this.#item(id, caller);
      if (thing === 'pack') this.#pack(Number(id), numberOf(asked.find((each) => each.thing === 'user')?.id) ?? caller);
    }
    const body = fieldsOf(response.value);
    const own: Readonly<Record<string, (() => void) | undefined>> = {
      'questions.search': () =>
        entriesOf(body.questions ?? body.results ?? response.value).forEach((each) => this.#question(each)),
      'questions.get': () => this.#question(body),
      'questions.ask': () => this.#made.add(`question ${String(body.id)}`),
      'questions.answer': () => this.#answered(body),
      'questions.blacklist.list': () => this.#blacklist(path, entriesOf(body.users ?? response.value)),
      'messages.conversation': () => this.#conversation(path, body),
      'messages.send': () => this.#sent(path, body, caller),
      'actionGuide.send': () => this.#sent(path, body, caller),
      'actionGuide.options': () =>
        this.#shipping(
          path,
          entriesOf(body.options).map(({ id }) => id),
        ),
      'actionGuide.caps': () =>
        this.#shipping(
          path,
          entriesOf(response.value).map(({ option_id }) => option_id),
        ),
      'items.status': () => {
        const ids = asked.filter(({ thing }) => thing === 'item');
        entriesOf(response.value).forEach((each, index) => this.#status(each, ids[index]?.id));
      },
      'sites.search': () => entriesOf(body.results).forEach((each) => this.#hit(each)),
      'flex.subscriptions': () => entriesOf(response.value).forEach((each) => this.#subscription(each, path)),
      'flex.driver': () => this.#shipment(path, caller, body.driver_id),
      'flex.items.isEnabled': () => this.#flex(path, true),
      'flex.items.disable': () => this.#flex(path, true),
      'flex.items.enable': () => this.#flex(path, false),
    };
    own[exchange.endpoint ?? '']?.();
    if (exchange.endpoint?.startsWith('contacts.')) this.#window(exchange.endpoint, body, entriesOf(response.value));
  }

  seed(): SeedInit {
    const seller =
      [...this.#items.values()].map(({ seller_id }) => seller_id).find((id) => id !== undefined) ??
      [...this.#users.keys()][0];
    if (seller === undefined) return {};
    this.#user(Number(seller), '');
    const items = [...this.#items.values()].map((item) => ({ seller_id: Number(seller), ...item }));
    const packs = [...this.#packs.values()].map(({ messages, ...pack }) => {
      const seller_id = Number(pack.seller_id ?? seller);
      this.#user(seller_id, '');
      const buyer_id = numberOf(pack.buyer_id) ?? this.#freshUser();
      return { ...pack, seller_id, buyer_id, messages: toMessages([...messages.values()], seller_id) };
    });
    const questions = [...this.#questions.values()].sort((a, b) =>
      String(a.asked_at).localeCompare(String(b.asked_at)),
    );
    return {
      users: [...this.#users.values()],
      items,
      questions,
      blacklist: [...this.#blocked.values()],
      packs,
      flex: { subscriptions: [...this.#subscriptions.values()], shipments: [...this.#shipments.values()] },
      contacts: [...this.#contacts.values()].flat(),
    } as unknown as SeedInit;
  }

  #user(user_id: number, path: string): void {
    if (!Number.isSafeInteger(user_id) || user_id < 1) return;
    const site_id = /\/sites\/(M[A-Z]{2})\b/.exec(path)?.[1];
    this.#users.set(user_id, { user_id, ...this.#users.get(user_id), ...(site_id !== undefined && { site_id }) });
  }

  #freshUser(): number {
    while (this.#users.has(this.#nextUser)) this.#nextUser += 1;
    this.#user(this.#nextUser, '');
    return this.#nextUser;
  }

  #item(item_id: string, seller_id?: number, more: SeedEntry = {}): void {
    const site_id = /^M[A-Z]{2}/.exec(item_id)?.[0];
    if (seller_id !== undefined) this.#user(seller_id, '');
    const given = { ...(seller_id !== undefined && { seller_id }), ...(site_id !== undefined && { site_id }), ...more };
    this.#items.set(item_id, { item_id, ...given, ...this.#items.get(item_id) });
  }

  #question(question: TapeFields): void {
    const { id, item_id, seller_id, from, buyer_id, text, status, date_created, answer } = question;
    const [number, asker] = [numberOf(id), numberOf(fieldsOf(from).id) ?? numberOf(buyer_id)];
    if (number === undefined || asker === undefined || typeof item_id !== 'string' || typeof text !== 'string') return;
    if (text === '' || this.#questions.has(number) || this.#made.has(`question ${String(id)}`)) return;
    this.#user(asker, '');
    this.#ownItem(item_id, numberOf(seller_id), status);
    const given = this.#made.has(`answer ${String(id)}`) ? {} : fieldsOf(answer);
    this.#questions.set(number, {
      ...{ question_id: number, item_id, from: asker, text },
      ...(typeof date_created === 'string' && { asked_at: date_created }),
      ...(typeof given.text === 'string' && given.text !== '' && { answer: given.text }),
      ...(typeof given.date_created === 'string' &&
        typeof given.text === 'string' &&
        given.text !== '' && { answered_at: given.date_created }),
    });
  }

  #ownItem(item_id: string, seller_id: number | undefined, status: unknown): void {
    const states: Readonly<Record<string, string>> = { CLOSED_UNANSWERED: 'closed', UNDER_REVIEW: 'under_review' };
    const state = states[String(status).toUpperCase()];
    // The seller of a question is certain, that of a path is not.
    if (seller_id !== undefined && this.#items.has(item_id))
      this.#items.set(item_id, { ...this.#items.get(item_id), seller_id });
    this.#item(item_id, seller_id, state === undefined ? {} : { status: state });
  }

  #answered(question: TapeFields): void {
    this.#made.add(`answer ${String(question.id)}`);
    this.#question(question);
  }

  #blacklist(path: string, users: readonly TapeFields[]): void {
    const seller_id = numberOf(/\/users\/(\d+)/.exec(path)?.[1]);
    for (const { id } of users) {
      const user_id = numberOf(id);
      if (user_id === undefined || seller_id === undefined) continue;
      this.#user(user_id, '');
      this.#blocked.set(`${user_id}`, { seller_id, user_id });
    }
  }

  #pack(pack_id: number, seller_id: number | undefined, more: SeedEntry = {}): void {
    const before = this.#packs.get(pack_id) ?? { messages: new Map<string, SeedEntry>() };
    this.#packs.set(pack_id, { pack_id, ...(seller_id !== undefined && { seller_id }), ...more, ...before });
  }

  #conversation(path: string, body: TapeFields): void {
    const [, pack, seller] = (/\/packs\/(\d+)\/sellers\/(\d+)/.exec(path) ?? []).map(Number);
    if (pack === undefined || seller === undefined) return;
    const { substatus, claim_id, shipping_id } = fieldsOf(body.conversation_status);
    const messages = entriesOf(body.messages ?? body.results);
    const others = messages.flatMap(({ from, to }) => [fieldsOf(from).user_id, fieldsOf(to).user_id]).map(numberOf);
    const buyer_id = others.find((id) => id !== undefined && id !== seller);
    if (buyer_id !== undefined) this.#user(buyer_id, '');
    const isBlocked = typeof substatus === 'string' && !substatus.includes('initiated_by_seller');
    this.#pack(pack, seller, {
      ...(buyer_id !== undefined && { buyer_id }),
      ...(isBlocked && { blockedBy: substatus }),
      ...(numberOf(claim_id) !== undefined && { claim_id: numberOf(claim_id) }),
      ...(numberOf(shipping_id) !== undefined && { shipping_id: numberOf(shipping_id) }),
    });
    for (const message of messages) this.#message(pack, message);
  }

  /** The seller of a pack may be the caller, and the other one is its buyer. */
  #sent(path: string, { id, to, from }: TapeFields, caller: number | undefined): void {
    this.#made.add(`message ${String(id)}`);
    const pack = numberOf(/\/packs\/(\d+)/.exec(path)?.[1]);
    const seller_id = numberOf(/\/sellers\/(\d+)/.exec(path)?.[1]) ?? numberOf(fieldsOf(from).user_id) ?? caller;
    const users = [to, from].flatMap((each) => numberOf(fieldsOf(each).user_id) ?? []);
    const buyer_id = users.find((user) => user !== seller_id);
    if (pack === undefined || buyer_id === undefined) return;
    this.#user(buyer_id, '');
    this.#pack(pack, seller_id, { buyer_id });
  }

  #message(pack: number, { id, from, text, message_date }: TapeFields): void {
    const { created, received } = fieldsOf(message_date);
    if (typeof text !== 'string' || text === '' || this.#made.has(`message ${String(id)}`)) return;
    this.#packs
      .get(pack)
      ?.messages.set(String(id), { from: fieldsOf(from).user_id, text, sent_at: created ?? received });
  }

  #shipping(path: string, options: readonly unknown[]): void {
    const pack = numberOf(/\/packs\/(\d+)/.exec(path)?.[1]);
    if (pack === undefined) return;
    const shipping = options.includes('DELIVERY_PROMISE')
      ? 'flex'
      : options.includes('REQUEST_VARIANTS')
        ? 'cross_docking'
        : 'custom';
    this.#pack(pack, undefined, { shipping });
  }

  /** A rejected call shows the reason why a conversation is blocked. */
  #addBlocked({ path, response }: TapeExchange, seller: number | undefined): void {
    const pack = numberOf(/\/packs\/(\d+)/.exec(path)?.[1]);
    const reason = /(blocked_by_\w+)/.exec(JSON.stringify(fieldsOf(response.value).cause ?? ''))?.[1];
    if (pack === undefined || reason === undefined || reason.includes('initiated_by_seller')) return;
    const user = numberOf(/\/sellers\/(\d+)/.exec(path)?.[1]) ?? seller;
    this.#pack(pack, user, reason === 'blocked_by_excepted_case' ? { exceptedCase: true } : { blockedBy: reason });
  }

  /** Without its id, the place of an entry says which item it is about. */
  #status(entry: TapeFields, asked: string | undefined): void {
    const { id = asked, status } = isObject(entry.body) ? entry.body : entry;
    if (typeof id === 'string' && typeof status === 'string') this.#item(id, undefined, { status });
  }

  #hit({ id, title, seller }: TapeFields): void {
    if (typeof id !== 'string') return;
    this.#item(id, numberOf(fieldsOf(seller).id), typeof title === 'string' ? { title } : {});
  }

  #flex(path: string, flex: boolean): void {
    const item = /\/items\/([\w-]+)/.exec(path)?.[1];
    if (item !== undefined) this.#item(item, undefined, { flex });
  }

  #subscription({ user_id, mode, service_id, status }: TapeFields, path: string): void {
    const user = numberOf(user_id);
    if (user === undefined) return;
    this.#user(user, path);
    const state = fieldsOf(status).id ?? status;
    this.#subscriptions.set(`${user} ${String(mode)}`, {
      ...{ user_id: user, service_id: numberOf(service_id) },
      ...(typeof mode === 'string' && { mode }),
      ...(typeof state === 'string' && { status: state }),
    });
  }

  #shipment(path: string, user_id: number | undefined, driver: unknown): void {
    const id = /\/shipments\/(\d+)/.exec(path)?.[1];
    const user = user_id ?? [...this.#subscriptions.values()][0]?.user_id;
    if (id !== undefined && user !== undefined) this.#shipments.set(id, { user_id: user, driver_id: numberOf(driver) });
  }

  /** The intervals of a window of an item are the only contacts with a time. */
  #window(endpoint: string, body: TapeFields, windows: readonly TapeFields[]): void {
    const kind = endpoint.includes('phoneViews') ? 'phone_view' : 'question';
    for (const { item_id, results } of windows.length > 0 ? windows : [body]) {
      if (typeof item_id !== 'string' || !Array.isArray(results) || this.#contacts.has(`${kind} ${item_id}`)) continue;
      const counted = entriesOf(results).filter(({ total, date }) => Number(total) > 0 && typeof date === 'string');
      if (counted.length > 0) this.#item(item_id);
      this.#contacts.set(
        `${kind} ${item_id}`,
        counted.map(({ total, date }) => ({ kind, item_id, at: date, times: total })),
      );
    }
  }
}

/** Returns the messages of a seed, the oldest first. Their masked texts are such as moderation accepts. */
function toMessages(messages: readonly SeedEntry[], seller_id: number): object[] {
  return messages
    .toSorted((a, b) => String(a.sent_at).localeCompare(String(b.sent_at)))
    .map(({ from, text, sent_at }) => ({
      from: numberOf(from) === seller_id ? 'seller' : 'buyer',
      text: moderationOf(String(text)) === undefined ? text : String(text).replace(/[0-9@]/g, 'x'),
      ...(typeof sent_at === 'string' && { sent_at }),
    }));
}

function fieldsOf(value: unknown): TapeFields {
  return isObject(value) ? value : {};
}

function entriesOf(value: unknown): TapeFields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}
