import { ConfigurationError, InvalidInputError } from '../core/errors/errors.js';
import type { Endpoint } from '../core/operation/endpoint.js';
import { endpointError } from '../core/options/rules.js';
import { canonical } from '../core/recover/write-hook.js';
import { checkFields, checkInput } from '../core/request/build-request.js';
import { isIso, isZoned, millisecondsOf } from '../core/schema/define.js';
import { nodeModule } from '../core/scope/node-module.js';
import { defined, isObject } from '../core/json/json.js';
import { channelMessageParams } from '../resources/messages/schemas.js';
import type { KnownEndpoints, StoredJob, StoredStep } from './options.js';

/** The name that a step has which is no endpoint: `messages.contact`. */
export const contactName = 'contact';

/** The fields of a job, and those of a step. */
const jobFields = ['key', 'user_id', 'notBefore', 'endpoint', 'input', 'contact', 'steps'];
const stepFields = ['endpoint', 'input', 'contact'];
const maxKeyLength = 500;

/**
 * Checks a job before it is stored, and returns it as it is stored.
 *
 * @throws {InvalidInputError} when a field is missing or wrong, or an input does not fit its endpoint.
 * @throws {ConfigurationError} when an endpoint is wrong, only reads, or would not be known after a restart.
 */
export function checkJob(job: unknown, known: KnownEndpoints): StoredJob {
  if (!isObject(job)) throw wrong('job', 'a job is an object');
  assertOwner(job);
  const { key, user_id, notBefore, steps, ...step } = fieldsOf(job, jobFields, 'a job');
  const owner = { key: String(key), user_id: Number(user_id), notBefore: checkTime(notBefore) };
  if (steps === undefined) return stored(owner, checkSteps([step], owner.user_id, known));
  if (Object.keys(step).length > 0)
    throw wrong('steps', '`steps` stands in place of `endpoint`, `input` and `contact`');
  if (!Array.isArray(steps) || steps.length === 0) throw wrong('steps', '`steps` takes a list of steps');
  return stored(owner, checkSteps(steps, owner.user_id, known));
}

/** What is said first: whose job it is. */
function assertOwner({ key, user_id }: Readonly<Record<string, unknown>>): void {
  if (typeof key !== 'string' || key === '' || key.length > maxKeyLength)
    throw wrong('key', `\`key\` takes a text of 1 to ${maxKeyLength} characters`);
  // PostgreSQL stores no text with it.
  if (key.includes('\0')) throw wrong('key', '`key` takes a text without the character U+0000');
  if (!Number.isSafeInteger(user_id)) throw wrong('user_id', '`user_id` takes the id of the seller, a whole number');
}

/** The longest time until a job begins. */
const latestDays = 90;

/** When a job may begin, as it is stored; `undefined`: now. */
function checkTime(time: unknown): string | undefined {
  if (time === undefined) return undefined;
  const isWritten = typeof time === 'string' && isZoned(time) && isIso(time);
  const at = isWritten ? millisecondsOf(time) : time instanceof Date ? time.getTime() : NaN;
  const now = Date.now();
  if (Number.isNaN(at))
    throw wrong(
      'notBefore',
      '`notBefore` takes a Date, or a time in ISO 8601 with its time zone, such as "2026-03-02T09:00:00-03:00"',
    );
  if (at > now + latestDays * 86_400_000)
    throw wrong('notBefore', `\`notBefore\` takes a time within ${latestDays} days from now`);
  return at > now ? new Date(at).toISOString() : undefined;
}

function stored(owner: Pick<StoredJob, 'key' | 'user_id' | 'notBefore'>, steps: readonly StoredStep[]): StoredJob {
  const pack = steps.map(({ input }) => input.pack_id).find((each) => each !== undefined);
  const isId = typeof pack === 'number' || typeof pack === 'string';
  const { notBefore, ...job } = owner;
  return { ...job, ...(isId && { pack_id: pack }), ...(notBefore !== undefined && { notBefore }), steps };
}

function checkSteps(steps: readonly unknown[], user_id: number, known: KnownEndpoints): readonly StoredStep[] {
  let files = 0;
  const checked = steps.map((step, index) => {
    const place = steps.length === 1 ? '' : `steps[${index}]: `;
    const stored = within(place, () => checkStep(step, user_id, files, known));
    files = isUpload(stored) ? files + 1 : takesFiles(stored) ? 0 : files;
    return stored;
  });
  if (files > 0 && steps.length > 1)
    throw wrong('steps', 'the file of an upload is used by no message: a step that sends one has to follow');
  return checked;
}

