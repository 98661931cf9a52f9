import type { SellerClient } from '../client.js';
import { InvalidInputError } from '../core/errors/errors.js';
import { checkFile, type FileInput } from '../core/files/file-source.js';
import { isPlainObject } from '../core/json/json.js';
import type { Endpoint } from '../core/operation/endpoint.js';
import { insideOf } from '../core/recover/write-hook.js';
import { buildRequest } from '../core/request/build-request.js';
import { shapeOf } from '../core/schema/schema.js';
import type { CallOptions } from '../core/scope/call-options.js';
import { endpoints } from '../endpoints.js';

/** Something that a person has to know: its name, and a text in full. */
type Fact = readonly [name: string, text: string];

/** What a person agrees to: a question, and what it is about. */
interface Subject {
  readonly question: string;
  readonly facts?: readonly Fact[];
}

/** The input of any operation; the endpoint's schema has checked it. */
type CheckedInput = Readonly<Record<string, string | undefined>> & { readonly to?: { readonly user_id: string } };

/** Reading what a question is about must not keep the person waiting. */
const deadlineMs = 10_000;

/**
 * Returns what a person agrees to: a question in English, what it is about, read first without marking anything as read, the
 * text in full, and the request. What cannot be read is said; the question is asked all the same.
 *
 * @throws {InvalidInputError} when the input does not fit.
 */
export async function previewText(
  endpoint: Endpoint,
  input: unknown,
  targetOf: () => Promise<{ readonly client: SellerClient; readonly seller?: string | undefined }>,
): Promise<string> {
  // What is wrong is said before anything is read.
  const request = requestText(endpoint, input);
  const { client, seller } = await targetOf();
  const { question, facts = [] } = await subjectOf(endpoint, input as CheckedInput, client);
  const { text } = input as { text?: unknown };
  const all: readonly Fact[] = [
    ...(seller === undefined ? [] : [['Seller', seller] as const]),
    ...facts,
    ...(typeof text === 'string' ? [['Text', text] as const] : []),
  ];
  const about = all.map(([name, each]) => `${name}: ${inMarks(each)}`).join('\n');
  return [visible(question), about, request].filter((each) => each !== '').join('\n\n');
}

async function subjectOf(endpoint: Endpoint, input: CheckedInput, client: SellerClient): Promise<Subject> {
  if (endpoint.retry === 'safe' && marksAsRead(input))
    return { question: `Mark the messages of pack ${input.pack_id} as read, which the buyer can see?` };
  const ask = Object.hasOwn(subjects, endpoint.name) ? subjects[endpoint.name] : undefined;
  return (await ask?.(input, client)) ?? { question: `${summaryOf(endpoint)}?` };
}

/** What is asked, by the operation. */
const subjects: Readonly<Record<string, (input: CheckedInput, client: SellerClient) => Subject | Promise<Subject>>> = {
  'questions.ask': ({ item_id }) => ({ question: `Ask a question about ${item_id}?` }),
  'questions.answer': (input, client) => aboutQuestion('Answer', input, client),
  'questions.delete': (input, client) => aboutQuestion('Delete', input, client),
  'questions.hide': (input, client) => aboutQuestion('Hide', input, client),
  'questions.blacklist.add': ({ user_id, seller_id }) => ({
    question: `Block user ${user_id} from asking seller ${seller_id}?`,
  }),
  'questions.blacklist.remove': ({ user_id, seller_id }) => ({
    question: `Allow user ${user_id} to ask seller ${seller_id} again?`,
  }),
  'messages.send': async ({ pack_id, user_id, to }, client) => ({
    question: `Send a message to user ${to?.user_id} about pack ${pack_id}?`,
    facts: await lastMessage(pack_id, user_id, client),
  }),
  'actionGuide.send': async ({ pack_id, option_id }, client) => ({
    question: `Send a first message (${option_id}) to the buyer of pack ${pack_id}?`,
    facts: await lastMessage(pack_id, insideOf(client)?.user, client),
  }),
  'messages.upload': ({ filename = '' }) => ({ question: `Store the file ${inMarks(filename)} for a message?` }),
  ...flexSubjects('flex', 'setDelivery', 'addZones'),
  ...flexSubjects('flexV2', 'setDeliveryRanges', 'setZones'),
  'flexV2.setRadius': ({ user_id, radius }) => ({
    question: `Set the radius in which seller ${user_id} delivers with Turbo to ${radius} metres?`,
  }),
  'flexV2.setHolidays': ({ user_id }) => ({ question: `Set the holidays of seller ${user_id} in Flex?` }),
  'flexV2.assignCourier': ({ courier_id, shipment_id }) => ({
    question: `Assign shipment ${shipment_id} to courier ${courier_id}?`,
  }),
};

