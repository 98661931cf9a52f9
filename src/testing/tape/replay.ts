import { isObject } from '../../core/json/plain-object.js';
import type { FakeMarketplace } from '../marketplace.js';
import { callersOf } from './callers.js';
import { compareValues } from './compare.js';
import type { ResponseComparison, ResponseDifference } from './compare.js';
import { changePath, maskExchange } from './exchange.js';
import { TapeIds, thingsIn } from './ids.js';
import { maskText } from './mask-text.js';
import { Masker } from './mask.js';
import type { SchemaPlace } from './conventions.js';
import { placesOf, replaceIn } from './places.js';
import { bodyOf } from './read-body.js';
import type { TapeBody, TapeExchange, TapePart, TokenState } from './tape.js';

/** The result of one exchange that was replayed. */
export interface Verified {
  readonly endpoint: string;
  readonly method: string;
  readonly path: string;
  readonly status: { readonly expected: number; readonly actual: number };
  readonly differences: readonly ResponseDifference[];
  /** What the fake does not have, if that is why the response differs. */
  readonly lacks?: string;
}

/** Replays a tape on a fake, with its ids replaced by those of the fake, and compares each response. */
export async function verifyTape(
  tape: readonly TapeExchange[],
  marketplace: FakeMarketplace,
  { typesOnly = false }: { readonly typesOnly?: boolean } = {},
): Promise<Verified[]> {
  const replay = new Replay(tape, marketplace, typesOnly);
  const results: Verified[] = [];
  for (const exchange of tape) results.push(await replay.verify(exchange));
  return results;
}

/** Whether the fake responded as the service did. */
export function isSame({ differences }: Verified): boolean {
  return differences.length === 0;
}

class Replay {
  readonly #marketplace: FakeMarketplace;
  readonly #masker: Masker;
  readonly #ids: TapeIds;
  readonly #callers: ReadonlyMap<string, number>;
  readonly #names = new Map<string, string>();
  /** The fake's tokens and codes, by their labels on the tape. */
  readonly #secrets = new Map<string, string>();
  readonly #comparison: ResponseComparison;
  readonly #toFakeTimeMs: number;