function checkStep(step: unknown, user_id: number, files: number, known: KnownEndpoints): StoredStep {
  const { endpoint, input, contact } = fieldsOf(step, stepFields, 'a step');
  if (contact !== undefined) {
    if (endpoint !== undefined || input !== undefined)
      throw wrong('contact', '`contact` stands in place of `endpoint` and `input`');
    return checkContact(contact, user_id, files);
  }
  const found = endpointOf(endpoint, known);
  const stored = asJson(input, found.requestBody === 'multipart');
  checkInput(found, takesFiles({ endpoint: found.name }) ? withFiles(stored, files) : stored);
  assertSeller(stored, found.path, user_id);
  return { endpoint: found.name, input: stored };
}

function checkContact(contact: unknown, user_id: number, files: number): StoredStep {
  const input = asJson(contact, false);
  checkFields(channelMessageParams, withFiles(input, files));
  assertSeller(input, '/{user_id}', user_id);
  return { endpoint: contactName, input };
}

function endpointOf(endpoint: unknown, known: KnownEndpoints): Endpoint {
  const problem = endpointError(endpoint);
  if (problem) throw new ConfigurationError(problem.message.replace('Not sent', 'Not added'));
  const { name, retry, method } = endpoint as Endpoint;
  if (retry === 'safe') throw new ConfigurationError(`Not added: ${name} only reads; an outbox sends writes`);
  const found = known.get(name);
  if (found?.method === method) return found;
  throw new ConfigurationError(
    `Not added: ${name} is no endpoint of this package, so it would not be known after a restart; name it in \`endpoints\` of createOutbox`,
  );
}

/** As it is after a restart. */
function asJson(input: unknown, isUpload: boolean): StoredStep['input'] {
  if (!isObject(input)) throw wrong('input', '`input` takes an object');
  if (isUpload) checkFile(input);
  try {
    return JSON.parse(JSON.stringify(input, withoutBigInts)) as StoredStep['input'];
  } catch {
    throw wrong('input', '`input` cannot be written as JSON');
  }
}

function withoutBigInts(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/** The file is read when it is sent, perhaps by another process. */
function checkFile({ file }: Readonly<Record<string, unknown>>): void {
  if (typeof file !== 'string')
    throw wrong('file', '`file` takes the path of a file: an outbox stores no bytes, and sends after a restart');
  if (sizeAt(file) === 0)
    throw wrong('file', '`file` names no file, or an empty one; it takes a path: an outbox stores no bytes');
}

function sizeAt(path: string): number {
  try {
    return nodeModule('node:fs')?.statSync(path)?.size ?? 0;
  } catch {
    return 0;
  }
}

/** The seller whose token is used is the seller of the path. */
function assertSeller({ user_id: stated }: StoredStep['input'], path: string, user_id: number): void {
  // The input was checked: an id is a number or a text.
  if (!path.includes('{user_id}') || canonical(stated) === canonical(user_id)) return;
  throw wrong('user_id', `\`user_id\` of the input is ${canonical(stated)}, but the job is of the seller ${user_id}`);
}

/** Whether a step stores a file for the message that follows. */
export function isUpload({ endpoint }: StoredStep): boolean {
  return endpoint === 'messages.upload';
}

/** Whether the files that were uploaded before are added to the input of a step. */
export function takesFiles({ endpoint }: Pick<StoredStep, 'endpoint'>): boolean {
  return endpoint === contactName || endpoint === 'messages.send';
}

/** As long as the files are not uploaded, names of the length of theirs stand for their ids. */
function withFiles(input: StoredStep['input'], files: number): StoredStep['input'] {
  const given = Array.isArray(input.attachments) ? (input.attachments as readonly unknown[]) : [];
  const attachments = [...given, ...Array.from({ length: files }, (_, index) => `file-${index}`)];
  return files === 0 ? input : { ...input, attachments };
}

function fieldsOf(value: unknown, names: readonly string[], what: string): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw wrong('job', `${what} is an object`);
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown === undefined) return defined(value);
  throw wrong(unknown, `${what} has no field \`${unknown}\`; its fields are ${names.join(', ')}`);
}

function wrong(field: string, message: string): InvalidInputError {
  return new InvalidInputError([{ path: [field], message }], 'Not added: ');
}

/** Says in which step an input is wrong. */
function within<T>(place: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    const issues = error.issues.map((issue) => ({ ...issue, message: `${place}${issue.message}` }));
    throw new InvalidInputError(issues, 'Not added: ');
  }
}
