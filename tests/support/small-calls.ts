import type { ApiPromise, CallOptions, Endpoint, SellerClient } from 'marketplace-seller-sdk';
import * as z from 'zod/mini';

const base = {
  name: 'test.call',
  path: '/things',
  input: z.looseObject({}),
  output: z.looseObject({ id: z.optional(z.number()) }),
  errors: [],
} as const;

type Output = ApiPromise<{ id?: number | undefined }>;

/** One call of each kind that a connection treats differently. Each returns the `id` in the response. */
export const smallCalls: readonly (readonly [
  name: string,
  call: (client: SellerClient, options?: CallOptions) => Output,
])[] = [
  ['GET', (client, options) => client.call(of('GET', 'safe'), {}, options)],
  ['POST', (client, options) => client.call(of('POST', 'unsafe'), { text: 'Yes.' }, options)],
  ['PUT', (client, options) => client.call(of('PUT', 'idempotent'), { text: 'Yes.' }, options)],
  ['DELETE', (client, options) => client.call(of('DELETE', 'unsafe'), {}, options)],
  [
    'upload',
    (client, options) =>
      client.call(
        { ...of('POST', 'unsafe'), requestBody: 'multipart' },
        { file: new Uint8Array(2000), filename: 'a.pdf' },
        options,
      ),
  ],
];

function of(method: Endpoint['method'], retry: Endpoint['retry']): Endpoint<object, { id?: number | undefined }> {
  return { ...base, method, retry };
}