  constructor(tape: readonly TapeExchange[], marketplace: FakeMarketplace, typesOnly: boolean) {
    this.#marketplace = marketplace;
    this.#masker = new Masker({ keepsIds: tape.some(({ idsAreKept }) => idsAreKept) });
    this.#ids = new TapeIds(tape, marketplace, this.#masker);
    this.#callers = callersOf(tape, this.#ids, marketplace);
    this.#comparison = {
      isSame: (expected, actual) => this.#isSame(expected, actual),
      idOf: (expected) => this.#ids.asMasked(expected),
      typesOnly,
    };
    const [start, first] = [marketplace.clock.ms, Date.parse(tape[0]?.at ?? '')];
    // A clock that was set shows the time of the content, so the times of the tape are right as they are.
    this.#toFakeTimeMs = marketplace.clock.isStopped && first >= start - 1000 ? 0 : start - first;
  }

  async verify(exchange: TapeExchange): Promise<Verified> {
    this.#setClock(exchange);
    const { method, endpoint, status, response } = exchange;
    const request = await this.#requestOf(exchange);
    const { url, headers } = request;
    const path = url.slice(this.#marketplace.baseUrl.length);
    const sent = await bodyOf('request', headers, await request.clone().arrayBuffer());
    const received = await this.#fetch(request, exchange);
    const bytes = method === 'HEAD' ? undefined : await received.arrayBuffer();
    const body = await bodyOf('response', received.headers, bytes);
    const raw = { method, path, headers, request: sent, status: received.status, responseHeaders: received.headers };
    const actual = maskExchange({ ...raw, response: body }, this.#masker, this.#names);
    const differences = this.#compare(exchange, actual);
    const lacks = differences.length > 0 && status < 400 ? this.#lacking(exchange) : undefined;
    if (endpoint === null && response.kind === 'json' && status < 400) this.#learnTokens(response.value, body.value);
    return {
      endpoint: endpoint ?? `${method} ${exchange.path.split('?', 1)[0] ?? ''}`,
      method,
      path: exchange.path,
      status: { expected: status, actual: actual.status },
      differences,
      ...(lacks !== undefined && { lacks }),
    };
  }

  /** A lock of the service was held by a call that was under way at the same time. */
  async #fetch(request: Request, { endpoint, status, path }: TapeExchange): Promise<Response> {
    const { packs, messages } = this.#marketplace;
    const id = /\/packs\/(\d+)/.exec(path)?.[1] ?? '';
    const pack = endpoint === 'actionGuide.send' && status === 409 ? packs.get(Number(this.#ids.of(id))) : undefined;
    const unlock = pack && !messages.isLocked(pack) ? messages.lock(pack) : undefined;
    try {
      return await this.#marketplace.fetch(request);
    } finally {
      unlock?.();
    }
  }

  #compare(exchange: TapeExchange, actual: TapeExchange): ResponseDifference[] {
    const { method, path, status } = exchange;
    const { response: place } = placesOf(method, path, status);
    const outcome = outcomeDifferences(exchange, actual);
    if (status !== actual.status) return outcome;
    const value = (name: string, expected: string, found: string): ResponseDifference[] =>
      expected === found ? [] : [{ path: name, what: 'value', expected, actual: found }];
    const names = new Set([...Object.keys(exchange.responseHeaders), ...Object.keys(actual.responseHeaders)]);
    const ofHeaders = [...names].flatMap((name) =>
      value(`header ${name}`, exchange.responseHeaders[name] ?? 'absent', actual.responseHeaders[name] ?? 'absent'),
    );
    const ofKind = value('kind of body', exchange.response.kind, actual.response.kind);
    if (ofKind.length > 0) return [...ofHeaders, ...ofKind];
    const ofBody = compareValues(exchange.response.value, actual.response.value, place, this.#comparison);
    const others = outcome.length > 0 ? ofBody.filter((each) => each.path !== 'error' && each.path !== 'code') : ofBody;
    return [...outcome, ...ofHeaders, ...others];
  }

  #isSame(expected: string, actual: string): boolean {
    if (!expected.startsWith('secret-')) return this.#ids.isSame(expected, actual);
    const raw = this.#masker.originalOf(actual);
    if (raw === undefined) return false;
    if (!this.#secrets.has(expected)) this.#secrets.set(expected, raw);
    return true;
  }

  /** Tokens are learnt also where only types are compared, or the response differs. */
  #learnTokens(expected: unknown, actual: unknown): void {
    if (!isObject(expected) || !isObject(actual)) return;
    for (const name of ['access_token', 'refresh_token']) {
      const [label, raw] = [expected[name], actual[name]];
      if (typeof label === 'string' && typeof raw === 'string') this.#secrets.set(label, raw);
    }
  }

  /** Time passes as on the tape: locks, codes and files expire. */
  #setClock({ at }: TapeExchange): void {
    const { clock } = this.#marketplace;
    const wanted = Date.parse(at) + this.#toFakeTimeMs;
    if (wanted - clock.ms < 2000) return;
    const runs = !clock.isStopped;
    clock.set(wanted);
    if (runs) clock.run();
  }

  async #requestOf(exchange: TapeExchange): Promise<Request> {
    const { method, headers } = exchange;
    const places = placesOf(method, exchange.path, exchange.status);
    const change = (value: string | number, at: SchemaPlace): string | number => this.#unmask(value, at, exchange);
    const path = changePath(exchange.path, places, change, (name) => name);
    const body = this.#bodyOf(exchange, places.request, change);
    const token = this.#authorizationOf(exchange);
    const sent = new Headers(token === undefined ? {} : { authorization: token });
    const application = headers['x-client-id'];
    if (application !== undefined) sent.set('x-client-id', this.#ids.of(application) ?? application);
    if (body?.type !== undefined) sent.set('content-type', body.type);
    const init = {
      method,
      headers: sent,
      ...(body && method !== 'GET' && method !== 'HEAD' && { body: body.content }),
    };
    return Promise.resolve(new Request(`${this.#marketplace.baseUrl}${path}`, init));
  }

  #bodyOf(
    exchange: TapeExchange,
    place: SchemaPlace,
    change: (value: string | number, at: SchemaPlace) => string | number,
  ): { readonly type?: string; readonly content: FormData | Uint8Array<ArrayBuffer> | string } | undefined {
    const { kind, value }: TapeBody = exchange.request;
    if (kind === 'none') return undefined;
    if (kind === 'multipart') return { content: formOf(value as readonly TapePart[]) };
    if (kind !== 'json' && kind !== 'form') return { type: kind, content: new Uint8Array(Number(value)) };
    const own = replaceIn(value, place, change, (name) => name);
    this.#chooseModeration(exchange, own);
    if (kind === 'json') return { type: 'application/json', content: JSON.stringify(own) };
    const fields = this.#withGrant(exchange, own as Readonly<Record<string, string>>);
    return { type: 'application/x-www-form-urlencoded', content: new URLSearchParams(fields).toString() };
  }

  /** Returns what stands for a value of a request in the fake. */
  #unmask(value: string | number, { kinds }: SchemaPlace, exchange: TapeExchange): string | number {
    const idOf = (id: string): string => this.#ids.of(id) ?? id;
    const text = String(value);
    if (kinds.includes('secret')) return this.#secrets.get(text) ?? text;
    if (kinds.includes('id')) {
      const own = text.split(',').map(idOf).join(',');
      return typeof value === 'number' ? Number(own) : own;
    }
    if (kinds.includes('link')) return text.replace(/[^/?&=]+/g, idOf);
    if (kinds.includes('query document')) return text.replace(/\d{10,}/g, idOf);
    return exchange.endpoint === 'sites.search' && kinds.length === 0 ? this.#searchTextOf(text, exchange) : value;
  }

  /** A masked search finds nothing, so that a text of a title stands for it, which finds as much. */
  #searchTextOf(masked: string, { response }: TapeExchange): string {
    const count = isObject(response.value) && isObject(response.value.paging) ? response.value.paging.total : undefined;
    const active = this.#marketplace.items.all.filter(({ status }) => status === 'active').map(({ title }) => title);
    const isMatch = (text: string): boolean => {
      const words = text.toLowerCase().split(/\s+/);
      return active.filter((title) => words.every((word) => title.toLowerCase().includes(word))).length === count;
    };
    const parts = active.flatMap((title) =>
      Array.from({ length: title.length }, (_, start) => title.slice(start, start + masked.length)),
    );
    const found = [...parts, ...parts.map((part) => part.toLowerCase())].find(
      (part) => maskText(part) === masked && isMatch(part),
    );
    // What finds nothing may not be in a masked title.
    return found ?? masked.replaceAll('x', 'z');
  }

  /** A masked text has lost what moderation looks for, so its result is given. */
  #chooseModeration({ endpoint, status, response }: TapeExchange, body: unknown): void {
    if (status >= 300 || !['messages.send', 'actionGuide.send'].includes(endpoint ?? '')) return;
    const text = isObject(body) ? body.text : undefined;
    const moderation = isObject(response.value) ? response.value.message_moderation : undefined;
    if (typeof text !== 'string' || text.trim() === '' || !isObject(moderation)) return;
    const { reason } = moderation;
    this.#marketplace.messages.choose(text, typeof reason === 'string' && reason.trim() !== '' ? reason : null);
  }

  /** Obtains a code or a refresh token anew that the tape has used and not received; ends one that the service rejected. */
  #withGrant(exchange: TapeExchange, fields: Readonly<Record<string, string>>): Record<string, string> {
    const { path, status, response } = exchange;
    if (!path.startsWith('/oauth/token')) return { ...fields };
    const { accounts } = this.#marketplace;
    const { code, refresh_token, client_id } = fields;
    const application = Number(client_id);
    if (status >= 400) {
      const isEnded = codeOf(exchange) === 'invalid_grant';
      if (isEnded && code !== undefined) accounts.redeem('authorization_code', code, application);
      if (isEnded && refresh_token !== undefined) accounts.redeem('refresh_token', refresh_token, application);
      return { ...fields };
    }
    const { user_id } = (isObject(response.value) ? response.value : {}) as { readonly user_id?: number | string };
    const user = Number(this.#ids.of(String(user_id)) ?? user_id);
    if (!accounts.get(user)) return { ...fields };
    const isUnknown = (label?: string): boolean => label?.startsWith('secret-') === true;
    if (isUnknown(code)) return { ...fields, code: accounts.issueAuthorizationCode(user, application) };
    if (isUnknown(refresh_token)) return { ...fields, refresh_token: accounts.issueRefreshToken(user, application) };
    return { ...fields };
  }

  /** Returns the header of a call: a token of the same user that the fake accepts, or rejects, as the service did. */
  #authorizationOf({ caller, token }: TapeExchange): string | undefined {
    if (caller === null || token === null) return undefined;
    if (token === 'malformed') return 'Basic rejected';
    return `Bearer ${this.#tokenOf(caller, token)}`;
  }

  #tokenOf(caller: string, state: TokenState): string {
    const { accounts } = this.#marketplace;
    const user = this.#callers.get(caller) ?? 0;
    const issued = this.#secrets.get(caller);
    if (issued !== undefined && accounts.bearerOf(issued)) {
      if (state === 'rejected') accounts.revokeToken(issued);
      if (state === 'expired') accounts.expireToken(issued);
    }
    if (issued !== undefined) return issued;
    if (state === 'rejected') return 'rejected-token';
    if (state === 'expired') return accounts.issueToken(user, undefined, undefined, 0);
    if (state === 'without application') return accounts.issueToken(user, null);
    const own = accounts.bearers.find(({ user_id, application_id }) => user_id === user && application_id !== null);
    return own?.token ?? accounts.issueToken(user);
  }

  /** Names what a request asks for and the fake does not have. */
  #lacking({ path, request }: TapeExchange): string | undefined {
    const asked = thingsIn(`${decodeURIComponent(path)} ${JSON.stringify(request.value)}`);
    const lacking = asked.find(({ id }) => this.#ids.of(id) === undefined && /\d{4}/.test(id));
    if (!lacking) return undefined;
    return `the fake has no ${lacking.thing} that stands for ${lacking.id}; \`fake seed-from\` makes a seed with it`;
  }
}

function formOf(parts: readonly TapePart[]): FormData {
  const form = new FormData();
  for (const { name, value, filename = 'file', type = '', size = 0 } of parts)
    if (value === undefined) form.append(name, new File([new Uint8Array(size)], filename, { type }));
    else form.append(name, value);
  return form;
}

/** With another status, the bodies have nothing in common but the code. */
function outcomeDifferences(expected: TapeExchange, actual: TapeExchange): ResponseDifference[] {
  const pairs = [
    ['status', String(expected.status), String(actual.status)],
    ['code', codeOf(expected), codeOf(actual)],
  ] as const;
  return pairs.flatMap(([path, a, b]) => (a === b ? [] : [{ path, what: 'value' as const, expected: a, actual: b }]));
}

function codeOf({ status, response: { value } }: TapeExchange): string {
  if (status < 400 || !isObject(value)) return 'none';
  const { error, code } = value;
  return typeof error === 'string' ? error : typeof code === 'string' ? code : 'none';
}
