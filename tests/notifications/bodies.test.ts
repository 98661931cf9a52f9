import { EventEmitter } from 'node:events';
import fastify from 'fastify';
import { createInbox, fastifyHandler, fetchHandler, nodeHandler } from 'marketplace-seller-sdk/inbox';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { about, post } from '../support/deliveries.ts';
import { fc } from '../support/fast-check.ts';

const inbox = (options: object = {}) => createInbox({ on: { questions: () => {} }, ...options });

interface Delivered {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** The response to a delivery, as an adapter hands it over. */
function respondTo({ method = 'POST', headers = {}, body = about(1) }: Delivered, options: object = {}) {
  const header = (name: string): string | undefined => headers[name];
  return inbox(options).receive({ method, header, body: () => Promise.resolve(body) });
}

const plain = { 'content-type': 'text/plain; charset=utf-8' };
const closed = { ...plain, connection: 'close' };
const type = (value: string) => ({ headers: { 'content-type': value } });
const wrongType = [415, plain, 'Notifications are JSON'] as const;
const ok = [200, plain, 'Accepted'] as const;
const circular: { self?: unknown } = about(1);
circular.self = circular;

describe('the headers of a delivery', () => {
  test.each<[string, Delivered, readonly [number, object, string]]>([
    ['GET', { method: 'GET' }, [405, { ...plain, allow: 'POST' }, 'Notifications are delivered by POST']],
    ['no headers', {}, ok],
    ['JSON', type('application/json'), ok],
    ['JSON before a space', type('application/json ; charset=utf-8'), ok],
    ['text', type('text/plain'), wrongType],
    ['almost JSON', type('application/json5'), wrongType],
    ['almost text', type('context/json'), wrongType],
    ['UTF-8 in quotes', type('application/json;charset="UTF8"'), ok],
    ['UTF-8 after another parameter', type('application/json; version=2; charset=utf-8'), ok],
    ['another charset', type('application/json;charset=utf-16'), wrongType],
    ['another charset after two spaces', type('application/json;  charset=utf-16'), wrongType],
    ['another charset after another parameter', type('application/json; version=2; charset=utf-16'), wrongType],
    ['a charset that ends like UTF-8', type('application/json; charset=x-utf-8'), wrongType],
    ['a charset that begins like UTF-8', type('application/json; charset=utf-80'), wrongType],
    ['a parameter that ends in charset', type('application/json; x-charset=utf-16'), ok],
    ['no compression', { headers: { 'content-encoding': 'Identity' } }, ok],
    ['gzip', { headers: { 'content-encoding': 'gzip' } }, [415, plain, 'Notifications are not compressed']],
    ['the longest body', { headers: { 'content-length': '16384' } }, ok],
    ['a longer body', { headers: { 'content-length': '16385' } }, [413, closed, 'The body is too long']],
  ])('%s', async (_, delivered, [status, headers, body]) => {
    expect(await respondTo(delivered)).toEqual({ status, headers, body });
  });
});

describe('the body of a delivery', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);

  test.each<[string, unknown, number, string]>([
    ['too many bytes that are no text', new Uint8Array(20_000).fill(0xff), 413, 'The body is too long'],
    ['bytes that are no text', new Uint8Array([0xff]), 400, 'The body is not UTF-8 text'],
    ['an object in itself', circular, 400, 'The body cannot be stored as JSON'],
    ['an object with a bigint', { ...about(1), extra: 1n }, 400, 'The body cannot be stored as JSON'],
    ['null', null, 400, 'Not a notification'],
    ['a number', 5, 400, 'Not a notification'],
    ['nothing', '', 400, 'Not a notification'],
  ])('%s is rejected', async (_, body, status, text) => {
    expect(await respondTo({ body })).toMatchObject({ status, body: text });
  });

  test('a body may have `maxBodyBytes`, and not one byte more, in each of its forms', async () => {
    const unit = fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀'), maxLength: 400 });
    await fc.assert(
      fc.asyncProperty(unit, async (extra) => {
        const body = about(1, { extra });
        const text = JSON.stringify(body);
        const { length } = bytes(text);
        for (const form of [body, text, bytes(text), bytes(text).buffer]) {
          expect(await respondTo({ body: form }, { maxBodyBytes: length })).toMatchObject({ status: 200 });
          expect(await respondTo({ body: form }, { maxBodyBytes: length - 1 })).toMatchObject({ status: 413 });
        }
        expect((await fetchHandler(inbox({ maxBodyBytes: length }))(post(text))).status).toBe(200);
        expect((await fetchHandler(inbox({ maxBodyBytes: length - 1 }))(post(text))).status).toBe(413);
      }),
      { numRuns: 20 },
    );
  });

  test('a body may be nested 32 levels deep, whatever its texts look like', async () => {
    const noise = fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', 'a'), maxLength: 6 });
    const level = fc.record({ isArray: fc.boolean(), before: noise, after: noise });
    await fc.assert(
      fc.asyncProperty(fc.array(level, { minLength: 29, maxLength: 33 }), async (levels) => {
        // Beside each level there is a whole one, which ends again.
        const extra = levels.reduce<unknown>(
          (inner, { isArray, before, after }) =>
            isArray
              ? [before, [], {}, inner, after]
              : { [`${before} before`]: before, inner, [`${after} after`]: [after] },
          0,
        );
        const depth = depthOf(about(1, { extra }));
        const { status, body } = await respondTo({ body: JSON.stringify(about(1, { extra })) });
        expect([status, body]).toEqual(depth > 32 ? [400, 'The body is nested too deeply'] : [200, 'Accepted']);
      }),
      { numRuns: 60 },
    );
  });

