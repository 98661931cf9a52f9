import { AsyncLocalStorage } from 'node:async_hooks';
import { context, propagation, trace } from '@opentelemetry/api';
import type { Context, ContextManager } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { CallEvent } from 'marketplace-seller-sdk';
import { openTelemetry } from 'marketplace-seller-sdk/otel';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { errorOf, networkFault, stubbed, wireQuestion } from '../support/stubs.ts';
import type { Step } from '../support/stubs.ts';

const ok = (): Response => Response.json(wireQuestion, { headers: { 'x-request-id': 'r-1' } });
const failing = (): Response => Response.json({ message: 'no' }, { status: 503, headers: { 'retry-after': '0' } });

describe('the logger', () => {
  test('responses, delays and ends are logged with their fields', async () => {
    const lines: [string, string, object | undefined][] = [];
    const at =
      (level: string) =>
      (message: string, fields?: object): void =>
        void lines.push([level, message.replace(/\d+ ms/, 'n ms'), fields]);
    const logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
    const { sellerClient } = stubbed([failing(), networkFault('ECONNRESET'), Response.json({}, { status: 404 })], {
      logger,
      maxRetryDelayMs: 1,
    });
    await errorOf(sellerClient.questions.get({ question_id: 42 }));
    expect(lines.map(([level, message]) => `${level}: ${message}`)).toEqual([
      'debug: GET /questions/{question_id} responded 503 after n ms',
      'info: GET /questions/{question_id} waits n ms after a fault, before attempt 2',
      'info: GET /questions/{question_id} waits n ms after a fault, before attempt 3',
      'debug: GET /questions/{question_id} responded 404 after n ms',
      'warn: GET /questions/{question_id} failed with 404: the service gave no reason',
    ]);
    expect(lines.at(-1)![2]).toEqual({
      endpoint: 'questions.get',
      error: 'NotFoundError',
      attempt: 3,
      status: 404,
      durationMs: expect.any(Number) as number,
    });
  });

  test('durations in log fields are whole milliseconds', async () => {
    const fields: object[] = [];
    const note = (_: string, each: object = {}): void => void fields.push(each);
    const logger = { debug: note, info: note, warn: note, error: note };
    const { sellerClient } = stubbed([failing(), ok()], { logger, maxRetryDelayMs: 1 });
    await sellerClient.questions.get({ question_id: 1 });
    const durations = fields.flatMap((each) => Object.entries(each)).filter(([name]) => name.endsWith('Ms'));
    expect(durations.map(([name]) => name)).toEqual(['durationMs', 'waitMs', 'durationMs']);
    for (const [, ms] of durations) expect(Number.isInteger(ms)).toBe(true);
  });

  test('the logger is called in the async context of its own call', async () => {
    vi.useFakeTimers();
    try {
      const storage = new AsyncLocalStorage<number>();
      const seen: [unknown, unknown][] = [];
      const note = (_message: string, fields?: { readonly waitMs?: number }): void =>
        void seen.push([storage.getStore(), fields?.waitMs]);
      const slow = Response.json({}, { status: 429, headers: { 'retry-after': '1' } });
      const { sellerClient } = stubbed([slow, Response.json(wireQuestion)], {
        concurrency: 1,
        logger: { debug: note, info: note, warn: note, error: note },
      });
      const calls = [1, 2, 3, 4].map((id) =>
        storage.run(id, () => sellerClient.questions.get({ question_id: id }).withResponse()),
      );
      await vi.advanceTimersByTimeAsync(5000);
      await Promise.all(calls);
      const waited = seen.filter(([, waitMs]) => waitMs !== undefined).map(([id]) => id);
      expect(waited.sort()).toEqual([1, 2, 3, 4]);
      expect(seen.map(([id]) => id)).not.toContain(undefined);
    } finally {
      vi.useRealTimers();
    }
  });

  test('a logger that throws does not fail the call', async () => {
    const fail = (): never => {
      throw new Error('the disk is full');
    };
    const { sellerClient } = stubbed([ok()], { logger: { debug: fail, info: fail, warn: fail, error: fail } });
    await expect(sellerClient.questions.get({ question_id: 42 })).resolves.toMatchObject({ id: 42 });
  });
});

