import {
  ApiError,
  ApiPromise,
  OutcomeUnknownError,
  QuestionNotOpenError,
  RateLimitError,
  SellerClient,
  refreshingToken,
} from 'marketplace-seller-sdk';
import type { Endpoint, Question } from 'marketplace-seller-sdk';
import { createInbox } from 'marketplace-seller-sdk/inbox';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import * as undici from 'undici';
import * as undici6 from 'undici6';

const baseUrl = 'https://api.example.com';

export function clients(): SellerClient[] {
  const seller = new SellerClient({ baseUrl, accessToken: 'token', maxRetries: 3, responseValidation: 'report' });
  return [
    seller,
    seller.withOptions({ timeoutMs: 5000 }),
    new SellerClient({ baseUrl, fetch: (url, init) => globalThis.fetch(url, init) }),
    new SellerClient({
      baseUrl,
      fetch: async (url, { headers }) => Response.json({ url, as: headers.authorization }),
    }),
    new SellerClient({ baseUrl, fetch: undici.fetch }),
    new SellerClient({ baseUrl, fetch: undici6.fetch }),
    new SellerClient({
      baseUrl,
      fetch: (url, init) => undici.fetch(url, { ...init, dispatcher: new undici.ProxyAgent('http://127.0.0.1:3128') }),
    }),
    // @ts-expect-error -- a `Request` is not what it gets
    new SellerClient({ baseUrl, fetch: (request: Request) => globalThis.fetch(request) }),
    new SellerClient({ baseUrl, fetch: globalThis.fetch }),
    new SellerClient({
      baseUrl,
      fetch: async (input, init) => fetch(input, { ...init, headers: new Headers(init.headers) }),
    }),
    new SellerClient({ baseUrl, accessToken: async () => Promise.resolve('token') }),
    new SellerClient({
      baseUrl,
      accessToken: refreshingToken({
        load: () => ({ accessToken: 'a', refreshToken: 'r', expiresAt: 0 }),
        refresh: (grant) => ({ ...grant, expiresAt: 1 }),
        save: () => undefined,
      }),
    }),
    // @ts-expect-error -- where the service is must be said
    new SellerClient({ accessToken: 'token' }),
    new SellerClient({
      baseUrl,
      // @ts-expect-error -- a word of another choice
      responseValidation: 'warn',
    }),
    new SellerClient({
      baseUrl,
      // @ts-expect-error -- there is no such option
      timeout: 5000,
    }),
  ];
}

/** In a `catch`, `instanceof` tells what an error has. */
export async function caught(error: unknown): Promise<void> {
  if (error instanceof QuestionNotOpenError) error.status satisfies number;
  if (error instanceof RateLimitError) error.retryAfterMs satisfies number | undefined;
  if (error instanceof OutcomeUnknownError) {
    const confirmation = await error.confirm();
    if (confirmation.done) confirmation.output satisfies unknown;
    // @ts-expect-error -- only what was done has an output
    else confirmation.output;
  }
  if (error instanceof ApiError) {
    error.headers satisfies Headers;
    error.causes.map(({ code }) => code) satisfies (string | undefined)[];
    // @ts-expect-error -- a body is whatever came
    error.body.message;
  }
}

export async function ownEndpoint(
  seller: SellerClient,
  endpoint: Endpoint<{ id: number }, { name: string }>,
): Promise<void> {
  (await seller.call(endpoint, { id: 1 })).name satisfies string;
  // @ts-expect-error -- an id is no text here
  await seller.call(endpoint, { id: 'a' });
}

/** A program that stores its writes reads back one of several operations. */
export async function storedWrites(seller: SellerClient, isAnswer: boolean): Promise<void> {
  const { answer, hide } = endpoints.questions;
  const sentAt = Date.now();
  const input = { question_id: 42, text: 'Yes.' };
  const confirmed = await seller.confirm(answer, input, { sentAt });
  if (confirmed.done) confirmed.output?.answer?.text satisfies string | null | undefined;
  await seller.confirm(isAnswer ? answer : hide, isAnswer ? input : { question_id: 42 }, { sentAt });
  // @ts-expect-error -- the text is missing
  await seller.confirm(answer, { question_id: 42 }, { sentAt });
  // @ts-expect-error -- neither has such an input
  await seller.confirm(isAnswer ? answer : hide, { pack_id: 5 }, { sentAt });
}

/** A mock of a method is one line. */
export function mocks(seller: SellerClient, question: Question): void {
  seller.questions.get = () => ApiPromise.of(question);
  void (ApiPromise.of(question, { attempts: 2 }) satisfies ApiPromise<Question>);
  // @ts-expect-error -- another type than that of the method
  seller.questions.responseTime = () => ApiPromise.of(question);
}

export function inboxes(seller: SellerClient): unknown {
  return createInbox({
    clientFor: () => seller,
    on: {
      questions: async (notification, { read }) => {
        notification.question_id satisfies number | string;
        (await read()).text satisfies string | null | undefined;
      },
    },
    fallback: (notification) => {
      notification.resource satisfies unknown;
    },
  });
}

export function fakes(): void {
  const marketplace = new FakeMarketplace({ now: '2026-03-02T12:00:00Z' });
  const user = marketplace.addUser();
  const { item_id } = marketplace.addItem({ seller_id: user.user_id });
  marketplace.ask({ from: user, item_id, text: 'Hello?' });
  marketplace.clientFor(user) satisfies SellerClient;
  marketplace.faults.inject({ status: 503, times: 2 });
  // @ts-expect-error -- there is no such fault
  marketplace.faults.inject({ explode: true });
}
