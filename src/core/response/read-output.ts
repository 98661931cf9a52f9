import { ConfigurationError, summarizeIssues, type Issue, type Path } from '../errors/errors.js';
import { printable, redactorOf, userTexts } from '../errors/redactor.js';
import { UnexpectedResponseError } from '../errors/response-errors.js';
import { withMessageParts } from '../errors/seller-error.js';
import { isObject } from '../json/json.js';
import type { Endpoint } from '../operation/endpoint.js';
import type { ResolvedOptions } from '../options/client-options.js';
import type { SentCall } from '../request/build-request.js';
import { isObjectWithMainList, read, type Difference, type ReadValue } from '../schema/read.js';
import { valueAt, type StandardSchema } from '../schema/schema.js';
import { ignoreErrors } from '../scope/cancel-scope.js';
import { hasContent, type BufferedResponse } from './body.js';

type ValidationOptions = Pick<ResolvedOptions, 'responseValidation' | 'onDrift'>;

/** An output, and the error of a response that belongs to another request. */
interface ReadOutput extends Pick<ReadValue, 'value' | 'leftOut'> {
  readonly ofAnother?: Error | undefined;
}

/**
 * Reads the output in the body of a success with the schema of the endpoint.
 *
 * @throws {UnexpectedResponseError} when the body is not JSON, or something required is missing or wrong.
 */
export function readOutput(
  response: BufferedResponse,
  schema: StandardSchema,
  call: SentCall,
  { responseValidation, onDrift }: ValidationOptions,
): ReadOutput {
  if (response.isTruncated) throw unexpectedResponse('a body that is longer than `maxResponseBytes`', response, call);
  const { value, problem } = outputIn(response, call.request.endpoint);
  if (problem !== undefined) throw unexpectedResponse(problem, response, call, value);
  // An empty list may be `null` or absent, but a body of something else is no empty list.
  const isOther = isObject(value) && Object.keys(value).length > 0 && isObjectWithMainList(schema);
  if (isOther && !hasContent(schema, value, Object.keys))
    throw unexpectedResponse('a body without a list, or any other documented field', response, call, value);
  const { endpoint, input } = call.request;
  let found: ReadValue | Misfit;
  try {
    const body = endpoint.complete ? endpoint.complete(value, input) : value;
    found = read(schema, body, responseValidation !== 'throw');
  } catch (error) {
    // The response has arrived, so the error of the call must say what is known of it.
    found = misfitOf(error);
  }
  if ('value' in found) {
    const { ofAnother, differences } = compareIds(endpoint, input, found.value);
    if (ofAnother) {
      // A cache or a proxy mixes users, or a server responded twice. The body is of somebody else, so it is not shown.
      const told = { own: 'got the response to another request', said: ofAnother.message };
      return { ...found, ofAnother: responseError(told, response, call, { issues: [ofAnother] }) };
    }
    if (onDrift) reportDrift(call, [...found.differences, ...differences, ...damagedTexts(response)], onDrift);
    return found;
  }
  const what = value === undefined ? 'an empty body' : 'a body of another shape';
  throw unexpectedResponse(what, response, call, response.body.value, found);
}

/** Why a value could not be read. */
interface Misfit {
  readonly issues: readonly Issue[];
  /** What the schema threw. */
  readonly thrown?: unknown;
}

/** A schema may fail: one of the user's own, or any schema where very deep nesting overflows the stack. */
function misfitOf(error: unknown): Misfit {
  const isNamed = error instanceof ConfigurationError;
  const why = error instanceof Error ? `: ${error.message}` : '';
  const message = isNamed
    ? error.message.replace(/^A schema of the endpoint/, 'its schema')
    : `its schema failed${why}`;
  return { issues: [{ path: [], message }], thrown: isNamed ? error.cause : error };
}

function reportDrift(
  call: SentCall,
  differences: readonly Difference[],
  onDrift: NonNullable<ValidationOptions['onDrift']>,
): void {
  if (differences.length === 0) return;
  const { endpoint } = call.request;
  const redactor = redactorOf(call);
  for (const { path, message, received } of differences)
    ignoreErrors(() => onDrift({ endpoint, path, expected: redactor.text(message), received }));
}

function unexpectedResponse(
  what: string,
  response: BufferedResponse,
  call: SentCall,
  body?: unknown,
  misfit: Misfit = { issues: [] },
): Error {
  const isRead = call.request.endpoint.retry === 'safe';
  const warning =
    ' The service reported success, so the write was most likely carried out; do not retry it without checking.';
  const told = { own: `responded ${response.status} with ${what}`, end: `.${isRead ? '' : warning}` };
  const said = body === undefined ? '' : summarizeIssues(misfit.issues);
  return responseError({ ...told, said }, response, call, misfit, body);
}

function responseError(
  { own, said, end = '' }: { readonly own: string; readonly said: string; readonly end?: string },
  { status, headers }: BufferedResponse,
  call: SentCall,
  misfit: Misfit,
  body?: unknown,
): Error {
  const { request, attempts } = call;
  const { endpoint } = request;
  const hasThrown = 'thrown' in misfit;
  // What a schema throws may repeat the texts of the body.
  const redactor = redactorOf(call, hasThrown ? userTexts(body) : undefined);
  const shown = (text: string): string => (hasThrown ? redactor.foreignText(text) : redactor.text(text));
  const details = {
    status,
    headers: redactor.headers(headers),
    body: redactor.body(body),
    issues: misfit.issues.map((issue) => ({ ...issue, message: shown(issue.message) })),
    endpoint,
    attempts,
  };
  const cause = hasThrown ? redactor.error(misfit.thrown) : undefined;
  const parts = { own: `${endpoint.method} ${endpoint.path} ${own}`, said: printable(shown(said)) };
  const message = [parts.own, parts.said].filter((part) => part !== '').join(': ') + end;
  const error = new UnexpectedResponseError(message, details, cause === undefined ? {} : { cause });
  return withMessageParts(error, parts);
}