describe('the fields of a log line', () => {
  test('each kind of line has the fields that its documentation names', async () => {
    const lines: [string, object | undefined][] = [];
    const note = (message: string, fields?: object): void => void lines.push([message, fields]);
    const logger = { debug: note, info: note, warn: note, error: note };
    const { sellerClient } = stubbed([failing(), ok()], { logger, maxRetryDelayMs: 1 });
    await sellerClient.questions.get({ question_id: 42 });
    const endpoint = 'questions.get';
    const ms: unknown = expect.any(Number);
    expect(lines.map(([, fields]) => fields)).toEqual([
      { endpoint, attempt: 1, status: 503, requestId: undefined, durationMs: ms },
      { endpoint, attempt: 2, waitMs: ms, reason: 'fault' },
      { endpoint, attempt: 2, status: 200, requestId: 'r-1', durationMs: ms },
    ]);
    for (const [message, fields] of lines) {
      const { durationMs = 0, waitMs = 0 } = fields as { durationMs?: number; waitMs?: number };
      expect(message).toContain(` ${durationMs + waitMs} ms`);
      expect(durationMs).toBeLessThan(10_000);
    }
  });

  test('a wait for the rate limit says so, to the logger', async () => {
    const lines: string[] = [];
    const note = (message: string): void => void lines.push(message);
    const waits: unknown[] = [];
    const info = (message: string, fields?: object): void => void (note(message), waits.push(fields));
    const { sellerClient } = stubbed([Response.json({}, { status: 429, headers: { 'retry-after': '0' } }), ok()], {
      logger: { debug: note, info, warn: note, error: note },
      maxRetryDelayMs: 1,
    });
    // On a busy machine a millisecond is over before the wait would begin.
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    await advanceUntilSettled(sellerClient.questions.get({ question_id: 42 }));
    expect(lines[1]).toMatch(/^GET \/questions\/\{question_id\} waits \d+ ms for the rate limit, before attempt 2$/);
    expect(waits).toMatchObject([{ attempt: 2, reason: 'rate limit', waitMs: expect.any(Number) as number }]);
  });

  test('a call that ends well or with a value that is no error is not warned about', async () => {
    const warn = vi.fn();
    const logger = { debug: () => {}, info: () => {}, warn, error: () => {} };
    const { sellerClient } = stubbed([ok()], { logger });
    await sellerClient.questions.get({ question_id: 42 });
    const aborter = new AbortController();
    aborter.abort('changed my mind');
    await errorOf(sellerClient.questions.get({ question_id: 42 }, { signal: aborter.signal }));
    expect(warn.mock.calls.map(([message]) => String(message)).join()).not.toContain('undefined');
  });
});

describe('the events of a call', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const slowly = async (response: Response): Promise<Response> => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    return response;
  };

  test.each<readonly [string, Step, object]>([
    ['a success', () => slowly(ok()), { attempts: 1, status: 200 }],
    ['an error response', () => slowly(Response.json({}, { status: 404 })), { attempts: 1, status: 404 }],
    ['a network fault', networkFault('ECONNRESET'), { attempts: 1, status: undefined }],
  ])('end with %s', async (_, step, expected) => {
    const events: CallEvent[] = [];
    const observe = (event: CallEvent): void => void events.push(event);
    const { sellerClient } = stubbed([step], { tracing: { observe }, maxRetries: 0 });
    vi.advanceTimersByTime(1000);
    const startedAt = performance.now();
    const thrown: unknown = await advanceUntilSettled(sellerClient.questions.get({ question_id: 42 })).then(
      () => undefined,
      (error: unknown) => error,
    );
    const endpoint = expect.objectContaining({ name: 'questions.get' }) as object;
    expect(events[0]).toEqual({ type: 'start', call: { endpoint, baseUrl: 'https://api.test' } });
    expect(events[1]).toMatchObject({ type: 'attempt', attempt: 1 });
    expect(events.at(-1)).toMatchObject({ type: 'end', ...expected, ...(thrown !== undefined && { error: thrown }) });
    const { durationMs } = events.at(-1) as { durationMs: number };
    expect(durationMs).toBeLessThanOrEqual(performance.now() - startedAt);
    expect(durationMs).toBeGreaterThanOrEqual(step instanceof Error ? 0 : 300);
  });

  test('say before which attempt a call waits', async () => {
    const waits: unknown[] = [];
    const observe = (event: CallEvent): void => {
      if (event.type === 'wait') waits.push([event.attempt, event.reason]);
    };
    const throttled = Response.json({}, { status: 429, headers: { 'retry-after': '1' } });
    const { sellerClient } = stubbed([failing(), throttled, ok()], { tracing: { observe } });
    await advanceUntilSettled(sellerClient.questions.get({ question_id: 42 }));
    expect(waits).toEqual([
      [2, 'fault'],
      [3, 'rate limit'],
    ]);
  });
});

