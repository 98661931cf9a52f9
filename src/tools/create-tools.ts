import type { SellerClient } from '../client.js';
import { ConfigurationError, InvalidInputError } from '../core/errors/errors.js';
import { SellerError } from '../core/errors/seller-error.js';
import { Download } from '../core/files/download.js';
import { isPlainObject } from '../core/json/json.js';
import type { Endpoint } from '../core/operation/endpoint.js';
import {
  checkConfiguration,
  endpointList,
  integerFrom,
  listOf,
  ofType,
  withMethods,
  type Rule,
} from '../core/options/rules.js';
import { longInt, looseObject, printedAs } from '../core/schema/define.js';
import { shapeOf, type Schema } from '../core/schema/schema.js';
import { compactJson, fitting, leastChars } from './compact.js';
import { errorFacts, SentWrites, type SentOutcome, type UnknownWrites } from './error-result.js';
import { describedOperations, ownOperations, selected, toolName } from './own-operations.js';
import type { DescribedOperation } from './own-operations.js';
import { numericIds, strictSchema, withoutNulls, type JsonSchema } from './portable-schema.js';
import { previewText, readQuietly, requestText } from './preview.js';

/** Options of `createTools`. */
export interface ToolOptions {
  /**
   * The maximum length of a result, in characters: at least 500. Of a longer list only the first entries are returned, with
   * the offset of the next one; of other long values only the beginning, with how much was left out.
   *
   * @default 8000
   */
  readonly maxChars?: number | undefined;
  /**
   * The operations, or groups of them, that are tools, e.g. `['questions', 'messages.send']`. Those of `endpoints` always are.
   *
   * @default all but `flexV2`
   */
  readonly only?: readonly string[] | undefined;
  /**
   * Endpoints of your own that are tools, too. Their inputs are schemas of zod, or print JSON Schema (Standard JSON Schema).
   *
   * @default none
   */
  readonly endpoints?: readonly (Endpoint & { readonly summary?: string })[] | undefined;
  /**
   * Whether the schemas are in the form that `strict` of OpenAI and of other hosts asks for: every object is closed and every
   * field required, and a field that may be left out takes `null`. In both forms, `null` in such a field is "left out".
   *
   * @default false
   */
  readonly strict?: boolean | undefined;
}

/** The result of a tool. */
export interface ToolResult {
  /**
   * JSON: `{ result }`, or `{ error }` with the error's class, code, message and what to do. Ids are text, as inputs take them.
   * A `note` says that texts in «» may be written by buyers.
   */
  readonly text: string;
  readonly isError: boolean;
}

/** An operation of the service as a tool for a language model. */
export interface Tool {
  /** The name that a model uses, e.g. `questions_answer`. */
  readonly name: string;
  /** The name in `endpoints`, e.g. `questions.answer`. */
  readonly operation: string;
  /** What it does, in one clause, e.g. `Answers a question`. */
  readonly title: string;
  /** What it does, and what to know about it. */
  readonly description: string;
  /** Whether it changes something at the service: let a person agree first. */
  readonly changesSomething: boolean;
  /** The input as a schema of zod and a Standard Schema, for libraries that take one. It prints `jsonSchema`. */
  readonly inputSchema: Schema<Record<string, unknown>>;
  /** The input as JSON Schema, with a description of each field. */
  readonly jsonSchema: JsonSchema;
  /**
   * Returns the request that `run` would send: method, path, query and body. It asks nothing.
   *
   * @throws {InvalidInputError} when the input does not fit, or its file.
   */
  request(input: unknown): string;
  /**
   * Returns what a person has to see who agrees: a question in English, what it is about, the text in full, and the request.
   * It reads the buyer's question, or the last message of the conversation, and marks nothing as read.
   *
   * @throws {InvalidInputError} when the input does not fit, or its file.
   */
  preview(input: unknown): Promise<string>;
  /**
   * Calls the operation. An error of this library is a result, too. Reading messages does not mark them as read, unless the
   * input has `mark_as_read: true`. If the response to a write is lost, the write is read back and not repeated. A write is
   * not aborted by `signal`.
   */
  run(input: unknown, options?: { readonly signal?: AbortSignal | undefined }): Promise<ToolResult>;
}

