import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Context, Span, Tracer } from '@opentelemetry/api';
import type { CallEvent, CallInfo, Tracing } from '../core/options/hooks.js';
import { checkConfiguration, ofType, withMethods } from '../core/options/rules.js';

/** Options of `openTelemetry`. */
export interface OpenTelemetryOptions {
  /**
   * The tracer.
   *
   * @default a tracer of the global provider
   */
  readonly tracer?: Tracer | undefined;
  /**
   * Whether to send the trace context (`traceparent`) to the service, which belongs to another company.
   *
   * @default false
   */
  readonly propagate?: boolean | undefined;
}

const name = 'marketplace-seller-sdk';

/**
 * Traces calls with OpenTelemetry and its semantic conventions for HTTP clients. Each call is a client span; its
 * attempts and waits are events of the span. As `tracing` of `createInbox`, it traces deliveries and handlers too: a
 * handler is in the trace of its delivery, and so are the calls that it makes. Spans contain no bodies, queries, headers or tokens.
 *
 * @example
 * const traced = new SellerClient({ baseUrl, accessToken, tracing: openTelemetry() });
 * @throws {ConfigurationError} when an option is unknown or wrong.
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Tracing {
  checkConfiguration('openTelemetry', options, { tracer: withMethods('startSpan'), propagate: ofType('boolean') });
  const { tracer, propagate = false } = options;
  const start: Tracer['startSpan'] = (...span) => (tracer ?? trace.getTracer(name)).startSpan(...span);
  const spans = new WeakMap<CallInfo, Span>();
  return {
    observe: (event) => {
      const span = spans.get(event.call);
      if (event.type === 'start') spans.set(event.call, startCall(start, event.call));
      else if (!span) return;
      else if (event.type === 'end') finish(span, event);
      else record(span, event);
    },
    wrapAttempt: ({ call, url, headers }, next) => {
      const span = spans.get(call);
      if (!span) return next();
      span.setAttribute('url.full', url.replace(/[?#].*/s, ''));
      const within = trace.setSpan(context.active(), span);
      if (propagate) propagation.inject(within, headers);
      return context.with(within, next);
    },
    wrapDelivery: ({ topic }, next) => {
      const span = start(`receive ${topic}`, { kind: SpanKind.PRODUCER, attributes: attributesOf(topic) });
      return ending(span, trace.setSpan(context.active(), span), () => next(traceparentOf(span)));
    },
    wrapHandler: ({ topic, attempt, traceparent }, next) => {
      const options = { kind: SpanKind.CONSUMER, attributes: { ...attributesOf(topic), [`${name}.attempt`]: attempt } };
      const parent = contextOf(traceparent);
      const span = start(`process ${topic}`, options, parent);
      return ending(span, trace.setSpan(parent, span), next);
    },
  };
}

function attributesOf(topic: string): Record<string, string> {
  return { 'messaging.system': name, 'messaging.destination.name': topic };
}

/** Runs within a span, and ends it. */
async function ending<T>(span: Span, within: Context, run: () => Promise<T>): Promise<T> {
  try {
    return await context.with(within, run);
  } catch (error) {
    span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

/** The span as W3C's `traceparent`, whatever propagator the application has. */
function traceparentOf(span: Span): string | undefined {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return trace.isSpanContextValid(span.spanContext()) ? `00-${traceId}-${spanId}-0${traceFlags & 1}` : undefined;
}

function contextOf(traceparent: string | undefined): Context {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-0([01])$/.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined) return context.active();
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: Number(flags), isRemote: true });
}

function startCall(start: Tracer['startSpan'], { endpoint, baseUrl }: CallInfo): Span {
  const { hostname, port, protocol } = new URL(baseUrl);
  return start(`${endpoint.method} ${endpoint.path}`, {
    kind: SpanKind.CLIENT,
    attributes: {
      'http.request.method': endpoint.method,
      'url.template': endpoint.path,
      'server.address': hostname,
      'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
      [`${name}.endpoint`]: endpoint.name,
    },
  });
}

function record(span: Span, event: Exclude<CallEvent, { type: 'start' | 'end' }>): void {
  span.addEvent(event.type, {
    attempt: event.attempt,
    ...(event.type === 'response' && { 'http.response.status_code': event.status }),
    ...(event.type === 'wait' && { wait_ms: Math.round(event.waitMs), reason: event.reason }),
  });
}

function finish(span: Span, { attempts, status, error }: CallEvent & { type: 'end' }): void {
  if (status !== undefined) span.setAttribute('http.response.status_code', status);
  if (attempts > 1) span.setAttribute('http.request.resend_count', attempts - 1);
  if (error instanceof Error) {
    // The conventions define `error.type` as the status if there was a response, otherwise as the class of the error.
    span.setAttribute('error.type', status === undefined ? error.name : String(status));
    span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
  }
  span.end();
}
