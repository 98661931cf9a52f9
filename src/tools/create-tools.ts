import type { SellerClient } from '../client.js';
import { checkConfiguration, integerFrom } from '../core/options/rules.js';
import { SellerError } from '../core/errors/seller-error.js';
import { printedAs } from '../core/schema/define.js';
import type { Schema } from '../core/schema/schema.js';
import { compactJson, fitting, leastChars } from './compact.js';
import { describedOperations } from './descriptions.js';
import type { DescribedOperation } from './descriptions.js';
import { errorFacts } from './error-result.js';
import { readable, withBytes } from './files-as-text.js';
import type { JsonSchema } from './portable-schema.js';
import { previewText } from './preview.js';
import { readQuietly } from './read-quietly.js';
import { requestText } from './request-text.js';
import { SentWrites } from './sent-writes.js';
import type { SentOutcome } from './sent-writes.js';

/** Options of `createTools`. */
export interface ToolOptions {
  /**
   * The maximum length of a result, in characters: at least 500. Of longer lists and texts only the beginning is returned,
   * with how much was left out.
   *
   * @default 8000
   */
  readonly maxChars?: number | undefined;
}

/** The result of a tool. */
export interface ToolResult {
  /**
   * JSON: `{ result }`, or `{ error }` with the error's class, code, message and what to do. A `note` says that texts in «»
   * may be written by buyers.
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
 * Creates a tool for each operation of a client: for MCP, the AI SDK, or any library that takes JSON Schema.
 *
 * @throws {ConfigurationError} when an option is unknown or wrong.
 *
 * @example
 * const search = createTools(seller).find(({ name }) => name === 'questions_search');
 * const found = await search?.run({ seller_id: 7, filters: { status: 'UNANSWERED' } });
 * console.log(found?.isError, found?.text);
 */
export function createTools(client: SellerClient, options: ToolOptions = {}): readonly Tool[] {
  checkConfiguration('createTools', options, { maxChars: integerFrom(leastChars) });
  const { maxChars = 8000 } = options;
  const writes = new SentWrites(client);
  return describedOperations().map((operation) => toolOf(operation, client, writes, maxChars));
}

function toolOf(operation: DescribedOperation, client: SellerClient, writes: SentWrites, maxChars: number): Tool {
  const { endpoint, description, jsonSchema, changesSomething } = operation;
  const outcomeOf = async (given: unknown, signal: AbortSignal | undefined): Promise<SentOutcome> => {
    const { input, options } = readQuietly(endpoint, withBytes(endpoint, given));
    if (changesSomething) return writes.send(endpoint, input);
    return { output: await client.call(endpoint, input, { ...options, signal }) };
  };
  return {
    name: endpoint.name.replaceAll('.', '_'),
    operation: endpoint.name,
    title: endpoint.summary,
    description,
    changesSomething,
    inputSchema: printedAs(endpoint.input, jsonSchema) as Schema<Record<string, unknown>>,
    jsonSchema,
    request: (input) => requestText(endpoint, withBytes(endpoint, input)),
    preview: async (input) => previewText(endpoint, withBytes(endpoint, input), client),
    run: async (input, { signal } = {}) => {
      const outcome = await outcomeOf(input, signal).catch((error: unknown): SentOutcome => {
        if (error instanceof SellerError) return { error };
        throw error;
      });
      if (outcome.error)
        return { text: fitting('error', errorFacts(outcome, endpoint, input), maxChars), isError: true };
      return { text: compactJson(await readable(outcome.output), maxChars, endpoint, input), isError: false };
    },
  };
}
