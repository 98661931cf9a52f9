import { defined } from '../../core/json/defined.js';
import { isObject } from '../../core/json/plain-object.js';
import type { FakeMarketplace } from '../marketplace.js';
import type { Callers } from './callers.js';
import type { SchemaPlace } from './conventions.js';
import { changePath } from './exchange.js';
import type { TapeIds } from './ids.js';
import { maskText } from './mask-text.js';
import { placesOf, replaceIn } from './places.js';
import { fieldsOf } from './tape.js';
import type { TapeExchange, TapePart } from './tape.js';

/** Makes a request of a tape anew for a fake: with its ids, its tokens, and texts that have the same effect. */
export function requestOf(
  exchange: TapeExchange,
  marketplace: FakeMarketplace,
  ids: TapeIds,
  callers: Callers,
): Request {
  const { method, path, status, headers } = exchange;
  const places = placesOf(method, path, status);
  const unmask = (value: string | number, { kinds }: SchemaPlace): string | number => {
    if (exchange.endpoint === 'sites.search' && kinds.length === 0)
      return searchTextOf(String(value), exchange, marketplace);
    return ids.unmasked(value, kinds);
  };
  const { kind, value } = exchange.request;
  const own = callers.withGrant(exchange, replaceIn(value, places.request, unmask));
  chooseModeration(exchange, own, marketplace);
  const [type, body] = bodyOf(kind, own);
  const sent = {
    authorization: callers.authorizationOf(exchange),
    'x-client-id': headers['x-client-id'] && String(ids.unmasked(headers['x-client-id'], ['id'])),
    'content-type': type,
  };
  const init = { method, headers: defined(sent), ...(method !== 'GET' && method !== 'HEAD' && { body }) };
  return new Request(marketplace.baseUrl + changePath(path, places, unmask), init);
}

function bodyOf(kind: string, value: unknown): readonly [type: string | undefined, body: BodyInit | null] {
  if (kind === 'none') return [undefined, null];
  if (kind === 'multipart') return [undefined, formOf(value as readonly TapePart[])];
  if (kind === 'json') return ['application/json', JSON.stringify(value)];
  if (kind !== 'form') return [kind, new Uint8Array(Number(value))];
  return ['application/x-www-form-urlencoded', new URLSearchParams(value as Record<string, string>).toString()];
}

function formOf(parts: readonly TapePart[]): FormData {
  const form = new FormData();
  for (const { name, value, filename = 'file', type = '', size = 0 } of parts)
    form.append(name, value ?? new File([new Uint8Array(size)], filename, { type }));
  return form;
}

/** A masked search finds nothing, so that a part of a title stands for it, which finds as much. */
function searchTextOf(masked: string, { response }: TapeExchange, { items }: FakeMarketplace): string {
  const { total } = fieldsOf(fieldsOf(response.value).paging);
  const titles = items.all.filter(({ status }) => status === 'active').map(({ title }) => title.toLowerCase());
  const parts = titles.flatMap((title) => Array.from(title, (_, start) => title.slice(start, start + masked.length)));
  const isFound = (part: string): boolean =>
    titles.filter((title) => part.split(/\s+/).every((word) => title.includes(word))).length === total;
  const found = parts.find((part) => maskText(part) === masked.toLowerCase() && isFound(part));
  // What finds nothing may not be in a masked title.
  return found ?? masked.replaceAll('x', 'z');
}

/** A masked text has lost what moderation looks for, so its result is given. */
function chooseModeration({ response }: TapeExchange, body: unknown, { messages }: FakeMarketplace): void {
  const [{ text }, { message_moderation }] = [fieldsOf(body), fieldsOf(response.value)];
  if (typeof text !== 'string' || text.trim() === '' || !isObject(message_moderation)) return;
  const { reason } = message_moderation;
  messages.choose(text, typeof reason === 'string' && reason.trim() !== '' ? reason : null);
}