  function depthOf(value: unknown): number {
    if (typeof value !== 'object' || value === null) return 0;
    return 1 + Math.max(0, ...Object.values(value).map(depthOf));
  }
});

describe('a request of Node', () => {
  afterEach(() => void vi.useRealTimers());

  /** A request whose events the test emits, and its response. */
  function delivery(more: object = {}) {
    const request = Object.assign(new EventEmitter(), {
      method: 'POST',
      headers: {},
      complete: false,
      readableEnded: false,
      readableDidRead: false,
      ...more,
    });
    const response = Promise.withResolvers<{ status: number; headers: object; text: string }>();
    const writeHead = (status: number, headers: object) => ({
      end: (text: string) => response.resolve({ status, headers, text }),
    });
    nodeHandler(inbox())(request, { writeHead });
    return { request, response: response.promise };
  }

  const listeners = (request: EventEmitter): number =>
    ['data', 'end', 'error', 'close'].reduce((sum, event) => sum + request.listenerCount(event), 0);

  test.each<[string, (request: EventEmitter) => void, number]>([
    ['ends', (request) => request.emit('end'), 200],
    ['fails', (request) => request.emit('error', new Error('read ECONNRESET')), 400],
    ['is closed early', (request) => request.emit('close'), 400],
    ['is too long', (request) => request.emit('data', new Uint8Array(20_000)), 413],
  ])('when the body %s, nothing listens and no timer runs any more', async (_, end, status) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { request, response } = delivery();
    expect(vi.getTimerCount()).toBe(1);
    request.emit('data', new TextEncoder().encode(JSON.stringify(about(1))));
    end(request);
    expect(await response).toMatchObject({ status, headers: { connection: 'close' } });
    expect(listeners(request)).toBe(0);
    await expect.poll(() => vi.getTimerCount()).toBe(0);
  });

  test('a connection whose request is complete is kept', async () => {
    const { request, response } = delivery({ complete: true });
    request.emit('data', new TextEncoder().encode(JSON.stringify(about(1))));
    request.emit('end');
    expect(await response).toEqual({ status: 200, headers: { ...plain, 'content-length': 8 }, text: 'Accepted' });
  });

  test.each<[string, object, number]>([
    ['its text', { body: JSON.stringify(about(1)) }, 200],
    ['its raw body beside what was parsed', { body: {}, rawBody: JSON.stringify(about(1)) }, 200],
    ['an empty object', { body: {} }, 400],
    ['an empty body', { headers: { 'content-length': '0' } }, 400],
    ['null', { body: null }, 400],
    ['a number', { body: 5 }, 400],
    ['false', { body: false }, 400],
    ['an empty text', { body: '' }, 400],
    ['nothing', {}, 500],
  ])('what a body parser left of a body that it read: %s', async (_, left, status) => {
    for (const trace of ['readableEnded', 'readableDidRead']) {
      const { response } = delivery({ complete: true, [trace]: true, ...left });
      expect(await response).toMatchObject({ status });
    }
  });

  test.each<[string, object]>([
    ['nothing', {}],
    ['an empty object', { body: {} }],
    ['an empty text', { body: '' }],
    ['no bytes', { rawBody: new Uint8Array() }],
    ['null', { body: null }],
  ])('a body that no parser has read is read, where the request has %s for it', async (_, left) => {
    const { request, response } = delivery(left);
    request.emit('data', new TextEncoder().encode(JSON.stringify(about(1))));
    request.emit('end');
    expect(await response).toMatchObject({ status: 200 });
  });

  test('a body that a framework has parsed is used, although nothing seems to have been read', async () => {
    expect(await delivery({ body: about(1) }).response).toMatchObject({ status: 200 });
  });

  test('the first of several headers of one name counts', async () => {
    const headers = { 'content-type': ['text/plain', 'application/json'] };
    expect(await delivery({ headers }).response).toMatchObject({ status: 415 });
  });
});

test('a body of a fetch request that breaks is rejected, and no timer is left', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const body = new ReadableStream({ pull: () => Promise.reject(new Error('the connection broke')) });
    const response = await fetchHandler(inbox())(post('', { body, duplex: 'half' } as RequestInit));
    expect([response.status, await response.text()]).toEqual([400, 'The body ended early']);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test('Fastify passes the headers on, and those of the response back', async () => {
  const app = fastify();
  app.all('/', fastifyHandler(inbox()));
  const text = await app.inject({ url: '/', method: 'POST', headers: { 'content-type': 'text/plain' }, payload: '{}' });
  expect([text.statusCode, text.body]).toEqual([415, 'Notifications are JSON']);
  const get = await app.inject({ url: '/', method: 'GET' });
  expect([get.statusCode, get.headers.allow]).toEqual([405, 'POST']);
  await app.close();
});
