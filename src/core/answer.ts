import type { Endpoint } from './endpoint.js';
import { UnexpectedResponseError } from './errors.js';
import { classOfStatus } from './status-errors.js';
import type { ApiError, RefusalCause, RefusalDetails } from './errors.js';
import { parseJson } from './json.js';
import { scrub, scrubText, shownUrl, withoutCookies, wordsOfPeople } from './redact.js';
import { recognise, statusWithin } from './refusal.js';
import type { Refusal } from './refusal.js';
import { leavesDoubt, retryAfterOf } from './retry.js';
import type { Issue, Schema } from './schema.js';
import type { Settings } from './settings.js';

/** An answer with its body read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly url: string;
}

/** Of a refusal's words no more is read for its message, in characters; the body is kept as it came. */
const mostRead = 20_000;
const mostCauses = 100;

type Validation = Pick<Settings, 'responseValidation' | 'onDrift'>;

/** What an answer is read in the light of. */
export interface Asked {
  readonly endpoint: Endpoint;
  readonly input: unknown;
  /** What must be in no error: the token. */
  readonly secrets: () => readonly string[];
  readonly attempts: number;
}

/** Reads a body: JSON where it is, else the text; an empty one is `undefined`. */
function readBody(text: string): { json: boolean; value: unknown } {
  if (text === '' || text.trim() === '') return { json: true, value: undefined };
  try {
    return { json: true, value: parseJson(text) };
  } catch {
    return { json: false, value: text };
  }
}

/**
 * The parsed output of a success.
 *
 * @throws {UnexpectedResponseError} when the body is not JSON, or has lost its documented shape.
 */
export function outputOf(
  answer: Answer,
  schema: Schema,
  asked: Asked,
  { responseValidation, onDrift }: Validation,
): unknown {
  const { json, value } = readBody(answer.text);
  if (!json) throw unexpected('a body that is not JSON', answer, value, [], asked);
  if (asked.endpoint.refusedWithin?.(value)) throw refusalOf(answer, asked).error;
  if (responseValidation === 'off') return value;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  if (responseValidation === 'report') {
    if (onDrift) reportDrift(asked.endpoint, issues, value, onDrift);
    return value;
  }
  const what =
    value === undefined
      ? 'an empty body'
      : `a body of another shape: ${issues.map(({ message }) => message).join('; ')}`;
  throw unexpected(what, answer, value, issues, asked);
}

function reportDrift(
  endpoint: Endpoint,
  issues: readonly Issue[],
  value: unknown,
  onDrift: NonNullable<Validation['onDrift']>,
): void {
  for (const { path, message } of issues) {
    try {
      onDrift({ endpoint, path, expected: message, received: kindAt(path, value) });
    } catch {
      // A write that was done must not be told as failed because nobody could take note of its answer.
    }
  }
}

/** What stands at a place, without its value. */
function kindAt(path: readonly PropertyKey[], root: unknown): string {
  const value = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | null | undefined)?.[key], root);
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

function unexpected(what: string, answer: Answer, body: unknown, issues: readonly Issue[], asked: Asked): Error {
  const { endpoint, attempts } = asked;
  const done =
    endpoint.retry === 'read'
      ? ''
      : ' The service reported success: the write was most likely carried out; do not repeat it blindly.';
  const message = `${endpoint.method} ${endpoint.path} was answered ${answer.status} with ${what}.${done}`;
  return new UnexpectedResponseError(scrub(message, asked.secrets()), {
    status: answer.status,
    headers: withoutCookies(answer.headers),
    body,
    issues,
    endpoint,
    attempts,
  });
}

