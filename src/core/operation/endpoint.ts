import { InvalidInputError, type Issue } from '../errors/errors.js';
import type { Confirmation } from '../errors/seller-error.js';
import type { Schema, StandardSchema } from '../schema/schema.js';
import type { DocumentedError, ErrorInBody, MatchedResponse } from './documented-error.js';

/**
 * When a call may be retried after a failure.
 *
 * - `safe`: the request changes nothing; it is retried after any transient failure.
 * - `idempotent`: a write that leads to the same state, however often it is sent; it is retried like a read.
 * - `unsafe`: it is retried only if the service certainly did nothing.
 */
export type RetryClass = 'safe' | 'idempotent' | 'unsafe';

/** The HTTP methods of endpoints. */
export type EndpointMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

/** Whether the fields of an input that are named nowhere are sent as the JSON body; otherwise they are the query. */
export function hasBody(method: EndpointMethod): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH';
}

/**
 * An operation of the service, described once, as data. The client calls it, the fake marketplace responds to it, the
 * OpenAPI document lists it, and the contract tests check it.
 */
export interface Endpoint<In = unknown, Out = unknown> {
  /** The name in `endpoints`, e.g. `questions.answer`. */
  readonly name: string;
  readonly method: EndpointMethod;
  /** The path template: `{field}` is one segment, `{field*}` is one or more segments. */
  readonly path: `/${string}`;
  /** The input. Its fields fill the path; the other fields become the JSON body (POST, PUT, PATCH) or the query. */
  readonly input: StandardSchema<unknown, In>;
  readonly output: StandardSchema<Out, unknown>;
  /**
   * Completes the body of a success before `output` reads it, e.g. with the id of the input, which the service need not repeat.
   *
   * @default `output` reads the body as it is
   *
   * @internal
   */
  complete?(body: unknown, input: In): unknown;
  readonly retry: RetryClass;
  /** Fields that are sent in the query although the method has a body. */
  readonly inQuery?: readonly string[] | undefined;
  /** Fields that are sent in a header, with the name of the header. */
  readonly inHeader?: Readonly<Record<string, string>> | undefined;
  /** Query parameters of every request. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  /**
   * How the body is sent. A `multipart` body contains the input's `file`, streamed.
   *
   * @default 'json'
   */
  readonly requestBody?: 'json' | 'multipart' | undefined;
  /**
   * The largest size of a `multipart` file, in bytes.
   *
   * @default no limit
   */
  readonly maxUploadBytes?: number | undefined;
  /**
   * What a success contains. A `stream` is returned unread, as a `Download`.
   *
   * @default 'json'
   */
  readonly responseBody?: 'json' | 'stream' | undefined;
  /** The documented errors. */
  readonly errors: readonly DocumentedError[];
  /**
   * Says what to do about an error response that is none of the documented ones: a sentence without its full stop, which ends the
   * message of the error.
   *
   * @default nothing is added
   *
   * @internal
   */
  hintAfter?(response: MatchedResponse): string | undefined;
  /**
   * Finds the error in the body of a success: GraphQL reports its errors with status 200. It is treated like an error
   * response with the status that it states: retried, or sent again with a new token. If it returns `undefined`, the rule for
   * all endpoints decides; with `null` there is no error.
   *
   * @internal
   */
  readonly errorInBody?: ((body: unknown) => ErrorInBody | null | undefined) | undefined;
  /**
   * Loads what makes the exchanges of a call in place of plain JSON: GraphQL needs a client of its own. It checks the
   * body before anything is sent; `reject` creates the error of a wrong one.
   *
   * @internal
   */
  readonly loadExchange?: ((body: unknown, reject: RejectInput) => Promise<EndpointExchange>) | undefined;
  /**
   * Where the output repeats the id of the entity that the input names: for a field of the input, the path in the output. In a
   * path, `*` is each entry of a list, or the value itself if it is no list. A response with another id there belongs to
   * another request: it is rejected, and after a write nothing is known of the write.
   *
   * Ids are compared as text; what is absent is not compared. If several fields have one path, the id is that of one of them.
   *
   * Examples: `{ question_id: 'id' }`, `{ ids: '*.item_id' }`.
   *
   * @default no id is compared
   *
   * @internal
   */
  readonly identity?: Readonly<Record<string, string>> | undefined;
  /**
   * Where the entries of a list name the user whose list it is, as `identity` does. If none of them is of this user, the
   * response belongs to another request; if some are, the others are drift.
   *
   * Example: `{ seller_id: 'questions.*.seller_id' }`.
   *
   * @default no id is compared
   *
   * @internal
   */
  readonly listOf?: Readonly<Record<string, string>> | undefined;
  /**
   * Where the output names something else that the input names, as `identity` does. Another id is drift.
   *
   * Example: `{ 'to.user_id': 'to.user_id' }`.
   *
   * @default no id is compared
   *
   * @internal
   */
  readonly related?: Readonly<Record<string, string>> | undefined;
  /** Present if the call option `attributes` can select fields of the response: it is readable without the others. @internal */
  readonly supportsAttributes?: true | undefined;
  /**
   * The fields that are the content of a write that is not idempotent, e.g. `text`; the others say where it writes to. If a
   * handler runs again with another content, it is the same write.
   *
   * @default none
   *
   * @internal
   */
  readonly content?: readonly string[] | undefined;
  /**
   * The fields that say neither what is written nor where, e.g. an `application_id`. A write with other details is the same.
   *
   * @default none
   *
   * @internal
   */
  readonly details?: readonly string[] | undefined;
  /** Present if a write that is not idempotent does no harm when it is carried out twice: it may be sent again. @internal */
  readonly isHarmless?: true | undefined;
  /**
   * Returns the write that an earlier run of a handler may have made in place of this one. What it was or may have been is
   * decided first, so that one message does not go out through two channels.
   *
   * @default none
   *
   * @internal
   */
  replaces?(input: In): { readonly endpoint: Endpoint; readonly input: unknown };
  /** Names the entry that a write has made, by its output: unique at the service, e.g. `message 5f1b`. @internal */
  entryOf?(output: Out, input: In): string | undefined;
  /** Reads, before a write that a handler will repeat, the state with which `confirm` compares. JSON can represent it. @internal */
  readBefore?(input: In, context: Pick<ConfirmContext, 'read' | 'userId'>): Promise<unknown>;
  /**
   * Reads back once whether a write was carried out although its response was lost. The client calls it again as long
   * as the service may still carry out the write. If it throws, the result is `unknown`.
   *
   * @internal
   */
  confirm?(input: In, context: ConfirmContext): Promise<Confirmation<Out>>;
}

