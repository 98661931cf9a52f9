import { anyText } from './support/any-text.ts';
import { fc } from './support/fast-check.ts';
import { ConnectionError, InvalidInputError, SellerClient } from 'marketplace-seller-sdk';
import type { ApiError } from 'marketplace-seller-sdk';
import { FakeMarketplaceError } from 'marketplace-seller-sdk/testing';
import { describe, expect, test } from 'vitest';
import type { Endpoint } from '../src/core/operation/endpoint.js';
import { classOfStatus } from '../src/core/errors/response-errors.js';
import { matchPath } from '../src/testing/http/routes.js';
import { validate } from '../src/core/schema/read.js';
import { encode } from '../src/core/request/encode.js';
import { decode } from '../src/testing/operations/operation.js';
import { everyEndpoint } from './support/every-endpoint.ts';
import { createMarketplace } from './support/marketplace.ts';
import { errorOf, receiving } from './support/stubs.ts';

// The contract of an endpoint, line by line. Lines 5 and 7 to 9 are tested in tests/resilience and tests/core.
describe.each(everyEndpoint)('$name', ({ endpoint, input }) => {
  test('contract 1: the example input parses, and decode(encode(input)) gives it back', () => {
    const parsed = parse(endpoint, input);
    const { target, headers, body } = encode(endpoint, parsed);
    const { pathname, searchParams } = new URL(target, 'https://api.example.com');
    const arrived = decode(endpoint, {
      path: pathname,
      query: searchParams,
      headers: new Headers(headers),
      body: body === undefined || endpoint.requestBody === 'multipart' ? body : JSON.parse(JSON.stringify(body)),
    });
    expect(parse(endpoint, arrived)).toEqual(parsed);
  });

  describe.each(endpoint.errors.map((documented) => ({ documented, kind: documented.error.kind })))(
    'contract 2: the documented error $kind reaches the caller as its class',
    ({ documented }) => {
      test(`"${documented.message}" has status, code, causes and raw body`, async () => {
        const { marketplace, sellerClient } = createMarketplace({ maxRetries: 0 });
        marketplace.failNext(endpoint, documented);
        const error = await errorOf<ApiError>(sellerClient.call(endpoint, input));
        expect(error).toBeInstanceOf(documented.error);
        expect(error).toBeInstanceOf(classOfStatus(documented.status));
        const { name, status, code, causes, body, message } = error;
        expect({ name, status }).toEqual({ name: documented.error.kind, status: documented.status });
        // The body as it came, and what was read out of it.
        expect(body).toMatchObject({ message: documented.message, status: documented.status });
        expect(code).toBe((body as { error: string }).error);
        if (documented.code !== undefined) expect(code).toBe(documented.code);
        expect(causes).toHaveLength([documented.cause ?? []].flat().length);
        expect(message).toContain(`${endpoint.method} ${endpoint.path} failed with ${documented.status}`);
      });
    },
  );

  test('contract 3: the fake marketplace has a handler that keeps to the schemas', async () => {
    const { sellerClient } = createMarketplace({ maxRetries: 0 });
    const failure: unknown = await sellerClient.call(endpoint, input).catch((error: unknown) => error);
    // A handler that throws or leaves its schema breaks the connection; a missing route has its own message.
    expect(failure).not.toBeInstanceOf(ConnectionError);
    expect(failure).not.toBeInstanceOf(FakeMarketplaceError);
    expect(String(failure)).not.toMatch(/There is no resource|takes no (GET|POST|PUT|DELETE)/);
  });

  test('contract 4: the client has a method with the name of the endpoint', () => {
    const client: unknown = new SellerClient({ baseUrl: 'https://api.example.com' });
    const steps = endpoint.name.split('.');
    const method = steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], client);
    expect(method).toBeTypeOf('function');
  });

  describe.each(fieldsOfPath(endpoint))(
    'contract 6: the path parameter `$field` never changes which endpoint is called',
    ({ field, several }) => {
      test('a value that would change the path is not sent', async () => {
        for (const value of structural(several)) {
          const { client, sent } = recorder();
          await expect(client.call(endpoint, { ...input, [field]: value }), value).rejects.toBeInstanceOf(
            InvalidInputError,
          );
          expect(sent).toEqual([]);
        }
      });

      test('any other value arrives unchanged in its place of the path', async () => {
        await fc.assert(
          fc.asyncProperty(anyId, async (value) => {
            const { client, sent } = recorder();
            await client.call(endpoint, { ...input, [field]: value }).catch(() => undefined);
            for (const url of sent) {
              const arrived = matchPath(endpoint.path, new URL(url).pathname);
              expect(arrived?.[field]).toBe(several ? value.replace(/^\//, '') : value);
            }
          }),
          { numRuns: 50 },
        );
      });
    },
  );
});

const anyId = fc.oneof(anyText({ maxLength: 12 }), fc.nat().map(String));

function parse(endpoint: Endpoint, value: unknown): Record<string, unknown> {
  const result = validate(endpoint.input, value);
  if (!result.success) throw new Error(result.issues.map(({ message }) => message).join('; '));
  return result.data as Record<string, unknown>;
}

function fieldsOfPath(endpoint: Endpoint): { field: string; several: boolean }[] {
  return [...endpoint.path.matchAll(/\{(\w+)(\*?)\}/g)].map(([, field = '', star]) => ({
    field,
    several: star === '*',
  }));
}

/** Values that a server or a proxy may read as structure; a field that holds several segments may hold a slash. */
function structural(several: boolean): string[] {
  const values = ['', '.', '..', '../x', 'x/..', 'x//y', 'x?y=1', 'x#y', 'x\\y', '%2e%2e', 'x\r\ny: 1', 'x\0'];
  return several ? values : [...values, 'x/y', '/x'];
}

/** A client that keeps the addresses it sends to. */
function recorder(): { client: SellerClient; sent: string[] } {
  const sent: string[] = [];
  const client = new SellerClient({
    baseUrl: 'https://api.example.com',
    maxRetries: 0,
    fetch: receiving((request) => {
      sent.push(request.url);
      return Promise.resolve(new Response('{}'));
    }),
  });
  return { client, sent };
}
