import { userOfToken } from '../../core/recover/user-of-token.js';
import { bearerToken } from '../http/call.js';
import { leaf, outside, tokenPlace, word } from './conventions.js';
import type { SchemaPlace } from './conventions.js';
import { isServiceCode, maskFilename, maskName, maskText } from './mask-text.js';
import type { Masker } from './mask.js';
import { fieldOf, parameterOf, placesOf } from './places.js';
import type { Places, Replace } from './places.js';
import { fieldsOf } from './tape.js';
import type { FormPart, TapeBody, TapeExchange, TapePart, TokenState } from './tape.js';

/** One exchange as it was sent. */
export interface RawExchange {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly headers: Headers;
  readonly request: TapeBody;
  readonly status: number;
  readonly responseHeaders: Headers;
  readonly response: TapeBody;
}

/** Masks an exchange: only what the schemas say to be nothing of a person stays. */
export function maskExchange(exchange: RawExchange, masker: Masker, callers: Map<string, string>): TapeExchange {
  const { method, path, headers, status, responseHeaders } = exchange;
  const places = placesOf(method, path, status);
  const token = headers.get('authorization');
  const user = userOfToken(bearerToken(headers) ?? '');
  return {
    at: timeOf(responseHeaders),
    method,
    path: changePath(path, places, (value, place) => masker.leaf(value, place), maskName),
    endpoint: places.endpoint?.name ?? null,
    caller: token === null ? null : callerOf(token, headers, masker, callers),
    user: user === undefined ? null : (masker.id(user) ?? null),
    token: token === null ? null : tokenState(exchange),
    headers: maskHeaders(headers, masker),
    request: maskBody(exchange.request, places.request, masker),
    status,
    responseHeaders: maskHeaders(responseHeaders, masker),
    response: maskBody(exchange.response, places.response, masker),
  };
}

function timeOf(headers: Headers): string {
  const at = Date.parse(headers.get('date') ?? '');
  return new Date(Number.isNaN(at) ? Date.now() : at).toISOString();
}

/** Names the caller by the order of the tokens, never by the token. */
function callerOf(token: string, headers: Headers, masker: Masker, callers: Map<string, string>): string {
  const issued = masker.knownSecret(bearerToken(headers) ?? '');
  const caller = issued ?? callers.get(token) ?? `user ${callers.size + 1}`;
  if (issued === undefined) callers.set(token, caller);
  return caller;
}

/** What the response says of the token. */
function tokenState({ headers, status, response }: RawExchange): TokenState {
  if (bearerToken(headers) === undefined) return 'malformed';
  const { message } = fieldsOf(response.value);
  if (status === 401) return /expired/i.test(String(message)) ? 'expired' : 'rejected';
  return status === 400 && /application id is required/i.test(String(message)) ? 'without application' : 'valid';
}

/** The headers that matter, and what they are. */
const headersKept: Readonly<Record<string, SchemaPlace>> = {
  'x-client-id': leaf('id'),
  'retry-after': leaf('count'),
  allow: word(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']),
};

function maskHeaders(headers: Headers, masker: Masker): Record<string, string> {
  const entries = Object.entries(headersKept).flatMap(([name, place]) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, String(masker.leaf(value.replaceAll(', ', ','), place))] as const];
  });
  return Object.fromEntries(entries);
}

/** Changes what fills the path template, and the query: values by their places, and names. */
export function changePath(
  path: string,
  { endpoint, request: place }: Places,
  replace: Replace,
  nameOf: (name: string) => string = (name) => name,
): string {
  const [pathname = '', ...rest] = path.split('?');
  const template = endpoint?.path.split('/') ?? [];
  const segments = pathname.split('/').map((segment, index) => {
    if (segment === template[index]) return segment;
    const field = /^\{(\w+)\}$/.exec(template[index] ?? '')?.[1];
    // A segment of a path that no endpoint has is a word or an id.
    return encodeURIComponent(replace(decoded(segment), field === undefined ? leaf('link') : fieldOf(place, field)));
  });
  const query = [...new URLSearchParams(rest.join('?'))].map(([name, value]) => {
    const changed = encodeURIComponent(replace(value, parameterOf(place, name))).replaceAll('%2C', ',');
    return `${encodeURIComponent(nameOf(name))}=${changed}`;
  });
  return segments.join('/') + (rest.length > 0 ? `?${query.join('&')}` : '');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function maskBody({ kind, value }: TapeBody, place: SchemaPlace, masker: Masker): TapeBody {
  // A form that no schema knows may be of an authorization.
  if (kind === 'form') return { kind, value: masker.value(value, place === outside ? tokenPlace : place) };
  if (kind === 'json') return { kind, value: masker.value(value, place) };
  if (kind === 'multipart') return { kind, value: (value as readonly FormPart[]).map(maskPart) };
  return { kind: kind === 'none' ? kind : maskType(kind), value };
}

function maskPart([name, value]: FormPart): TapePart {
  if (typeof value === 'string') return { name: maskName(name), value: maskText(value) };
  return { name: maskName(name), filename: maskFilename(value.name), type: maskType(value.type), size: value.size };
}

function maskType(type: string): string {
  return isServiceCode(type) ? type : 'application/octet-stream';
}
