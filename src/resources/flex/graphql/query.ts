import { parse } from 'graphql';
import { GraphQLClient } from 'graphql-request';
import type { Issue } from '../../../core/schema/issue.js';

/** Sends one document and delivers the parsed, validated data of the response. */
export type SendDocument = (query: string) => Promise<unknown>;

/** Never requested: graphql-request needs a URL, and `fetch` below is one call of this package's client. */
const url = 'https://graphql.invalid/';

/**
 * Runs a GraphQL query through graphql-request, with a call of this package's client as its `fetch`. The two packages
 * weigh more than the rest of the client, so this file is loaded on first use. What it imports of the client would be split
 * from the rest in every bundle, so `reject` creates its error.
 *
 * @returns the data of the response.
 * @throws what `reject` returns when the document is not GraphQL; nothing is sent.
 * @throws what `send` throws.
 * @throws {Error} when the response holds no data object. It prints the whole request.
 */
export async function runQuery(
  document: string,
  send: SendDocument,
  reject: (issue: Issue) => Error,
): Promise<unknown> {
  assertGraphql(document, reject);
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
