import { ForbiddenError, RateLimitError } from 'marketplace-seller-sdk';
import type { CallOptions, ClientOptions, SellerClient, ServerError } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { errorOf, networkFault, stubbed, untilWindowEnds, wireQuestion } from '../support/stubs.ts';
import type { Step } from '../support/stubs.ts';

const lost = networkFault('ECONNRESET');
const failing = (status: number, headers: Record<string, string> = {}): Response =>
  Response.json({ message: 'no' }, { status, headers });

function setUp(steps: readonly Step[], options: Partial<ClientOptions> = {}): ReturnType<typeof stubbed> {
  return stubbed(steps, { unknownOutcome: 'confirm', ...options });
}

/** The methods of the requests; reads in a row count as one. */
const methods = (sent: readonly Request[]): string =>
  sent
    .map(({ method }) => method)
    .filter((method, n, all) => method !== all[n - 1] || !isRead(sent[n]!))
    .join(' ');
const isRead = ({ method, url }: Request): boolean => method === 'GET' || url.includes('/configuration/v3');

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("an idempotent write with unknownOutcome: 'confirm'", () => {
  const addZones = (sellerClient: SellerClient): Promise<unknown> =>
    advanceUntilSettled(
      sellerClient.flex.addZones({ site_id: 'MLA', user_id: 7, service_id: 1, zones: [{ id: 'z' }] }),
    );
  const configured = (...ids: string[]): Response =>
    Response.json({ configuration: { zones: ids.map((id) => ({ id, selected: true })) } });

  test('is retried after a lost response, as without the option', async () => {
    const { sellerClient, sent } = setUp([lost, failing(503), new Response(null, { status: 204 })]);
    await addZones(sellerClient);
    expect(methods(sent)).toBe('PUT PUT PUT');
  });

  test.each<readonly [string, Step]>([
    ['a lost response', lost],
    ['a failed connection', networkFault('ECONNREFUSED')],
    ['a 403', failing(403)],
  ])('is read back if no retry is left, also where the last attempt got %s', async (_, last) => {
    const { sellerClient, sent } = setUp([lost, last, configured('z')], { maxRetries: 1 });
    await addZones(sellerClient);
    expect(methods(sent)).toBe('PUT PUT POST');
  });

  test('keeps its last error if it was not carried out, and the error says so', async () => {
    const { sellerClient, sent } = setUp([lost, failing(403), configured('another')]);
    const error = await errorOf<ForbiddenError>(addZones(sellerClient));
    expect(error).toBeInstanceOf(ForbiddenError);
    expect(error.outcomeUnknown).toBe(false);
    expect(error.message).not.toContain('may have been carried out');
    expect(methods(sent)).toBe('PUT PUT POST');
  });

  test('has an unknown outcome if it cannot be read back', async () => {
    const { sellerClient, sent } = setUp([lost, failing(403)]);
    expect(await errorOf(addZones(sellerClient))).toMatchObject({ status: 403, outcomeUnknown: true });
    expect(methods(sent)).toBe('PUT PUT POST');
  });
});

describe('a write that was sent again after proof that it was not carried out', () => {
  const answer = (sellerClient: SellerClient): Promise<unknown> =>
    advanceUntilSettled(sellerClient.questions.answer({ question_id: 42, text: 'Yes' }));
  const open = untilWindowEnds(Response.json({ ...wireQuestion, answer: null }));
  const answered = Response.json({ ...wireQuestion, status: 'ANSWERED', answer: { text: 'Yes' } });

  /** A service whose writes go through the steps, and which shows an open question to every read. */
  const writes = (...steps: readonly ((() => Response) | Error)[]): Step => {
    let turn = 0;
    return ({ method }) => {
      const step = method === 'GET' ? () => open[0]! : steps[turn++]!;
      if (step instanceof Error) throw step;
      return step().clone();
    };
  };

  test('is retried after a 429 and its Retry-After, if there is proof again', async () => {
    const limited = (): Response => failing(429, { 'retry-after': '7' });
    const { sellerClient, sent } = setUp([writes(lost, limited, () => answered)]);
    const startedAt = performance.now();
    expect(await answer(sellerClient)).toMatchObject({ answer: { text: 'Yes' } });
    expect(methods(sent)).toBe('POST GET POST GET POST');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(7000);
    // The first proof took the whole window in which the service may still carry out the write; one reading renews it.
    const all = sent.map(({ method }) => method).join(' ');
    expect(all).toMatch(/^POST (?:GET ){2,}POST GET POST$/);
  });

  test('is read back after a 429 when its Retry-After has passed, not before', async () => {
    const limited = (): Response => failing(429, { 'retry-after': '7' });
    const times: number[] = [];
    const service = writes(lost, limited, () => answered) as (request: Request, turn: number) => Response;
    const step: Step = (request, turn) => {
      times.push(performance.now());
      return service(request, turn);
    };
    const { sellerClient, sent } = setUp([step]);
    await answer(sellerClient);
    const second = sent.findIndex(({ method }, n) => n > 0 && method === 'POST');
    const [at = 0, read = 0] = times.slice(second);
    expect(read - at).toBeGreaterThanOrEqual(7000);
    expect(times.at(-1)! - read).toBeLessThan(7000);
  });

  test('is not sent again after a 429 if the first attempt was carried out meanwhile', async () => {
    const { sellerClient, sent } = setUp([lost, ...open, failing(429), answered]);
    expect(await answer(sellerClient)).toMatchObject({ answer: { text: 'Yes' } });
    expect(methods(sent)).toBe('POST GET POST GET');
  });

  test('is not sent again after a 429 if there is no proof any more', async () => {
    const hidden = Response.json({ ...wireQuestion, status: 'ANSWERED', answer: { text: '', status: 'BANNED' } });
    const { sellerClient, sent } = setUp([lost, ...open, failing(429), hidden]);
    const error = await errorOf<RateLimitError>(answer(sellerClient));
    expect(error).toBeInstanceOf(RateLimitError);
    // The proof of before is no proof any more.
    expect(error.outcomeUnknown).toBe(true);
    expect(methods(sent)).toBe('POST GET POST GET');
  });

  test.each<readonly [string, Record<string, string>, CallOptions]>([
    ['the client does not wait for its Retry-After', { 'retry-after': '60' }, {}],
    ['its Retry-After ends after the deadline', { 'retry-after': '5' }, { deadlineMs: 5000 }],
  ])('is read back at once after a 429 if %s', async (_, headers, options) => {
    const { sellerClient } = setUp([lost, ...open, failing(429, headers), answered]);
    const startedAt = performance.now();
    const call = sellerClient.questions.answer({ question_id: 42, text: 'Yes' }, options);
    expect(await advanceUntilSettled(call)).toMatchObject({ answer: { text: 'Yes' } });
    expect(performance.now() - startedAt).toBeLessThan(4000);
  });

  test('says that it was not carried out, whatever the error of the attempt was', async () => {
    const { sellerClient } = setUp([failing(503), ...open], { maxRetries: 0 });
    const error = await errorOf<ServerError>(answer(sellerClient));
    expect(error).toMatchObject({ status: 503, outcomeUnknown: false });
    expect(error.message).not.toContain('carried out');
  });

  test('is not retried after an error that a retry cannot help', async () => {
    const { sellerClient, sent } = setUp([lost, ...open, failing(403), ...open]);
    expect(await errorOf(answer(sellerClient))).toBeInstanceOf(ForbiddenError);
    expect(methods(sent)).toBe('POST GET POST GET');
  });
});