/** What both generations of Flex ask. */
function flexSubjects(group: string, delivery: string, zones: string): typeof subjects {
  return {
    [`${group}.items.enable`]: ({ item_id }) => ({ question: `Enable ${item_id} for Flex?` }),
    [`${group}.items.disable`]: ({ item_id }) => ({ question: `Disable ${item_id} for Flex?` }),
    [`${group}.${delivery}`]: ({ user_id }) => ({
      question: `Set when and how much seller ${user_id} delivers with Flex?`,
    }),
    [`${group}.${zones}`]: ({ user_id }) => ({
      question: `Set the zones to which seller ${user_id} delivers with Flex?`,
    }),
  };
}

async function aboutQuestion(verb: string, { question_id = '' }: CheckedInput, client: SellerClient): Promise<Subject> {
  return client.call(endpoints.questions.get, { question_id }, { deadlineMs }).then(
    ({ from, buyer_id, item_id, text }) => ({
      question: `${verb} the question of buyer ${from?.id ?? buyer_id ?? 'unknown'} about ${item_id}?`,
      facts: [['Question', text ?? '']],
    }),
    (error: unknown) => ({ question: `${verb} the question ${question_id}?`, facts: [unread('question', error)] }),
  );
}

async function lastMessage(pack_id = '', user_id: string | undefined, client: SellerClient): Promise<Fact[]> {
  if (user_id === undefined) return [];
  const page = { pack_id, user_id, limit: 1, mark_as_read: false };
  return client.call(endpoints.messages.conversation, page, { deadlineMs }).then(
    ({ messages }) =>
      (messages ?? []).slice(0, 1).map(({ from, text }): Fact => {
        return [`Last message, of ${String(from?.user_id) === user_id ? 'the seller' : 'the buyer'}`, text ?? ''];
      }),
    (error: unknown) => [unread('conversation', error)],
  );
}

function unread(what: string, error: unknown): Fact {
  return [`The ${what} could not be read`, error instanceof Error ? error.name : 'an error'];
}

/** What an operation does; one that an application defines may have no words for it. */
function summaryOf({ name, ...rest }: Endpoint): string {
  return (rest as { summary?: string }).summary ?? `Call ${name}`;
}

const baseUrl = 'http://service';
const settings = { options: { baseUrl }, headers: {}, isSecretHeader: () => false };

/**
 * Returns the request of a call for a person to read: method, path, query, headers and body, each in a line that nothing in the
 * input can leave. The token is not in it.
 *
 * @throws {InvalidInputError} when the input does not fit, also its file.
 */
export function requestText(endpoint: Endpoint, given: unknown): string {
  const { input, options } = readQuietly(endpoint, given);
  const { url, headers, body, bodyValue } = buildRequest(endpoint, input, options, settings);
  const lines = [
    `${endpoint.method} ${url.slice(baseUrl.length)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(endpoint.requestBody === 'multipart' ? [fileText(bodyValue as FileInput, endpoint.maxUploadBytes)] : []),
    ...(body === undefined ? [] : [body]),
  ];
  return lines.map(visible).join('\n');
}

/** The name, the type and the size of a file to upload. */
function fileText(file: FileInput, maxBytes = Infinity): string {
  const checked = checkFile(file, maxBytes);
  if ('issues' in checked) throw new InvalidInputError(checked.issues);
  const { source, filename } = checked;
  const size = source.kind === 'bytes' ? `, ${source.bytes.byteLength} bytes` : '';
  return `The file ${inMarks(filename)}, ${file.contentType ?? 'with the type that its name says'}${size}`;
}

/** Puts a text in «», which it cannot leave, as a person has to see it. */
function inMarks(text: string): string {
  return `«${visible(text).replace(/[«»]/g, escaped)}»`;
}

/** Shows characters that end a line, or that hide or reorder what stands around them. A mark for emoji stays. */
function visible(text: string): string {
  return text.replace(/(?!\ufe0f)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, escaped);
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`;
}

/** Reading messages marks them as read, and the buyer sees it: the input must ask for it. */
const field = 'mark_as_read';

/** Returns an input and options with which reading messages does not mark them as read, unless the input says so. */
export function readQuietly(
  endpoint: Endpoint,
  input: unknown,
): { readonly input: unknown; readonly options: CallOptions } {
  if (!isPlainObject(input) || endpoint.retry !== 'safe' || !endpoint.path.startsWith('/messages'))
    return { input, options: {} };
  if (field in shapeOf(endpoint.input)) return { input: { [field]: false, ...input }, options: {} };
  return { input, options: { query: { [field]: 'false' } } };
}

/** Whether an input asks to mark messages as read, which is a change that the buyer sees. */
export function marksAsRead(input: unknown): boolean {
  return (input as { [field]?: unknown } | null | undefined)?.[field] === true;
}
