import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import { isObject } from '../../core/json/plain-object.js';
import { userOfToken } from '../../core/recover/user-of-token.js';
import { endpointOf } from '../http/all-endpoints.js';
import { bearerToken } from '../http/call.js';
import { isServiceCode, maskName, maskText } from './mask.js';
import type { Masker, Replace } from './mask.js';
import {
  conventions,
  errorPlace,
  outside,
  requestPlace,
  responsePlace,
  tokenRequest,
  tokenResponse,
} from './places.js';
import type { SchemaPlace } from './places.js';
import type { FormPart } from './read-body.js';
import type { TapeBody, TapeExchange, TapePart, TokenState } from './tape.js';

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

/** What the schemas say of an exchange. */
export interface Places {
  readonly endpoint: DescribedEndpoint | undefined;
  readonly request: SchemaPlace;
  readonly response: SchemaPlace;
}

/** Returns what the schemas say of a call and of its response. */
export function placesOf(method: string, path: string, status: number): Places {
  const [pathname = ''] = path.split('?', 1);
  if (pathname === '/oauth/token' || pathname === '/authorization')
    return { endpoint: undefined, request: tokenRequest, response: status < 400 ? tokenResponse : errorPlace };
  const endpoint = endpointOf(method, pathname);
  const request = endpoint ? requestPlace(endpoint) : outside;
  const response = endpoint ? responsePlace(endpoint) : outside;
  return { endpoint, request, response: status < 400 ? response : errorPlace };
}

/** Masks an exchange: only what the schemas say to be nothing of a person stays. */
export function maskExchange(exchange: RawExchange, masker: Masker, callers: Map<string, string>): TapeExchange {
  const { method, path, headers, status, responseHeaders } = exchange;
  const { endpoint, request, response } = placesOf(method, path, status);
  const token = headers.get('authorization');
  const user = userOfToken(bearerToken(headers) ?? '');
  return {
    at: timeOf(responseHeaders),
    method,
    path: changePath(path, endpoint, request, (value, place) => masker.leaf(value, place), maskName),
    endpoint: endpoint?.name ?? null,
    caller: token === null ? null : callerOf(token, headers, masker, callers),
    user: user === undefined ? null : (masker.id(user) ?? null),
    token: token === null ? null : tokenState(exchange),
    headers: maskHeaders(headers, requestHeaders, masker),
    request: maskBody(exchange.request, request, masker),
    status,
    responseHeaders: maskHeaders(responseHeaders, responseHeadersKept, masker),
    response: maskBody(exchange.response, response, masker),
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
  const { message = '' } = isObject(response.value) ? response.value : {};
  if (status === 401) return /expired/i.test(String(message)) ? 'expired' : 'rejected';
  return status === 400 && /application id is required/i.test(String(message)) ? 'without application' : 'valid';
}

/** The headers that matter: an id, a number of seconds, and methods. */
const requestHeaders: Readonly<Record<string, SchemaPlace>> = { 'x-client-id': { kinds: ['id'] } };
const responseHeadersKept: Readonly<Record<string, SchemaPlace>> = {
  'retry-after': { kinds: ['count'] },
  allow: { kinds: ['enum'], values: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] },
};

function maskHeaders(
  headers: Headers,
  places: Readonly<Record<string, SchemaPlace>>,
  masker: Masker,
): Record<string, string> {
  const entries = Object.entries(places).flatMap(([name, place]) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, String(masker.leaf(value.replaceAll(', ', ','), place))]];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Changes what fills the path template, and the query: values by their places, and names that no schema knows. */
export function changePath(
  path: string,
  endpoint: DescribedEndpoint | undefined,
  place: SchemaPlace,
  replace: Replace,
  nameOf: (name: string) => string,
): string {
  const [pathname = '', ...rest] = path.split('?');
  const template = endpoint?.path.includes('*}') ? [] : (endpoint?.path.split('/') ?? []);
  const segments = pathname.split('/').map((segment, index) => {
    const name = /^\{(\w+)\}$/.exec(template[index] ?? '')?.[1];
    const text = decoded(segment);
    if (name !== undefined) return encodeURIComponent(replace(text, place.fields?.[name] ?? outside));
    return segment === template[index] ? segment : encodeURIComponent(replace(text, segmentPlace));
  });
  if (rest.length === 0) return segments.join('/');
  const query = [...new URLSearchParams(rest.join('?'))].map(([name, value]) => {
    const found = ownField(place, name) ?? (Object.hasOwn(conventions, name) ? conventions[name] : undefined);
    const masked = replace(value, found?.entry ?? found ?? outside);
    return `${encodeURIComponent(found ? name : nameOf(name))}=${encodeURIComponent(masked).replaceAll('%2C', ',')}`;
  });
  return `${segments.join('/')}?${query.join('&')}`;
}

/** A segment of a path that no endpoint has. */
const segmentPlace: SchemaPlace = { kinds: ['link'] };

function ownField({ fields = {} }: SchemaPlace, name: string): SchemaPlace | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function maskBody({ kind, value }: TapeBody, place: SchemaPlace, masker: Masker): TapeBody {
  if (kind === 'json') return { kind, value: masker.value(value, place) };
  if (kind === 'form') {
    // A form that no schema knows may be of an authorisation.
    return { kind, value: masker.value(value, place === outside ? tokenRequest : place) };
  }
  if (kind === 'multipart') return { kind, value: (value as readonly FormPart[]).map(maskPart) };
  return { kind: kind === 'none' || isServiceCode(kind) ? kind : 'application/octet-stream', value };
}

function maskPart([name, value]: FormPart): TapePart {
  if (typeof value === 'string') return { name: maskName(name), value: maskText(value) };
  const type = isServiceCode(value.type) ? value.type : 'application/octet-stream';
  return { name: maskName(name), filename: maskFilename(value.name), type, size: value.size };
}

/** The ending of a name says what kind of file it is. */
function maskFilename(name: string): string {
  const ending = /\.[a-z]{2,5}$/i.exec(name)?.[0] ?? '';
  if (!isServiceCode(ending.slice(1))) return maskText(name);
  return maskText(name.slice(0, name.length - ending.length)) + ending;
}
