import { anyText } from '../support/any-text.ts';
import { fc } from '../support/fast-check.ts';
import { ApiError, InvalidInputError, SellerError, UnexpectedResponseError } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { shapeOf } from '../../src/core/schema/schema.js';
import { validate } from '../../src/core/schema/read.js';
import { matchPath } from '../../src/testing/http/routes.js';
import { everyEndpoint } from '../support/every-endpoint.ts';
import { seed } from '../support/seed.ts';
import { stubbed } from '../support/stubs.ts';

const runs = { numRuns: 2000 };

const anyTrial = fc.constantFrom(...everyEndpoint.filter(({ endpoint }) => endpoint.requestBody !== 'multipart'));
const headerName = fc.constantFrom(
  'retry-after',
  'content-type',
  'date',
  'x-request-id',
  'set-cookie',
  'content-encoding',
);
const headerValue = fc.string({ maxLength: 60 }).map((text) => text.replace(/[^\x20-\x7e]/g, '').trim());
const anyHeaders = fc.dictionary(headerName, headerValue, { maxKeys: 4 });
const likelyBody = fc.record(
  { message: fc.jsonValue(), error: fc.jsonValue(), code: fc.jsonValue(), cause: fc.jsonValue(), status: fc.integer() },
  { requiredKeys: [] },
);
const anyBody = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  anyText({ maxLength: 300 }),
  fc.json(),
  likelyBody.map((body) => JSON.stringify(body)),
  fc.tuple(fc.json(), fc.nat()).map(([text, at]) => text.slice(0, at % (text.length + 1))),
  fc.constantFrom('', 'null', '[]', '{}', '<html>', '[[[[', '{"a":', '9'.repeat(400), '"\\ud800"'),
);
const bodyless = new Set([204, 205, 304]);

describe(`cases with the seed ${seed}`, () => {
  test('contract 5: any status, headers and bytes end as the right error class', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyTrial,
        fc.integer({ min: 200, max: 599 }),
        anyHeaders,
        anyBody,
        async (trial, status, headers, body) => {
          const answer = new Response(bodyless.has(status) ? null : (body as BodyInit), { status, headers });
          // A client of its own: what one case hears of limits is not to be waited for by the next.
          const { sellerClient } = stubbed([answer], { maxRetries: 0 });
          const error = await sellerClient.call(trial.endpoint, trial.input).then(
            () => undefined,
            (thrown: unknown) => thrown,
          );
          if (error === undefined) {
            expect(status).toBeLessThan(300);
            return;
          }
          expect(error).toBeInstanceOf(SellerError);
          if (status < 300) expect(error instanceof UnexpectedResponseError || error instanceof ApiError).toBe(true);
          else expect(error).toMatchObject({ status, attempts: 1 });
          expect((error as Error).message.length).toBeLessThan(3000);
          expect(JSON.stringify(error)).not.toContain('token-1');
        },
      ),
      runs,
    );
  });

  test('contract 6: any string as a path parameter calls that endpoint or none', async () => {
    const withPath = everyEndpoint.filter(
      ({ endpoint }) => endpoint.path.includes('{') && endpoint.name !== 'describe',
    );
    const dots = fc.constantFrom(
      '..',
      '.',
      '%2e%2e',
      '../..',
      './',
      'a/../b',
      '\\',
      '//',
      '?x',
      '#',
      '\r\n',
      '%00',
      ' ',
    );
    const anyPart = fc.oneof(anyText({ maxLength: 40 }), dots, fc.webPath(), fc.webUrl());
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...withPath), anyPart, fc.nat(), async ({ endpoint, input }, part, which) => {
        const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
        const name = names[which % names.length]!;
        const { sellerClient, sent } = stubbed([new Response('{}', { status: 404 })], { maxRetries: 0 });
        const error: unknown = await sellerClient
          .call(endpoint, { ...input, [name]: part })
          .catch((each: unknown) => each);
        if (error instanceof InvalidInputError) {
          expect(sent).toHaveLength(0);
          return;
        }
        const url = new URL(sent[0]!.url);
        expect(url.host).toBe('api.test');
        expect(matchPath(endpoint.path, url.pathname)?.[name]).toBe(part);
        const fixed = everyEndpoint.filter(
          (other) => other.endpoint.method === endpoint.method && other.endpoint.path === url.pathname,
        );
        expect(fixed.map((other) => other.name)).toEqual([]);
      }),
      runs,
    );
  });

  test('any JSON is accepted or rejected by every schema, without a crash', () => {
    const schemas = everyEndpoint.flatMap(({ endpoint }) => [endpoint.output, endpoint.input]);
    const keys = [...new Set(everyEndpoint.flatMap(({ endpoint }) => Object.keys(shapeOf(endpoint.output))))];
    const anyValue = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.constantFrom('id', 'text', 'status', 'results', 'paging', 'answer', ...keys), fc.jsonValue()),
    );
    fc.assert(
      fc.property(fc.constantFrom(...schemas), anyValue, (schema, value) => {
        const parsed = validate(schema, value);
        if (parsed.success) return;
        expect(parsed.issues.length).toBeGreaterThan(0);
        for (const { message } of parsed.issues) expect(message).toMatch(/\S/);
      }),
      { numRuns: 4000 },
    );
  });
});