/** An endpoint of this package, with what the documents, the fake marketplace and the contract tests need of it. */
export interface DescribedEndpoint<In = unknown, Out = unknown> extends Endpoint<In, Out> {
  /** A part of the user's own zod schemas, and the input of a tool for a language model. */
  readonly input: Schema<In>;
  readonly output: Schema<Out, unknown>;
  /** What the operation does, in one clause such as `Answers a question`. */
  readonly summary: string;
  /** A valid input that contains each field, if they can be combined. */
  readonly example: In;
}

/** Creates the error of an input that is wrong. */
export type RejectInput = (issue: Issue) => Error;

/**
 * Makes one attempt of a call: writes the body, sends it once, and returns the output in the text of the response.
 * `send` rejects if there is no successful response. If the exchange rejects after that, the call explains the response.
 */
export type EndpointExchange = (url: string, send: (body: string) => Promise<string>) => Promise<unknown>;

/** A response that reads back a write: of the documented status and shape, so that it can prove something. */
export interface Reading<Out = unknown> {
  readonly data: Out;
  /** The body before its schema has read it. */
  readonly body: unknown;
  /** When the write was sent, by the clocks at hand. */
  readonly sent: SentTime;
}

/** When a write was sent, in milliseconds since 1970. The clocks of this machine and of the service may differ. */
export interface SentTime {
  readonly earliest: number;
  readonly latest: number;
  /**
   * The same by each clock that is known, with the time of the reading: what the write has made is between them by one of these.
   *
   * @default `earliest` and `latest` are all that is known
   */
  readonly clocks?: readonly ClockTimes[] | undefined;
}

/** When a write was sent and read back, by one clock. */
export interface ClockTimes {
  readonly sent: number;
  readonly read: number;
}

/** What an endpoint's `confirm` can use to read back a write. */
export interface ConfirmContext {
  /**
   * Reads with the token and headers of the write. `status` is the documented status of a success.
   *
   * @default status 200
   * @throws when the response is not of this status and of the documented shape, as a whole: it proves nothing.
   */
  read<In, Out>(endpoint: Endpoint<In, Out>, input: In, status?: number): Promise<Reading<Out>>;
  /** The user id in the access token; `undefined` if the token contains none. */
  readonly userId: string | undefined;
  /** What `readBefore` returned before the write was sent; `undefined` if it was not called. */
  readonly before: unknown;
  /**
   * Asks the book of the seller's writes what is known of entries, by their names, and of other writes to this target, and to
   * those of `beside`: of other endpoints, with entries in the same list. Their input has no content.
   */
  look(
    entries: readonly string[],
    beside?: readonly { readonly endpoint: Pick<Endpoint, 'name' | 'path'>; readonly input: object }[],
  ): Promise<KnownWrites>;
  /**
   * Takes an entry as the proof that this write was carried out.
   *
   * @returns `false` if it proves another write.
   */
  claim(entry: string): Promise<boolean>;
}