/**
 * Creates a tool for each operation of a client, or of the clients of several sellers, whose tools take the `seller`: for MCP,
 * the AI SDK, or any library that takes JSON Schema.
 *
 * @throws {ConfigurationError} when an option is unknown or wrong, or names an operation that does not exist.
 *
 * @example
 * const search = createTools(seller, { only: ['questions'] }).find(({ name }) => name === 'questions_search');
 * const found = await search?.run({ seller_id: 7, filters: { status: 'UNANSWERED' } });
 * console.log(found?.isError, found?.text);
 */
export function createTools(
  client:
    | SellerClient
    | {
        /** Returns the client of a seller; `undefined` for anybody whose tokens are not there. */
        readonly for: (user_id: number) => Promise<SellerClient | undefined>;
        /** The ids of the sellers. */
        readonly ids: () => Promise<readonly number[]>;
      },
  options: ToolOptions = {},
): readonly Tool[] {
  checkConfiguration('createTools', options, rules);
  const { maxChars = 8000, only, endpoints = [], strict = false } = options;
  const known = describedOperations();
  const own = ownOperations(endpoints, known);
  const chosen = selected([...known, ...own], only);
  const operations = [...chosen, ...own.filter((each) => !chosen.includes(each))];
  const targets = new Targets(client);
  const shared = { targets, unknown: new Map(), maxChars, strict };
  const numbers = numericIds(operations.map(({ jsonSchema }) => jsonSchema));
  // What an own endpoint calls `id` may be any of the numbers.
  const ofOwn = new Set(numbers.length === 0 ? [] : [...numbers, 'id', 'ids']);
  return operations.map((operation) =>
    toolOf(operation, { ...shared, numbers: own.includes(operation) ? ofOwn : new Set(numbers) }),
  );
}

const rules: Readonly<Record<keyof ToolOptions, Rule>> = {
  maxChars: integerFrom(leastChars),
  only: listOf('string'),
  endpoints: endpointList,
  strict: ofType('boolean'),
};

/** What tools have in common. */
interface Shared {
  readonly targets: Targets;
  readonly unknown: UnknownWrites;
  readonly maxChars: number;
  readonly strict: boolean;
  /** The names of ids that stay numbers in results. */
  readonly numbers: ReadonlySet<string>;
}

function toolOf(operation: DescribedOperation, shared: Shared): Tool {
  const { targets, unknown, maxChars, strict, numbers } = shared;
  const { endpoint, description, changesSomething } = operation;
  const schema = targets.areMany ? withSeller(operation.jsonSchema) : operation.jsonSchema;
  const jsonSchema = strict ? strictSchema(schema) : schema;
  const complete = (given: unknown): unknown => withoutNulls(given, schema);
  const inputOf = (given: unknown): unknown => withBytes(endpoint, targets.inputOf(complete(given)));
  const outcomeOf = async (given: unknown, signal: AbortSignal | undefined): Promise<SentOutcome> => {
    const { input, options } = readQuietly(endpoint, inputOf(given));
    const { client, seller } = await targets.of(given);
    if (changesSomething) return new SentWrites(client, unknown, seller).send(endpoint, input);
    return { output: await client.call(endpoint, input, { ...options, signal }) };
  };
  return {
    name: toolName(endpoint),
    operation: endpoint.name,
    title: endpoint.summary,
    description,
    changesSomething,
    inputSchema: inputSchemaOf(endpoint, jsonSchema, targets.areMany, complete),
    jsonSchema,
    request: (input) => requestText(endpoint, inputOf(input)),
    preview: async (given) => previewText(endpoint, inputOf(given), () => targets.of(given)),
    run: async (given, { signal } = {}) => {
      const input = complete(given);
      const outcome = await outcomeOf(input, signal).catch((error: unknown): SentOutcome => {
        if (error instanceof SellerError) return { error };
        throw error;
      });
      if (outcome.error)
        return { text: fitting('error', errorFacts(outcome, endpoint, input), maxChars), isError: true };
      return {
        text: compactJson(await readable(outcome.output), maxChars, { endpoint, input, numbers }),
        isError: false,
      };
    },
  };
}

function withSeller({ properties, required = [], ...schema }: JsonSchema): JsonSchema {
  return {
    ...schema,
    properties: { [sellerField]: sellerSchema, ...properties },
    required: [sellerField, ...required],
  };
}

