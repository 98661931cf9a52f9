import { parse } from 'graphql';
import { GraphQLClient } from 'graphql-request';
import { InvalidInputError, UnexpectedResponseError } from '../../../core/errors/errors.js';
import { executionResult } from './response.js';
import { SellerError } from '../../../core/errors/seller-error.js';

/** Sends one document and gives the body of its answer. */
export type SendDocument = (query: string) => Promise<unknown>;

/** Never asked: graphql-request wants an address, and `fetch` below is one call of the client's own. */
const address = 'https://graphql.invalid/';

/**
 * Runs a GraphQL query through graphql-request, with the client's own way to the service as its `fetch`. The two
 * packages weigh more than the rest of the client, so this file is loaded on first use.
 *
 * @returns the answer's data, which the service sends bare or as `{data}`.
 * @throws {InvalidInputError} when the document is not GraphQL; nothing is sent.
 */
export async function runQuery(document: string, send: SendDocument): Promise<unknown> {
  try {
    parse(document);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it cannot be parsed';
    throw new InvalidInputError([{ path: ['query'], message: `\`query\` is not GraphQL: ${why}` }]);
  }
  let answered: unknown;
  const client = new GraphQLClient(address, {
    // The service documents a body of `{query}` and nothing else.
    excludeOperationName: true,
    jsonSerializer: {
      stringify: (value: unknown) => JSON.stringify(value),
      parse: (text: string) => executionResult(JSON.parse(text)),
    },
    fetch: async (_: unknown, init?: { body?: unknown }) => {
      const { query } = JSON.parse(String(init?.body)) as { query: string };
      answered = (await send(query)) ?? null;
      return Response.json(answered);
    },
  });
  try {
    return await client.request<unknown>(document);
  } catch (error) {
    if (error instanceof SellerError) throw error;
    // graphql-request's own error prints the whole request, so it must not get out, not even as a cause.
    throw new UnexpectedResponseError('The answer to a GraphQL query is not one', {
      status: 200,
      headers: new Headers(),
      body: answered,
      issues: [],
    });
  }
}