/** What is known beside the write that is read back. */
export interface KnownWrites {
  /** What an entry is the proof of; `undefined` if it proves no known write. */
  provedBy(entry: string): 'this' | 'another' | undefined;
  /** When the other write was sent that an entry is the proof of; `undefined` if that is not known. */
  sentOf(entry: string): SentTime | undefined;
  /** Whether the write may still be carried out: another process has sent it a moment ago. */
  readonly isInFlight: boolean;
  /** Other writes to the same target, or to those beside it, without a proof, in the order of sending. */
  readonly others: readonly OtherWrite[];
}

/** Another write whose entry is in the same list. */
export interface OtherWrite {
  readonly input: unknown;
  readonly sent: SentTime;
  /** Whether it is certain that it was carried out. */
  readonly isDone: boolean;
  /** Whether its content is equal. */
  readonly isEqual: boolean;
  /** Whether its response may still arrive. */
  readonly isInFlight: boolean;
}

const templates = new Map<string, readonly string[]>();

/** The parts of a path template: text, the name of a field and its star, text, and so on. */
export function partsOf(path: string): readonly string[] {
  const known = templates.get(path);
  if (known) return known;
  const parts = path.split(/\{(\w+)(\*?)\}/);
  templates.set(path, parts);
  return parts;
}

/** The names of the fields in a path template. */
export function fieldsOf(path: string): readonly string[] {
  return partsOf(path).filter((_, index) => index % 3 === 1);
}

/**
 * Fills a path template.
 *
 * @throws {InvalidInputError} when a value could change the structure of the path.
 */
export function fillPath(path: string, valueOf: (name: string) => string): string {
  const parts = partsOf(path);
  let filled = parts[0] ?? '';
  for (let at = 1; at < parts.length; at += 3) {
    const name = parts[at] ?? '';
    const values = parts[at + 1] === '*' ? valueOf(name).split('/') : [valueOf(name)];
    filled += values.map((value) => segment(name, value)).join('/') + (parts[at + 2] ?? '');
  }
  return filled;
}

const harmless = /^(?!(?:undefined|null|NaN)$)[\w-]+$/;

/** Encodes a value as one path segment. Characters that a server or proxy may treat as structure are rejected. */
function segment(name: string, value: string): string {
  if (harmless.test(value)) return value;
  const why = leavesItsSegment(value);
  if (why === undefined) return encodeURIComponent(value).replaceAll('%3A', ':').replaceAll('%40', '@');
  throw new InvalidInputError([{ path: [name], message: `\`${name}\` ${why}, so it cannot be part of a path` }]);
}

function leavesItsSegment(value: string): string | undefined {
  if (value.trim() === '') return value === '' ? 'is empty' : 'is blank';
  if (value === '.' || value === '..') return `is "${value}"`;
  if (isLostValue(value)) return `is "${value}", the text of a missing value`;
  if (/[/\\?#%\u0000-\u001f\u007f]/.test(value)) return 'contains one of / \\ ? # % or a control character';
  return value.isWellFormed() ? undefined : 'contains half a surrogate pair';
}

/** Whether a text is what JavaScript makes of no value, which no id is. */
export function isLostValue(text: string): boolean {
  return text === 'undefined' || text === 'null' || text === 'NaN' || text === '[object Object]';
}

/** A write as a book keeps it. */
export interface BookedWrite {
  /** Unique over all processes. */
  readonly id: string;
  /** Where it writes to: its endpoint, its user, and all fields of its input but the content. */
  readonly target: string;
  /** The checked input. */
  readonly input: unknown;
  /** When it was sent, in milliseconds since 1970, by the clock of the machine that sent it. */
  readonly sentAt: number;
  /** By the clock of the service, when it was sent at the latest, in milliseconds since 1970; absent while no response had shown that. */
  readonly latestAt?: number | undefined;
  /** `sent`: it may have been carried out. `rejected`: it certainly was not. */
  readonly state: 'sent' | 'done' | 'rejected';
  /** The name of the entry of the service that proves it; absent if none was found yet. */
  readonly entry?: string | undefined;
}

/**
 * The book of a seller's writes: which were sent, and which entry of the service proves which of them. An entry proves one
 * write, so that two equal writes need two entries.
 *
 * An entry has a name that is unique at the service, e.g. `message 5f1b`: see `entryOf` of an endpoint.
 */
export interface WriteBook {
  /** Returns the writes of the last day to a target, and those that one of these entries proves. */
  look(target: string, entries: readonly string[]): Promise<readonly BookedWrite[]>;
  /**
   * Records that an entry proves a write, unless it proves another one: in one step, also between processes.
   *
   * @returns whether it proves this write.
   */
  claim(entry: string, id: string): Promise<boolean>;
}