/** What libraries check an input with. That of another library than zod, or with a seller, is checked as a whole by `run`. */
function inputSchemaOf(
  { input }: Endpoint,
  jsonSchema: JsonSchema,
  areMany: boolean,
  complete: (given: unknown) => unknown,
): Tool['inputSchema'] {
  if (!areMany && '_zod' in input) return printedAs(input as Schema, jsonSchema, complete) as Tool['inputSchema'];
  const shape = { ...(areMany && { [sellerField]: longInt }), ...shapeOf(input) };
  return printedAs(looseObject(shape), jsonSchema, complete);
}

/** The sellers of an application, as `createSellers` returns them. */
type ToolSellers = Exclude<Parameters<typeof createTools>[0], SellerClient>;

/** For whom a tool is called. */
export interface ToolTarget {
  readonly client: SellerClient;
  /** The id of the seller, if there are several. */
  readonly seller?: string | undefined;
}

/** The field with which a model says for which of several sellers it calls. */
const sellerField = 'seller';

/** How the field looks in the input of each tool. */
const sellerSchema = {
  type: 'string',
  description: 'The id of the seller for whom it is called.',
  pattern: '^\\d+$',
};

/** Finds the client of a call: the only one, or that of the seller in its input. */
class Targets {
  readonly #given: SellerClient | ToolSellers;

  /** @throws {ConfigurationError} when it is neither a client nor the sellers */
  constructor(given: SellerClient | ToolSellers) {
    const isTaken = ['for', 'call'].some((name) => withMethods(name)(given) === undefined);
    if (!isTaken) throw new ConfigurationError('createTools takes a client, or what createSellers returns');
    this.#given = given;
  }

  get areMany(): boolean {
    return 'for' in this.#given;
  }

  /**
   * Returns the input of the operation, without the seller.
   *
   * @throws {InvalidInputError} when there are many sellers, and it names none.
   */
  inputOf(input: unknown): unknown {
    if (!this.areMany) return input;
    const { [sellerField]: seller, ...rest } = (isPlainObject(input) ? input : {}) as Record<string, unknown>;
    if (/^\d{1,15}$/.test(String(seller))) return rest;
    const problem = seller === undefined || seller === null ? 'is missing; it takes' : 'takes';
    throw new InvalidInputError([{ path: [sellerField], message: `\`seller\` ${problem} the id of a seller` }]);
  }

  /**
   * Returns for whom a tool is called.
   *
   * @throws {InvalidInputError} when the seller has not authorised the application.
   */
  async of(input: unknown): Promise<ToolTarget> {
    if (!('for' in this.#given)) return { client: this.#given };
    const seller = String((input as Record<string, unknown>)[sellerField]);
    const client = await this.#given.for(Number(seller));
    if (client) return { client, seller };
    const ids = await this.#given.ids();
    const message = `\`seller\` ${seller} has not authorised the application; the sellers are ${ids.join(', ')}`;
    throw new InvalidInputError([{ path: [sellerField], message }]);
  }
}

/**
 * Returns an input whose file is bytes: a model sends it in base64.
 *
 * @throws {InvalidInputError} when the file is not base64.
 */
function withBytes(endpoint: Endpoint, input: unknown): unknown {
  if (endpoint.requestBody !== 'multipart' || !isPlainObject(input)) return input;
  const { file } = input as { file?: unknown };
  try {
    if (typeof file !== 'string') throw new TypeError('no text');
    return { ...input, file: Uint8Array.from(atob(file), (each) => each.charCodeAt(0)) };
  } catch {
    throw new InvalidInputError([{ path: ['file'], message: '`file` takes the content of the file in base64' }]);
  }
}

/** Returns what a model can read of a file: its text, or only what is known of it. */
async function readable(output: unknown): Promise<unknown> {
  if (!(output instanceof Download)) return output;
  const { filename, contentType, size } = output;
  if (/^text\/|json|xml/.test(contentType ?? ''))
    return { filename, contentType, size, text: new TextDecoder().decode(await output.arrayBuffer()) };
  await output.cancel();
  return { filename, contentType, size, content: 'left out, because it is no text' };
}
