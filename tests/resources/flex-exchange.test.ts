import { inspect } from 'node:util';
import { GraphQLClient } from 'graphql-request';
import { ApiError, SellerError, UnexpectedResponseError } from 'marketplace-seller-sdk';
import type { ClientOptions, SellerClient } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { fc } from '../support/fast-check.ts';
import { json, startServer } from '../support/http-server.ts';
import { errorOf, stubbed } from '../support/stubs.ts';
import { transports } from '../support/transports.ts';

const seller = { site_id: 'MLA', user_id: 7, service_id: 1001 } as const;
const select = { is_moderated: true } as const;
const document = '{configuration(user_id:7,service_id:1001){is_moderated}}';
const good = { configuration: { is_moderated: false } };

/** A client of a service that responds with this text. */
function answering(text: string, status = 200, options: Partial<ClientOptions> = {}): SellerClient {
  const fetch = () => Promise.resolve(new Response(text === '' ? null : text, { status }));
  return stubbed([], { maxRetries: 0, fetch, ...options }).sellerClient;
}

const calls: readonly (readonly [string, (sellerClient: SellerClient) => Promise<unknown>])[] = [
  ['flex.configuration()', (client) => client.flex.configuration({ ...seller, select })],
  ['flex.query()', (client) => client.flex.query({ site_id: 'MLA', query: document })],
  ['call()', (client) => client.call(endpoints.flex.configuration, { site_id: 'MLA', query: document })],
];

