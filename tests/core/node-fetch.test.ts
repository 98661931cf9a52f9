import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { isNodesOwn } from '../../src/core/transport/choose-transport.js';
import { hasOpenEnd, requestOptions } from '../../src/core/transport/node-fetch.js';
import type { OutgoingRequest } from '../../src/core/transport/transport.js';

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
    expect(hasOpenEnd(new Headers(headers))).toBe(isOpen);
  });
});

const key = Symbol.for(`undici.globalDispatcher.${Number.parseInt(process.versions.undici!, 10) >= 8 ? 2 : 1}`);
const places = globalThis as unknown as Record<symbol, unknown>;

/** Dispatches a request as `fetch` does, and returns what the dispatcher received and what the attempt was told. */
function dispatched(timeoutMs: number, global: object = {}) {
  const before = places[key];
  const dispatch = vi.fn<(options: object, handler: Handler) => boolean>(() => true);
  places[key] = { dispatch, ...global };
  onTestFinished(() => void (places[key] = before));
  const told: string[] = [];
  const controller = new AbortController();
  const outgoing = {
    endpoint: { retry: 'unsafe' },
    timeoutMs,
    signal: controller.signal,
  } as unknown as OutgoingRequest;
  const writing = { holds: () => void told.push('hold'), begins: () => void told.push('send') };
  const { dispatcher } = requestOptions(outgoing, writing);
  return { dispatcher: dispatcher!, dispatch, told, controller };
}

type Handler = Record<string, (...args: unknown[]) => unknown>;

describe('a request over the fetch of Node', () => {
  test.each([
    [30_000, { headersTimeout: 1 }],
    [290_000, { headersTimeout: 1 }],
    [600_000, { headersTimeout: 0, bodyTimeout: 0 }],
  ])('with a timeoutMs of %i has the limits %j', (timeoutMs, limits) => {
    const { dispatcher, dispatch } = dispatched(timeoutMs);
    dispatcher.dispatch({ headersTimeout: 1 }, {});
    expect(dispatch).toHaveBeenCalledExactlyOnceWith(limits, {});
    expect(dispatcher.isMockActive).toBeUndefined();
  });

  test.each(['onConnect', 'onRequestStart'])('is sent when undici calls %s, and waits before', (event) => {
    const { dispatcher, dispatch, told } = dispatched(30_000);
    const start = vi.fn();
    dispatcher.dispatch({}, { [event]: start });
    expect(told).toEqual(['hold']);
    const [, handler] = dispatch.mock.calls[0]!;
    handler[event]!('abort', 'context');
    expect(told).toEqual(['hold', 'send']);
    expect(start).toHaveBeenCalledExactlyOnceWith('abort', 'context');
    // A redirect.
    dispatcher.dispatch({}, { [event]: start });
    expect(told).toEqual(['hold', 'send']);
  });

  test('is not written after its attempt has ended', () => {
    const { dispatcher, dispatch, told, controller } = dispatched(30_000);
    const onConnect = vi.fn();
    dispatcher.dispatch({}, { onConnect });
    controller.abort(new Error('too late'));
    const [, handler] = dispatch.mock.calls[0]!;
    expect(() => handler.onConnect!()).toThrow('too late');
    expect([told, onConnect.mock.calls]).toEqual([['hold'], []]);
  });

  test('to a mock counts as sent, and so does one of an undici that does not tell', () => {
    const mocked = dispatched(30_000, { isMockActive: true });
    mocked.dispatcher.dispatch({}, { onConnect: vi.fn() });
    expect(mocked.dispatcher.isMockActive).toBe(true);
    const silent = dispatched(30_000);
    silent.dispatcher.dispatch({}, {});
    expect([mocked.told, silent.told]).toEqual([[], []]);
  });

  test('is not changed if it is a read of ordinary length', () => {
    const of = (retry: string, timeoutMs: number): object =>
      requestOptions({ endpoint: { retry }, timeoutMs } as unknown as OutgoingRequest, {
        holds: vi.fn(),
        begins: vi.fn(),
      });
    expect(of('safe', 290_000)).toEqual({});
    expect(of('safe', 290_001)).toHaveProperty('dispatcher');
  });
});
