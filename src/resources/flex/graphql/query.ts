import { parse } from 'graphql';
import { GraphQLClient } from 'graphql-request';
import type { EndpointExchange, RejectInput } from '../../../core/operation/endpoint.js';

/**
 * Returns the exchange of a GraphQL query: graphql-request writes the body and reads the response, and its `fetch` is
 * one attempt of the call. `graphql` and `graphql-request` are larger than the rest of the client, so this file is
 * loaded on first use. It imports no values from the client, because bundlers would move them to a separate chunk.
 *
 * @throws what `reject` returns when the document is not GraphQL; nothing is sent.
 */
export function queryExchange(
  document: string,
  parseResult: (text: string) => object,
  reject: RejectInput,
): EndpointExchange {
  assertGraphql(document, reject);
  return (url, send) => {
    const client = new GraphQLClient(url, {
      // The documented body is `{query}` without other fields.
      excludeOperationName: true,
      jsonSerializer: { parse: parseResult, stringify: JSON.stringify },
      fetch: async (_, init) => {
        const text = await send(init?.body as string);
        return new Response(text, { headers: { 'content-type': 'application/json' } });
      },
    });
    return client.request<unknown>(document);
  };
}

function assertGraphql(document: string, reject: RejectInput): void {
  try {
    parse(document);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it cannot be parsed';
    throw reject({ path: ['query'], message: `\`query\` is not GraphQL: ${why}` });
  }
}