describe.each(calls)('%s', (_, call) => {
  test.each(transports)('is an exchange of graphql-request over %s', async (_name, options) => {
    const text = JSON.stringify(good);
    const server = await startServer((to) => to.writeHead(200, { 'content-type': 'text/plain' }).end(text));
    const request = vi.spyOn(GraphQLClient.prototype, 'request');
    const parse = vi.spyOn(JSON, 'parse');
    onTestFinished(() => void vi.restoreAllMocks());
    const { sellerClient } = stubbed([], { baseUrl: server.url, fetch: undefined, ...options });
    await call(sellerClient);
    expect(request).toHaveBeenCalledExactlyOnceWith(document);
    const url = '/shipping/flex/sites/MLA/configuration/v3';
    expect(request.mock.contexts).toMatchObject([{ url: server.url + url }]);
    expect(parse.mock.calls.filter(([given]) => given === text)).toHaveLength(1);
    expect(server.received).toMatchObject([{ method: 'POST', url, body: JSON.stringify({ query: document }) }]);
    const { headers } = server.received[0]!;
    expect(headers).toMatchObject({
      accept: 'application/json',
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(JSON.stringify({ query: document }).length),
    });
  });

  test('each attempt is an exchange of its own', async () => {
    const request = vi.spyOn(GraphQLClient.prototype, 'request');
    onTestFinished(() => void vi.restoreAllMocks());
    const busy = Response.json({ errors: [{ message: 'busy', extensions: { status: 503 } }] });
    const { sellerClient, sent } = stubbed([new Response('', { status: 503 }), busy, Response.json(good)], {
      maxRetryDelayMs: 1,
    });
    await call(sellerClient);
    expect([request.mock.calls.length, sent.length]).toEqual([3, 3]);
  });

  test('a document that is not GraphQL is not sent', async () => {
    const { sellerClient, sent } = stubbed([]);
    const wrong = sellerClient.call(endpoints.flex.configuration, { site_id: 'MLA', query: '{a' });
    expect(await errorOf(wrong)).toMatchObject({
      name: 'InvalidInputError',
      issues: [{ path: ['query'] }],
      message: 'Not sent: `query` is not GraphQL: Syntax Error: Expected Name, found <EOF>.',
    });
    expect(sent).toEqual([]);
  });

  const data = { data: { configuration: { is_moderated: true } } };
  test.each<[string, object]>([
    ['a list', { ...data, errors: [{ message: 'no' }] }],
    ['an object', { ...data, errors: { message: 'no' } }],
    ['a text', { ...data, errors: 'no' }],
    ['a list without data', { errors: [{ message: 'no' }] }],
    ['a list beside bare data', { ...good, errors: [{ message: 'no' }] }],
  ])('rejects with the errors of a 200 that are %s, and keeps its data', async (_name, body) => {
    const error = await errorOf<ApiError>(call(answering(JSON.stringify(body))));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 200, body });
    expect(error.cause).toBeUndefined();
    expect(error.message).toContain('failed with 200: no');
  });

  test.each<[string, object]>([
    ['no errors', { ...data, errors: [] }],
    ['`null` for errors', { ...data, errors: null }],
    ['extensions of any kind', { ...data, extensions: 'none' }],
    ['other fields', { ...data, trace: 1 }],
  ])('reads a result with %s', async (_name, body) => {
    expect(await call(answering(JSON.stringify(body)))).toHaveProperty(
      _ === 'flex.configuration()' ? 'is_moderated' : 'configuration.is_moderated',
      true,
    );
  });

  test.each<[string, string, number, unknown, string]>([
    ['nothing', '', 204, undefined, 'an empty body'],
    ['an empty text', ' ', 200, undefined, 'an empty body'],
    ['HTML', '<html>', 200, '<html>', 'a body that is not JSON'],
    ['half a result', '{"data":{"conf', 200, '{"data":{"conf', 'a body that is not JSON'],
    ['a number', '5', 200, 5, 'a body of another shape'],
    ['a list', '[{"data":{}}]', 200, [{ data: {} }], 'a body of another shape'],
    ['`null`', 'null', 200, null, 'a body of another shape'],
    ['data that is a text', '{"data":"x"}', 200, { data: 'x' }, 'a body of another shape'],
    ['no data', '{"data":null}', 200, { data: null }, 'a body of another shape'],
  ])('rejects %s by name, with the body as it came', async (_name, text, status, body, what) => {
    const error = await errorOf<UnexpectedResponseError>(call(answering(text, status)));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error.message).toContain(`responded ${status} with ${what}`);
    expect(error.body).toEqual(body);
  });

  test('a body that is too long is not read', async () => {
    const error = await errorOf(call(answering(JSON.stringify(good), 200, { maxResponseBytes: 20 })));
    expect(error.message).toContain('longer than `maxResponseBytes`');
  });

  test('a status decides over the body', async () => {
    expect(await errorOf(call(answering(JSON.stringify(good), 404)))).toMatchObject({ status: 404, body: good });
  });

  test('whatever the body holds, no error of graphql-request gets out', async () => {
    const result = fc.record(
      { data: fc.jsonValue(), errors: fc.jsonValue(), extensions: fc.jsonValue(), configuration: fc.jsonValue() },
      { requiredKeys: [] },
    );
    const status = fc.constantFrom(200, 200, 201, 400, 404, 500);
    await fc.assert(
      fc.asyncProperty(fc.oneof(result, fc.jsonValue()), status, async (body, code) => {
        const outcome = await call(answering(JSON.stringify(body), code)).then(
          (value) => ({ value }),
          (error: unknown) => ({ error }),
        );
        if ('value' in outcome) return;
        expect(outcome.error).toBeInstanceOf(SellerError);
        const printed = inspect(outcome.error, { depth: 9 });
        expect(printed).not.toMatch(/ClientError|configuration\(user_id|Invalid execution result/);
      }),
      { numRuns: 200 },
    );
  });
});

test('a write is read back through the exchange', async () => {
  const request = vi.spyOn(GraphQLClient.prototype, 'request');
  onTestFinished(() => void vi.restoreAllMocks());
  const zones = [{ id: 'MLA-2' }];
  const shown = { data: { configuration: { zones: [{ id: 'MLA-2', selected: true }] } } };
  const { sellerClient } = stubbed([new TypeError('fetch failed'), Response.json(shown)], {
    maxRetries: 0,
    unknownOutcome: 'confirm',
  });
  await sellerClient.flex.addZones({ ...seller, zones });
  expect(request).toHaveBeenCalledTimes(1);
});

test('no integer is rounded', async () => {
  const client = answering('{"data":{"configuration":{"id":12345678901234567890,"zones":[{"id":9007199254740993}]}}}');
  expect(await client.flex.query({ site_id: 'MLA', query: document })).toEqual({
    configuration: { id: '12345678901234567890', zones: [{ id: '9007199254740993' }] },
  });
});

test('query parameters of the call are part of the URL', async () => {
  const server = await startServer((to) => json(to, 200, good));
  const { sellerClient } = stubbed([], { baseUrl: server.url, fetch: undefined });
  await sellerClient.flex.configuration({ ...seller, select }, { query: { debug: true } });
  expect(server.received[0]!.url).toBe('/shipping/flex/sites/MLA/configuration/v3?debug=true');
});