describe('./otel', () => {
  const exporter = new InMemorySpanExporter();
  const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer('test');
  afterEach(() => {
    exporter.reset();
    trace.disable();
    context.disable();
    propagation.disable();
  });

  test('each call has one client span by the semantic conventions, with its attempts as events', async () => {
    const { sellerClient } = stubbed([failing(), ok()], {
      maxRetryDelayMs: 1,
      tracing: openTelemetry({ tracer }),
    });
    await sellerClient.questions.get({ question_id: 42 }, { query: { debug: 'secret' } });
    const [span] = exporter.getFinishedSpans();
    expect(span).toMatchObject({ name: 'GET /questions/{question_id}', kind: 2, status: { code: 0 } });
    expect(span!.attributes).toEqual({
      'http.request.method': 'GET',
      'url.template': '/questions/{question_id}',
      'url.full': 'https://api.test/questions/42',
      'server.address': 'api.test',
      'server.port': 443,
      'marketplace-seller-sdk.endpoint': 'questions.get',
      'http.response.status_code': 200,
      'http.request.resend_count': 1,
    });
    const waited = { attempt: 2, wait_ms: expect.any(Number) as number, reason: 'fault' };
    expect(span!.events.map(({ name, attributes }) => [name, attributes])).toEqual([
      ['attempt', { attempt: 1 }],
      ['response', { attempt: 1, 'http.response.status_code': 503 }],
      ['wait', waited],
      ['attempt', { attempt: 2 }],
      ['response', { attempt: 2, 'http.response.status_code': 200 }],
    ]);
    expect(Number.isInteger(span!.events[2]!.attributes!.wait_ms)).toBe(true);
  });

  test('an error response and a network fault set different error types on the span', async () => {
    const tracing = openTelemetry({ tracer });
    const { sellerClient } = stubbed([Response.json({}, { status: 404 }), networkFault('ECONNRESET')], {
      tracing,
      maxRetries: 0,
    });
    await errorOf(sellerClient.questions.get({ question_id: 42 }));
    await errorOf(sellerClient.questions.get({ question_id: 42 }));
    const [failed, lost] = exporter.getFinishedSpans();
    expect(failed!.attributes).toMatchObject({ 'error.type': '404', 'http.response.status_code': 404 });
    expect(failed!.status.code).toBe(2);
    expect(lost!.attributes).toMatchObject({ 'error.type': 'ConnectionError' });
    expect(lost!.events.map(({ name }) => name)).toEqual(['attempt', 'error']);
  });

  test('the span is a child of the active span, active while the request is sent, and propagated only on request', async () => {
    context.setGlobalContextManager(new Contexts());
    propagation.setGlobalPropagator({
      inject: (within, carrier, setter) =>
        setter.set(carrier, 'traceparent', trace.getSpanContext(within)?.spanId ?? 'none'),
      extract: (within) => within,
      fields: () => ['traceparent'],
    });
    let active: string | undefined;
    const { sellerClient, sent } = stubbed([
      () => {
        active = trace.getActiveSpan()?.spanContext().spanId;
        return ok();
      },
    ]);
    const parent = tracer.startSpan('order');
    await context.with(trace.setSpan(context.active(), parent), async () => {
      await sellerClient
        .withOptions({ tracing: openTelemetry({ tracer, propagate: true }) })
        .questions.get({ question_id: 42 });
    });
    const [span] = exporter.getFinishedSpans();
    expect(span!.parentSpanContext?.spanId).toBe(parent.spanContext().spanId);
    expect(active).toBe(span!.spanContext().spanId);
    expect(sent[0]!.headers.get('traceparent')).toBe(active);
    await sellerClient.withOptions({ tracing: openTelemetry({ tracer }) }).questions.get({ question_id: 42 });
    expect(sent[1]!.headers.has('traceparent')).toBe(false);
  });

  test.each([
    ['http://api.test', 80],
    ['http://api.test:8080', 8080],
    ['https://api.test:8443/v1', 8443],
  ])('the port of %s is %i', async (baseUrl, port) => {
    const { sellerClient } = stubbed([ok()], { baseUrl, allowInsecure: true, tracing: openTelemetry({ tracer }) });
    await sellerClient.questions.get({ question_id: 42 });
    expect(exporter.getFinishedSpans()[0]!.attributes).toMatchObject({ 'server.port': port });
    expect(exporter.getFinishedSpans()[0]!.attributes).not.toHaveProperty('http.request.resend_count');
  });

  const call = { endpoint: endpoints.questions.get, baseUrl: 'https://api.test' };

  test.each<CallEvent>([
    { type: 'attempt', call, attempt: 1 },
    { type: 'response', call, attempt: 1, status: 200, durationMs: 1 },
    { type: 'error', call, attempt: 1, error: new Error('no'), durationMs: 1 },
    { type: 'wait', call, attempt: 1, waitMs: 1, reason: 'fault' },
    { type: 'end', call, attempts: 2, durationMs: 1, status: 500, error: new Error('no') },
  ] as CallEvent[])('the event $type of a call whose start was not seen is ignored', (event) => {
    expect(() => openTelemetry({ tracer }).observe(event)).not.toThrow();
    expect(exporter.getFinishedSpans()).toEqual([]);
  });

  test('an attempt of a call whose start was not seen is sent as it is', async () => {
    const headers = {};
    const attempt = { call, endpoint: call.endpoint, attempt: 1, url: 'https://api.test/?a', headers } as never;
    const tracing = openTelemetry({ tracer, propagate: true });
    expect(await tracing.wrapAttempt!(attempt, () => Promise.resolve('sent'))).toBe('sent');
    expect(headers).toEqual({});
  });

  const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  const run = (traceparent: string | undefined) => ({ topic: 'questions', attempt: 2, traceparent }) as never;

  test('a delivery and a handler have the attributes of messaging, and the error that ended them', async () => {
    const tracing = openTelemetry({ tracer });
    const failing = (): Promise<never> => Promise.reject(new TypeError('no'));
    await tracing.wrapDelivery!({ topic: 'questions' }, () => Promise.resolve(1));
    await expect(tracing.wrapHandler!(run(undefined), failing)).rejects.toThrow('no');
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- a handler may throw anything
    await expect(tracing.wrapHandler!(run(undefined), () => Promise.reject('no'))).rejects.toBe('no');
    const attributes = {
      'messaging.system': 'marketplace-seller-sdk',
      'messaging.destination.name': 'questions',
    };
    const ofHandler = { ...attributes, 'marketplace-seller-sdk.attempt': 2 };
    expect(
      exporter.getFinishedSpans().map((span) => [span.name, span.kind, span.attributes, span.status.code]),
    ).toEqual([
      ['receive questions', 3, attributes, 0],
      ['process questions', 4, { ...ofHandler, 'error.type': 'TypeError' }, 2],
      ['process questions', 4, { ...ofHandler, 'error.type': 'string' }, 2],
    ]);
  });

  test('a delivery passes its context on as traceparent, unless nothing is traced', async () => {
    const next = vi.fn(() => Promise.resolve());
    await openTelemetry({ tracer }).wrapDelivery!({ topic: 'questions' }, next);
    const { traceId, spanId } = exporter.getFinishedSpans()[0]!.spanContext();
    await openTelemetry().wrapDelivery!({ topic: 'questions' }, next);
    expect(next.mock.calls).toEqual([[`00-${traceId}-${spanId}-01`], [undefined]]);
  });

  test.each(['00', '01'])('a handler continues a trace with the flags %s', async (flags) => {
    const tracing = openTelemetry({ tracer });
    await tracing.wrapHandler!(run(`00-${traceId}-${spanId}-${flags}`), () => Promise.resolve());
    // A trace that is not sampled is not exported.
    const parents = exporter.getFinishedSpans().map((span) => span.parentSpanContext);
    expect(parents).toEqual(flags === '01' ? [{ traceId, spanId, traceFlags: 1, isRemote: true }] : []);
  });

  test.each([
    undefined,
    '',
    `01-${traceId}-${spanId}-01`,
    ` 00-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01-x`,
    `00-${traceId}-${spanId}-02`,
    `00-${traceId.slice(1)}-${spanId}-01`,
    `00-${traceId}-${spanId.slice(1)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId.replace('b', 'g')}-01`,
    `00-${traceId}`,
  ])('a handler begins a trace where none was stored: %j', async (traceparent) => {
    await openTelemetry({ tracer }).wrapHandler!(run(traceparent), () => Promise.resolve());
    expect(exporter.getFinishedSpans().map((span) => span.parentSpanContext)).toEqual([undefined]);
  });

  test('a call without a provider works and traces nothing', async () => {
    const { sellerClient } = stubbed([ok()], { tracing: openTelemetry() });
    await expect(sellerClient.questions.get({ question_id: 42 })).resolves.toMatchObject({ id: 42 });
  });
});

/** Contexts that follow promises, as an application sets them up. */
class Contexts implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();
  active(): Context {
    return this.#storage.getStore() ?? rootContext;
  }
  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    within: Context,
    work: F,
    self?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.#storage.run(within, () => work.call(self as never, ...args));
  }
  bind<T>(_: Context, target: T): T {
    return target;
  }
  enable(): this {
    return this;
  }
  disable(): this {
    return this;
  }
}
const rootContext = context.active();
