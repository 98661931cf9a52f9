import { parse } from 'graphql';
import { GraphQLClient } from 'graphql-request';
import { InvalidInputError, UnexpectedResponseError } from '../../../core/errors/errors.js';
import { SellerError } from '../../../core/errors/seller-error.js';

/** Sends one document and delivers the parsed, validated data of the response. */
export type SendDocument = (query: string) => Promise<unknown>;

/** Never requested: graphql-request needs a URL, and `fetch` below is one call of this package's client. */
const url = 'https://graphql.invalid/';

/**
 * Runs a GraphQL query through graphql-request, with a call of this package's client as its `fetch`. The two packages
 * weigh more than the rest of the client, so this file is loaded on first use.
 *
 * @returns the data of the response.
 * @throws {InvalidInputError} when the document is not GraphQL; nothing is sent.
 * @throws {UnexpectedResponseError} when the response holds no data object.
 */
export async function runQuery(document: string, send: SendDocument): Promise<unknown> {
  assertGraphql(document);
  let data: unknown;
  const client = new GraphQLClient(url, {
    // The service documents a body of `{query}` and nothing else.
    excludeOperationName: true,
    // The call writes and reads the JSON (and keeps long ids exact): nothing is serialized or parsed twice.
    jsonSerializer: { stringify: (body: { query: string }) => body.query, parse: () => ({ data }) },
    fetch: async (_: unknown, init?: { body?: unknown }) => {
      data = await send(String(init?.body));
      return new Response(null, { headers: { 'content-type': 'application/json' } });
    },
  });
  try {
    return await client.request<unknown>(document);
  } catch (error) {
    if (error instanceof SellerError) throw error;
    // An error of graphql-request prints the whole request, so it is not even kept as a cause.
    throw new UnexpectedResponseError('The response to a GraphQL query holds no data object', {
      status: 200,
      headers: new Headers(),
      body: data,
      issues: [],
    });
  }
}

function assertGraphql(document: string): void {
  try {
    parse(document);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it cannot be parsed';
    throw new InvalidInputError([{ path: ['query'], message: `\`query\` is not GraphQL: ${why}` }]);
  }
}
