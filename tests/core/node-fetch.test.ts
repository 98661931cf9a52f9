import { describe, expect, test, vi } from 'vitest';
import { hasOpenEnd, isNodesOwn, silenceOptions } from '../../src/core/platform/node-fetch.js';
import { errorOf, stubbed } from '../support/stubs.ts';

test('the fetch of Node is known from one that replaces it', () => {
  expect(isNodesOwn(fetch)).toBe(true);
  const others = [vi.fn(), (request: Request) => fetch(request), 'internal/deps/undici', {}, null];
  expect(others.filter(isNodesOwn)).toEqual([]);
});

describe('the end of a body', () => {
  test.each<readonly [string, Record<string, string>, boolean]>([
    ['that is compressed is open', { 'content-encoding': 'gzip' }, true],
    ['with a length is not', { 'content-encoding': 'gzip', 'content-length': '5' }, false],
    ['in chunks is not', { 'content-encoding': 'gzip', 'transfer-encoding': 'chunked' }, false],
    ['that is not compressed is not', {}, false],
    ['that says that it is not compressed is not', { 'content-encoding': 'Identity' }, false],
  ])('%s', (_, headers, isOpen) => {
    expect(hasOpenEnd(fetch, new Headers(headers))).toBe(isOpen);
    expect(hasOpenEnd(() => undefined, new Headers(headers))).toBe(false);
  });
});

describe('a timeoutMs that is longer than the limits of the platform', () => {
  test('takes them away, from requests over the fetch of Node', () => {
    const key = Symbol.for(`undici.globalDispatcher.${Number.parseInt(process.versions.undici!, 10) >= 8 ? 2 : 1}`);
    const places = globalThis as unknown as Record<symbol, unknown>;
    const before = places[key];
    const dispatch = vi.fn(() => true);
    places[key] = { dispatch };
    try {
      const { dispatcher } = silenceOptions(fetch, 600_000);
      dispatcher?.dispatch({ headersTimeout: 1 }, 'handler');
      expect(dispatcher?.isMockActive).toBeUndefined();
      places[key] = { dispatch, isMockActive: true };
      expect(dispatcher?.isMockActive).toBe(true);
      expect(dispatch).toHaveBeenCalledExactlyOnceWith({ headersTimeout: 0, bodyTimeout: 0 }, 'handler');
    } finally {
      places[key] = before;
    }
  });

  test('a shorter one leaves them, and so does another fetch', () => {
    for (const timeoutMs of [30_000, 290_000]) expect(silenceOptions(fetch, timeoutMs)).toEqual({});
    expect(silenceOptions(() => undefined, 600_000)).toEqual({});
  });

  test('it is part of the request that is sent, and of no other', async () => {
    const dispatchers: unknown[] = [];
    const Own = Request;
    vi.stubGlobal(
      'Request',
      class extends Own {
        constructor(input: RequestInfo | URL, init?: RequestInit) {
          super(input, init);
          if (init && 'method' in init) dispatchers.push((init as { dispatcher?: unknown }).dispatcher);
        }
      },
    );
    try {
      const { sellerClient } = stubbed([], { fetch: globalThis.fetch, baseUrl: 'http://127.0.0.1:1', maxRetries: 0 });
      await errorOf(sellerClient.questions.get({ question_id: 1 }, { timeoutMs: 600_000 }));
      await errorOf(sellerClient.questions.get({ question_id: 1 }));
      expect(dispatchers).toEqual([silenceOptions(fetch, 600_000).dispatcher, undefined]);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