/** Reads the output of a success. `problem` says why there is none; `value` is then the body. */
function outputIn(response: BufferedResponse, { retry }: Endpoint): { value: unknown; problem?: string } {
  const { text, result } = response;
  if (typeof result === 'object') return result;
  const { isJson, value } = response.body;
  if (!isJson && retry !== 'safe' && isPlainText(text)) return { value: text.trim() };
  if (!isJson) return { value, problem: 'a body that is not JSON' };
  if (result === undefined) return { value };
  return { value, problem: value === undefined ? 'an empty body' : 'a body of another shape' };
}

/** Whether a text is neither HTML nor the beginning of JSON: then it can be the response to a write, which is done. */
function isPlainText(text: string): boolean {
  return !/^\s*[<{["]/.test(text);
}

interface ComparedIds {
  /** Why the response belongs to another request; `undefined` if it does not. */
  readonly ofAnother?: Issue | undefined;
  /** The ids that differ in a response that belongs to this request. */
  readonly differences: readonly Difference[];
}

/** Compares the ids in an output with those of the input. What is absent on either side is not compared. */
export function compareIds(
  { identity, listOf, related }: Pick<Endpoint, 'identity' | 'listOf' | 'related'>,
  input: unknown,
  output: unknown,
): ComparedIds {
  const own = compareAt(identity, input, output);
  const owners = compareAt(listOf, input, output);
  const [ofAnother] = owners.hasSame ? own.others : [...own.others, ...owners.others];
  if (ofAnother) {
    const { path, id, asked } = ofAnother;
    return { ofAnother: { path, message: `\`${path.join('.')}\` is ${id}, not ${asked}` }, differences: [] };
  }
  const differences = [...owners.others, ...compareAt(related, input, output).others].map(({ path, id, asked }) => {
    return { path, message: `\`${path.join('.')}\` takes ${asked}`, received: typeof id };
  });
  return { differences };
}

/** An id that is none of those asked for, and what asks for them, in words. */
interface OtherId {
  readonly path: Path;
  readonly id: number | string;
  readonly asked: string;
}

/**
 * Compares the ids at each path of an output: `id`, `*.id`, `questions.*.seller_id`. `*` is each entry of a list, or the value
 * itself if it is no list.
 */
function compareAt(
  paths: Endpoint['identity'],
  input: unknown,
  output: unknown,
): { hasSame: boolean; others: OtherId[] } {
  const found: ReturnType<typeof compareAt> = { hasSame: false, others: [] };
  if (!paths) return found;
  for (const path of new Set(Object.values(paths))) {
    const fields = Object.keys(paths).filter((field) => paths[field] === path);
    const given = fields.filter((field) => (valueAt(field.split('.'), input) ?? undefined) !== undefined);
    const ids: unknown[] = given.flatMap((field) => valueAt(field.split('.'), input)).map(idText);
    const steps = path.split('.');
    const star = steps.indexOf('*');
    const around = steps.slice(0, Math.max(0, star));
    const inside = steps.slice(star + 1);
    const value = ids.length > 0 ? valueAt(around, output) : undefined;
    const list = star >= 0 && Array.isArray(value) ? (value as unknown[]) : undefined;
    for (const [index, entry] of (list ?? [value]).entries()) {
      const id = valueAt(inside, entry);
      if (!isId(id)) continue;
      if (ids.includes(id) || ids.includes(idText(id))) {
        // Most entries of a list repeat the id as it was in the first.
        if (!ids.includes(id)) ids.push(id);
        found.hasSame = true;
      } else if (isComparable(id, ids)) {
        const asked = `the ${given.map((field) => `\`${field}\``).join(' or ')} of the call`;
        found.others.push({ path: [...around, ...(list ? [index] : []), ...inside], id, asked });
      }
    }
  }
  return found;
}

function isId(value: unknown): value is number | string {
  return Number.isSafeInteger(value) || (typeof value === 'string' && value !== '');
}

/** Returns an id as text that is the same for the same entity. The service writes some as numbers and some as text, and sites and items in upper case. */
export function idText(id: unknown): string {
  return String(id)
    .toUpperCase()
    .replace(/^0+(?=\d)/, '');
}

const digits = /^\d+$/;

/** A text in place of a number is drift and names no other resource. */
function isComparable(id: number | string, asked: readonly unknown[]): boolean {
  return digits.test(String(id)) || asked.some((each) => !digits.test(String(each)));
}

/** Stands where a character could not be read: a service, a proxy or this client has read a text in another charset. */
const replacement = '\uFFFD';
/** Texts that are nested deeper are not searched. */
const deepest = 200;

/** Finds the texts of a response that have lost characters on their way. */
function damagedTexts({ text, body }: BufferedResponse): readonly Difference[] {
  const mayHaveOne = text.includes(replacement) || /\\ufffd/i.test(text);
  return mayHaveOne ? [...damagedIn(body.value, [])] : [];
}

function* damagedIn(value: unknown, path: Path): Generator<Difference> {
  if (typeof value === 'string') {
    const name = path.length === 0 ? 'the body' : `\`${path.join('.')}\``;
    if (value.includes(replacement))
      yield { path, message: `${name} has replacement characters: a part of it is lost`, received: 'string' };
  } else if (typeof value === 'object' && value !== null && path.length < deepest) {
    for (const [name, each] of Object.entries(value))
      yield* damagedIn(each, [...path, Array.isArray(value) ? Number(name) : name]);
  }
}
