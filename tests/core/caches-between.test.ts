import { SellerClient } from 'marketplace-seller-sdk';
import type { OutcomeUnknownError } from 'marketplace-seller-sdk';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { json, reset, startServer } from '../support/http-server.ts';
import type { ReceivedRequest } from '../support/http-server.ts';
import { errorOf, networkFault, stubbed, wireQuestion, receiving } from '../support/stubs.ts';
import { transports } from '../support/transports.ts';
import { undici } from '../support/undici.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  // What one has found out of a platform is not true of the next.
  vi.resetModules();
});

const answer = { question_id: 42, text: 'Yes.' };
const answered = { ...wireQuestion, status: 'ANSWERED', answer: { text: answer.text } };

test('every request says that no cache may answer for the service', async () => {
  const { sellerClient, sent } = stubbed([Response.json(wireQuestion)]);
  await sellerClient.questions.get({ question_id: 42 });
  await sellerClient.questions.answer(answer);
  expect(sent.map(({ cache }) => cache)).toEqual(['no-store', 'no-store']);
});

describe('a platform that does not take the member `cache`', () => {
  /** As React Native does: it adds a parameter to the URL, and has no property of this name. */
  class IgnoringRequest extends Request {
    constructor(input: Request | string, { cache, ...init }: RequestInit = {}) {
      super(cache === undefined || typeof input !== 'string' ? input : `${input}?_=1`, init);
    }
  }
  class ThrowingRequest extends Request {
    constructor(input: RequestInfo, init: RequestInit = {}) {
      if (init.cache !== undefined) throw new TypeError('The "cache" field is not implemented.');
      super(input, init);
    }
  }

  test.each([IgnoringRequest, ThrowingRequest])('gets requests without it: %o', async (Own) => {
    vi.stubGlobal('Request', Own);
    vi.resetModules();
    const { SellerClient: Client } = await import('marketplace-seller-sdk');
    const urls: string[] = [];
    const fetch = receiving(async (request) => {
      urls.push(request.url);
      return Response.json(wireQuestion);
    });
    const client = new Client({ baseUrl: 'https://api.test', accessToken: 'token-1', fetch });
    await client.questions.get({ question_id: 42 });
    expect(urls).toEqual(['https://api.test/questions/42']);
  });
});

describe('a read that proves a write', () => {
  test.each(transports)('asks caches on the way for the newest, over %s', async (_, options) => {
    const server = await startServer((to, _turn, { method, url }) => {
      if (method === 'POST') reset(to);
      else json(to, 200, url === '/questions/42' ? answered : wireQuestion);
    });
    const client = new SellerClient({
      baseUrl: server.url,
      accessToken: 'token-1',
      unknownOutcome: 'confirm',
      ...options,
    });
    await client.questions.answer(answer);
    await client.questions.get({ question_id: 42 });
    expect(server.received[2]?.headers['cache-control']).toBe(options.fetch && 'no-cache');
    expect(server.received[1]).toMatchObject({ method: 'GET', headers: { 'cache-control': 'no-cache' } });
  });

  test('does not in a browser, where the service would have to allow the header', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (X11; Linux x86_64)' });
    const { sellerClient, sent } = stubbed([networkFault('ECONNRESET'), Response.json(answered)], {
      unknownOutcome: 'confirm',
    });
    await sellerClient.questions.answer(answer);
    expect(sent.map(({ headers }) => headers.get('cache-control'))).toEqual([null, null]);
  });

  test('lets the caller say something else', async () => {
    const { sellerClient, sent } = stubbed([networkFault('ECONNRESET'), Response.json(answered)], {
      unknownOutcome: 'confirm',
    });
    await sellerClient.questions.answer(answer, { headers: { 'Cache-Control': 'max-age=0' } });
    expect(sent[1]?.headers.get('cache-control')).toBe('max-age=0');
  });
});

