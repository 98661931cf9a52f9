import { parse } from 'graphql';
import { GraphQLClient } from 'graphql-request';
import type { Issue } from '../../../core/schema/issue.js';

/** Sends one document and returns the parsed, validated data of the response. */
export type SendDocument = (query: string) => Promise<unknown>;

/** Never requested: graphql-request needs a URL, but its `fetch` below makes a call of this package's client. */
const url = 'https://graphql.invalid/';

/**
 * Runs a GraphQL query with graphql-request, which sends it through a call of this package's client. `graphql` and
 * `graphql-request` are larger than the rest of the client, so this file is loaded on first use. It imports no values
 * from the client, because bundlers would move them to a separate chunk; therefore `reject` creates the error.
 *
 * @returns the data of the response.
 * @throws what `reject` returns when the document is not GraphQL; nothing is sent.
 * @throws what `send` throws.
 * @throws {Error} when the response contains no data object. This error prints the whole request.
 */
export async function runQuery(
  document: string,
  send: SendDocument,
  reject: (issue: Issue) => Error,
): Promise<unknown> {
  assertGraphql(document, reject);
  let data: unknown;
  const client = new GraphQLClient(url, {
    // The documented body is `{query}` without other fields.
    excludeOperationName: true,
    // The call serializes and parses the JSON, and keeps long ids exact, so nothing is done twice here.
    jsonSerializer: { stringify: (body: { query: string }) => body.query, parse: () => ({ data }) },
    fetch: async (_: unknown, init?: { body?: unknown }) => {
      data = await send(String(init?.body));
      return new Response(null, { headers: { 'content-type': 'application/json' } });
    },
  });
  return await client.request<unknown>(document);
}

function assertGraphql(document: string, reject: (issue: Issue) => Error): void {
  try {
    parse(document);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it cannot be parsed';
    throw reject({ path: ['query'], message: `\`query\` is not GraphQL: ${why}` });
  }
}
