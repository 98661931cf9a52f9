import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SellerClient } from 'marketplace-seller-sdk';
import type { Endpoint } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { receiving } from './stubs.ts';

/** A call of a method, and the request that the specification documents for it: written by hand, never updated from a run. */
export interface GoldenRequest {
  readonly call: (client: SellerClient) => PromiseLike<unknown>;
  /** Method and URL, then the headers besides `accept: application/json`, `user-agent` and the token, then the body. */
  readonly request: readonly string[];
}

/** One golden request for each endpoint of a table. */
type GoldenRequests<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Endpoint ? GoldenRequest : GoldenRequests<Table[Name]>;
};

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  version: string;
};
export const userAgent = `marketplace-seller-sdk/${version} (Node.js/${process.versions.node.split('.')[0]})`;
/** The header of a JSON body. */
export const jsonBody = 'content-type: application/json; charset=utf-8';

/** Tests that each method sends the request that the specification documents. An endpoint without one does not compile. */
export function goldenRequests<Table>(requests: GoldenRequests<Table>): void {
  describe('each method sends the documented request', () => {
    test.each(listed(requests))('$name', async ({ call, request }) => {
      expect(await sentBy(call)).toEqual(request);
    });
  });
}

function listed(requests: object, path = ''): (GoldenRequest & { readonly name: string })[] {
  return Object.entries(requests as Record<string, GoldenRequest | object>).flatMap(([name, entry]) =>
    'call' in entry ? [{ name: path + name, ...entry }] : listed(entry, `${path}${name}.`),
  );
}

/** The requests of a call whose response does not matter. */
export async function requestsOf(call: (client: SellerClient) => PromiseLike<unknown>): Promise<Request[]> {
  const sent: Request[] = [];
  const client = new SellerClient({
    baseUrl: 'https://api.example.com',
    accessToken: 'token-1',
    maxRetries: 0,
    fetch: receiving((request) => {
      sent.push(request.clone());
      return Promise.resolve(new Response('{}', { status: 422 }));
    }),
  });
  await Promise.resolve(call(client)).catch(() => undefined);
  return sent;
}

/** The only request of a call as text. A multipart body has a random boundary: it reads `BOUNDARY`, and the true length `LENGTH`. */
export async function sentBy(call: (client: SellerClient) => PromiseLike<unknown>): Promise<string[]> {
  const [request, ...others] = await requestsOf(call);
  if (!request || others.length > 0) throw new Error(`the call sent ${others.length + (request ? 1 : 0)} requests`);
  expect(request.headers.get('authorization')).toBe('Bearer token-1');
  expect(request.headers.get('user-agent')).toBe(userAgent);
  const { pathname, search, host } = new URL(request.url);
  expect(host).toBe('api.example.com');
  const boundary = /boundary=(\S+)/.exec(request.headers.get('content-type') ?? '')?.[1];
  const body = await request.text();
  const lines = [
    `${request.method} ${pathname}${search}`,
    ...[...request.headers]
      .filter(([name, value]) => name !== 'authorization' && !(name === 'accept' && value === 'application/json'))
      .filter(([name]) => name !== 'user-agent')
      .map(([name, value]) => `${name}: ${value}`),
    ...(body === '' ? [] : ['', body]),
  ];
  if (boundary === undefined) return lines;
  const length = `content-length: ${Buffer.byteLength(body)}`;
  return lines.map((line) => (line === length ? 'content-length: LENGTH' : line.replaceAll(boundary, 'BOUNDARY')));
}