describe('a cache on the way, which keeps what it may', () => {
  /** The service: a question takes its answer, and the connection breaks before it says so. Every response may be kept. */
  const service = (): Parameters<typeof startServer>[0] => {
    let isAnswered = false;
    return (to, _turn, { method }) => {
      const question = isAnswered ? answered : wireQuestion;
      isAnswered ||= method === 'POST';
      if (method === 'POST') reset(to);
      else json(to, 200, question, { 'cache-control': 'max-age=600' });
    };
  };

  test.runIf('cache' in undici.interceptors)(
    'of undici, as the global dispatcher: no read is answered by it',
    async () => {
      const { Agent, getGlobalDispatcher, interceptors, setGlobalDispatcher } = undici;
      const before = getGlobalDispatcher();
      onTestFinished(() => setGlobalDispatcher(before));
      setGlobalDispatcher(new Agent().compose(interceptors.cache()));
      const { url, received } = await startServer(service());
      const client = new SellerClient({ baseUrl: url, accessToken: 'token-1', maxRetries: 0 });
      const get = (): PromiseLike<unknown> => client.questions.get({ question_id: 42 });
      expect(await get()).toMatchObject({ status: 'UNANSWERED' });
      const error = await errorOf<OutcomeUnknownError>(client.questions.answer(answer));
      expect(await error.confirm()).toMatchObject({ done: true });
      expect(await get()).toMatchObject({ status: 'ANSWERED' });
      expect(received.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET', 'GET']);
    },
  );

  test.each(transports)('of a proxy, over %s: what proves a write is asked of the service', async (_, options) => {
    const behind = await startServer(service());
    const kept = new Map<string, string>();
    const answerTo = async ({ method, url, headers, body }: ReceivedRequest): Promise<string> => {
      const known = method === 'GET' && !('cache-control' in headers) ? kept.get(url) : undefined;
      if (known !== undefined) return known;
      const response = await fetch(behind.url + url, { method, ...(body && { body }) });
      const text = await response.text();
      kept.set(url, text);
      return text;
    };
    const proxy = await startServer((to, _turn, received) => {
      void answerTo(received).then(
        (text) => to.writeHead(200, { 'content-type': 'application/json' }).end(text),
        () => reset(to),
      );
    });
    const client = new SellerClient({ baseUrl: proxy.url, accessToken: 'token-1', maxRetries: 0, ...options });
    await client.questions.get({ question_id: 42 });
    const error = await errorOf<OutcomeUnknownError>(client.questions.answer(answer));
    expect(await error.confirm()).toMatchObject({ done: true });
  });
});

describe('an error that a framework throws for its own purposes', () => {
  const purposes: readonly (readonly [string, unknown])[] = [
    [
      'a page that cannot be prerendered',
      Object.assign(new Error('no-store fetch'), { digest: 'DYNAMIC_SERVER_USAGE' }),
    ],
    ['a part that is rendered later', { $$typeof: Symbol.for('react.postpone') }],
  ];

  test.each(purposes)('is thrown as it is, and the request is not repeated: %s', async (_, thrown) => {
    let calls = 0;
    const fetch = async (): Promise<Response> => {
      calls += 1;
      throw thrown;
    };
    const { sellerClient } = stubbed([], { fetch, unknownOutcome: 'confirm' });
    expect(await errorOf(sellerClient.questions.get({ question_id: 42 }))).toBe(thrown);
    expect(await errorOf(sellerClient.questions.answer(answer))).toBe(thrown);
    expect(await errorOf(sellerClient.questions.search({ seller_id: 7 }).first())).toBe(thrown);
    expect(calls).toBe(3);
  });

  test.each(purposes)('is thrown as it is if the token is asked for: %s', async (_, thrown) => {
    for (const accessToken of [
      async () => {
        throw thrown;
      },
      () => {
        throw thrown;
      },
    ]) {
      const { sellerClient, sent } = stubbed([Response.json(wireQuestion)], { accessToken });
      const errors = await Promise.all([1, 2].map((id) => errorOf(sellerClient.questions.get({ question_id: id }))));
      expect(errors).toEqual([thrown, thrown]);
      expect(sent).toEqual([]);
    }
  });
});