/** The error that a refusal is: its class by the status, refined where the endpoint documents it. */
export function refusalOf(answer: Answer, asked: Asked): { error: ApiError; refusal: Refusal | undefined } {
  const { endpoint } = asked;
  const secrets = asked.secrets();
  const people = wordsOfPeople(asked.input);
  const shown = (text: string): string => short(scrubText(text.slice(0, mostRead), secrets, people));
  const heard = heardOf(answer, asked, secrets);
  const refusal = recognise(endpoint.errors, heard);
  const { status, retryAfterMs, code } = heard;
  const passing = refusal?.passing === true;
  const outcomeUnknown = leavesDoubt(endpoint.retry, { kind: 'refused', status, retryAfterMs, passing });
  const causes = heard.causes.slice(0, mostCauses).map((cause) => mapValues(cause, shown));
  const details: RefusalDetails = { ...heard, code: code && shown(code), causes, outcomeUnknown };
  const Class = refusal?.error ?? classOfStatus(status);
  const said = shown(heard.text ?? code ?? 'the service gave no reason');
  const doubt = outcomeUnknown ? '. The write may have been carried out all the same: confirm() reads it back' : '';
  const message = `${endpoint.method} ${endpoint.path} was refused with ${status}: ${said}${doubt}`;
  return { error: new Class(message, details), refusal };
}

/** What a refusal says, as it says it: documented refusals are told by the words of the service. */
function heardOf(answer: Answer, { endpoint, attempts }: Asked, secrets: readonly string[]): RefusalDetails {
  const words = readRefusal(readBody(clean(answer.text, secrets)).value);
  const within = answer.status < 300 ? endpoint.refusedWithin?.(words.body) : undefined;
  const heard: RefusalDetails = {
    ...words,
    ...within,
    status: answer.status,
    headers: withoutCookies(answer.headers),
    url: shownUrl(answer.url),
    endpoint,
    attempts,
    retryAfterMs: retryAfterOf(answer.headers, Date.now()),
  };
  return within ? { ...heard, status: statusWithin(endpoint.errors, within, heard) } : heard;
}

function mapValues(cause: RefusalCause, change: (text: string) => string): RefusalCause {
  return Object.fromEntries(Object.entries(cause).map(([name, value]) => [name, change(value as string)]));
}

function clean(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => (secret.length < 4 ? rest : rest.replaceAll(secret, '[redacted]')), text);
}

function short(text: string): string {
  const line = text
    .replace(/<[^>]{0,500}>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

type RefusalWords = Pick<RefusalDetails, 'code' | 'text' | 'causes' | 'body'>;

/** Reads code, text and causes out of whatever body a refusal has. */
function readRefusal(body: unknown): RefusalWords {
  if (typeof body === 'string') return { text: body, code: undefined, causes: [], body };
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return { causes: [], body };
  const { error, code, message, error_description, cause } = body as Record<string, unknown>;
  const stated = [error, code].map((each) => textOf(each)).filter((each) => each !== undefined);
  const said = [message, error_description, error].map((each) => textOf(each));
  return {
    code: stated.find(looksLikeCode) ?? said.slice(0, 1).find(isBareCode) ?? stated[0],
    text: said.find((each) => each !== undefined),
    causes: causesOf(cause),
    body,
  };
}

function causesOf(cause: unknown): RefusalCause[] {
  if (cause === null || cause === undefined || cause === '') return [];
  if (Array.isArray(cause)) return cause.flatMap((each) => causesOf(each));
  if (typeof cause === 'object') {
    const { code, message, cause_id } = cause as Record<string, unknown>;
    const named = textOf(code) ?? textOf(cause_id);
    const said = textOf(message);
    return [{ ...(named !== undefined && { code: named }), ...(said !== undefined && { message: said }) }];
  }
  const word = textOf(cause);
  if (word === undefined) return [];
  return [looksLikeCode(word) ? { code: word, message: word } : { message: word }];
}

function looksLikeCode(word: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_.-]*$/.test(word);
}

/** A message is read as a code only in lower case: `Forbidden` is a message, `not_found` a code. */
function isBareCode(word: string | undefined): boolean {
  return word !== undefined && /^[a-z][a-z0-9_.-]*$/.test(word);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' ? String(value) : undefined;
}
