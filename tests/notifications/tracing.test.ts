import { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, context, trace } from '@opentelemetry/api';
import type { Context, ContextManager } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { createInbox, fetchHandler } from 'marketplace-seller-sdk/inbox';
import { openTelemetry } from 'marketplace-seller-sdk/otel';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { expect, onTestFinished, test } from 'vitest';
import { untilEnded } from '../support/until-ended.ts';

/** As an application with OpenTelemetry's SDK for Node has it. */
function contextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, run, that, ...args) => storage.run(active, () => run.call(that as never, ...args)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}

test('a delivery, its handler and the calls of the handler are one trace, also when the handler fails at first', async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(contextManager());
  onTestFinished(() => {
    trace.disable();
    context.disable();
  });
  const marketplace = new FakeMarketplace();
  const seller = marketplace.addUser();
  const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
  const tracing = openTelemetry();
  const client = marketplace.clientFor(seller, { tracing });
  const inbox = createInbox({
    tracing,
    clientFor: () => client,
    retry: { firstDelayMs: 1 },
    onFailure: () => {},
    on: {
      questions: async (_, { read, attempt }) => {
        await read();
        if (attempt === 1) throw new Error('no');
      },
    },
  });
  marketplace.notifications.subscribe({ callback: fetchHandler(inbox) });
  marketplace.ask({ from: marketplace.addUser(), item_id, text: 'Is it new?' });
  await marketplace.notifications.flush();
  await untilEnded(inbox);
  await inbox.close();
  const spans = exporter.getFinishedSpans();
  expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(1);
  const delivery = spans.find(({ name }) => name === 'receive questions')!;
  const handlers = spans.filter(({ name }) => name === 'process questions');
  const calls = spans.filter(({ name }) => name === 'GET /questions/{question_id}');
  expect(handlers.map((span) => span.attributes['marketplace-seller-sdk.attempt'])).toEqual([1, 2]);
  expect(handlers.map((span) => span.status.code)).toEqual([2, 0]);
  for (const handler of handlers) expect(handler.parentSpanContext?.spanId).toBe(delivery.spanContext().spanId);
  expect(calls.map((span) => span.parentSpanContext?.spanId)).toEqual(
    handlers.map((handler) => handler.spanContext().spanId),
  );
});
