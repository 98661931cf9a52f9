import type { ClientOptions, OutcomeUnknownError, SellerClient } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { errorOf, networkFault, stubbed, wireQuestion } from '../support/stubs.ts';

// When is a write sent twice? Each row says what a write gets, and what reading back shows, in the order of time (the last for ever); which
// requests are sent (W: the write, R: it is read back, once or repeatedly); how the call ends, and why. `answer` and `hide` are sent
// once, `zones` may be repeated, `hide` cannot be read back. `?`: the error says that the outcome is unknown.
//
// lost: no response · unsent: no connection · 429:7 with Retry-After · open: not carried out · done: carried out · hidden: nothing is proved

const table = `
write                  | gets                            | requests  | ends with           | takes | why
answer                 | lost                            | W         | OutcomeUnknown ?    |       | the client confirms nothing by itself
answer                 | unsent ok                       | W W       | ok                  |       | nothing was sent
answer                 | 429 ok                          | W W       | ok                  |       | a 429 says that nothing was done
answer                 | 500:0                           | W         | Server ?            |       | a gateway may have passed it on
answer                 | 503                             | W         | Server ?            |       | a gateway may have passed it on
answer                 | 503:0                           | W         | Server ?            |       | a gateway may have passed it on
answer                 | 403                             | W         | Forbidden           |       | it was rejected
answer confirm         | lost done                       | W R       | ok                  | <4s   | found: that is its result
answer confirm         | lost open ok                    | W R W     | ok                  | >=3s  | proved undone, after the whole window
answer confirm         | lost open lost open ok          | W R W R W | ok                  |       | each attempt needs its own proof
answer confirm         | lost hidden                     | W R       | OutcomeUnknown ?    |       | nothing is proved
answer confirm         | lost 403                        | W R       | OutcomeUnknown ?    |       | reading back fails
answer confirm         | 300 done                        | W R       | ok                  |       | as an unclear status
answer confirm         | 408 done                        | W R       | ok                  |       | as an unclear status
answer confirm         | 421 done                        | W R       | ok                  |       | as an unclear status
answer confirm         | 503:7 open ok                   | W R W     | ok                  | >=7s  | the Retry-After is kept
answer confirm         | lost open 429:7 open ok         | W R W R W | ok                  | >=7s  | a limit, and proof again
answer confirm         | lost open 429 done              | W R W R   | ok                  |       | carried out meanwhile
answer confirm         | lost open 429 hidden            | W R W R   | RateLimit ?         |       | the proof of before is none any more
answer confirm         | lost open 429:60 done           | W R W R   | ok                  | <4s   | too long to wait: read at once
answer confirm deadline=5000 | lost open 429:5 done      | W R W R   | ok                  | <4s   | too late for a retry: read at once
answer confirm         | lost open 403 open              | W R W R   | Forbidden           |       | a retry cannot help
answer confirm         | lost open 403 open done         | W R W R   | ok                  |       | what was rejected is read for the whole window
answer confirm         | lost open 403 done              | W R W R   | ok                  |       | "already answered" finds the first one
answer confirm retries=0 | 503 open                      | W R       | Server              |       | it was not carried out
answer confirm retries=0 | lost open                     | W R       | Connection          |       | it was not carried out
hide confirm           | lost                            | W         | OutcomeUnknown ?    |       | it cannot be read back

zones                  | lost unsent                     | W W W W   | OutcomeUnknown ?    |       | failed after an earlier attempt that may have succeeded
zones                  | 500 unsent                      | W W W W   | OutcomeUnknown ?    |       | failed after an earlier attempt that may have succeeded
zones                  | lost unsent 429 unsent          | W W W W W | OutcomeUnknown ?    |       | failed after an earlier attempt that may have succeeded
zones                  | lost 403                        | W W       | Forbidden ?         |       | An earlier attempt may have been carried out
zones                  | lost 429:3600                   | W W       | RateLimit ?         |       | An earlier attempt may have been carried out
zones                  | unsent                          | W W W W   | Connection          |       | nothing was ever sent
zones                  | 429 403                         | W W       | Forbidden           |       | nothing was done
zones                  | 401 403                         | W W       | Forbidden           |       | nothing was done
zones confirm          | lost 503 ok                     | W W W     | ok                  |       | it may be repeated without proof
zones confirm retries=1 | lost lost done                 | W W R     | ok                  |       | no retry is left
zones confirm retries=1 | lost unsent done               | W W R     | ok                  |       | no retry is left
zones confirm retries=1 | lost 403 done                  | W W R     | ok                  |       | no retry is left
zones confirm          | lost 403 open                   | W W R     | Forbidden           |       | it was not carried out
zones confirm          | lost 403                        | W W R     | Forbidden ?         |       | reading back fails
`;

type Call = (client: SellerClient, options?: object) => PromiseLike<unknown>;
const writes: Readonly<Record<string, Call>> = {
  answer: (client, options) => client.questions.answer({ question_id: 42, text: 'Yes' }, options),
  hide: (client) => client.questions.hide({ question_id: 42 }),
  zones: (client, options) =>
    client.flex.addZones({ site_id: 'MLA', user_id: 7, service_id: 1, zones: [{ id: 'z' }] }, options),
};
const isRead = ({ method, url }: Request): boolean => method === 'GET' || url.includes('/configuration/v3');

/** What a read shows of a question, or of zones. */
function shown(what: string, isOfZones: boolean): Response {
  if (isOfZones)
    return Response.json({ configuration: { zones: [{ id: what === 'done' ? 'z' : 'another', selected: true }] } });
  const answer = { open: null, done: { text: 'Yes' }, hidden: { text: '', status: 'BANNED' } }[what];
  return Response.json({ ...wireQuestion, answer });
}

/** A service that goes through the steps: a read repeats its step until the next write. */
function serviceOf(steps: readonly string[], write: string) {
  let at = -1;
  const isReading = (step: string | undefined): boolean => ['open', 'done', 'hidden'].includes(step ?? '');
  return (request: Request): Response => {
    if (isRead(request)) at += isReading(steps[at + 1]) ? 1 : 0;
    else at += 1 + (isReading(steps[at + 1]) ? 1 : 0);
    const step = steps[Math.min(at, steps.length - 1)]!;
    if (isReading(step)) return shown(step, write === 'zones');
    if (step === 'lost') throw networkFault('ECONNRESET');
    if (step === 'unsent') throw networkFault('ECONNREFUSED');
    if (step === 'ok') return write === 'zones' ? new Response(null, { status: 204 }) : shown('done', false);
    const [status, after] = step.split(':');
    return Response.json({ message: 'no' }, { status: Number(status), headers: after ? { 'retry-after': after } : {} });
  };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const rows = table
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter((cells) => cells.length === 6)
  .slice(1)
  .map(([write = '', gets = '', requests = '', ends = '', takes = '', why = '']) => {
    return { write, gets, requests, ends, takes, why };
  });

test.each(rows)('$write: $gets: $requests, $ends ($why)', async ({ write, gets, requests, ends, takes, why }) => {
  const [name = '', ...given] = write.split(' ');
  const numberOf = (option: string): number | undefined => {
    const found = given.find((each) => each.startsWith(`${option}=`));
    return found === undefined ? undefined : Number(found.split('=')[1]);
  };
  const options: Partial<ClientOptions> = {
    accessToken: ({ rejected }) => (rejected ? 'token-2' : 'token-1'),
    unknownOutcome: given.includes('confirm') ? 'confirm' : 'throw',
    maxRetries: numberOf('retries') ?? 3,
    ...(given.includes('confirm') ? {} : { maxRetryDelayMs: 1 }),
  };
  const { sellerClient, sent } = stubbed([serviceOf(gets.split(' '), name)], options);
  const startedAt = performance.now();
  const deadlineMs = numberOf('deadline');
  const call = writes[name]!(sellerClient, deadlineMs === undefined ? {} : { deadlineMs });
  const end: unknown = await advanceUntilSettled(
    call.then(
      () => 'ok',
      (error: unknown) => error,
    ),
  );
  const letters = sent.map((request) => (isRead(request) ? 'R' : 'W')).join(' ');
  expect(letters.replaceAll(/R( R)+/g, 'R')).toBe(requests);
  const tookMs = performance.now() - startedAt;
  if (takes.startsWith('>=')) expect(tookMs).toBeGreaterThanOrEqual(1000 * Number.parseInt(takes.slice(2), 10));
  if (takes.startsWith('<')) expect(tookMs).toBeLessThan(1000 * Number.parseInt(takes.slice(1), 10));
  if (ends === 'ok') {
    expect(end).toBe('ok');
    return;
  }
  const { name: error, outcomeUnknown = false, message } = end as Error & { outcomeUnknown?: boolean };
  expect([error, outcomeUnknown]).toEqual([`${ends.split(' ')[0]}Error`, ends.endsWith('?')]);
  if (/earlier attempt/i.test(why)) expect(message).toContain(why);
  if (!ends.endsWith('?')) expect(message).not.toContain('may have been carried out');
});

test('after a 429 a write is read back once, when its Retry-After has passed', async () => {
  const times: [method: string, at: number][] = [];
  const service = serviceOf(['lost', 'open', '429:7', 'open', 'ok'], 'answer');
  const noting = (request: Request): Response => {
    times.push([request.method, performance.now()]);
    return service(request);
  };
  const { sellerClient } = stubbed([noting], { unknownOutcome: 'confirm' });
  await advanceUntilSettled(writes.answer!(sellerClient));
  const [limited, read, again] = times.slice(times.findLastIndex(([method]) => method === 'POST') - 2);
  expect([limited![0], read![0], again![0]]).toEqual(['POST', 'GET', 'POST']);
  expect(read![1] - limited![1]).toBeGreaterThanOrEqual(7000);
  expect(again![1] - read![1]).toBeLessThan(7000);
});

test('after a timeout nothing is sent again before the service had as long again', async () => {
  const sentAt: number[] = [];
  const service = ({ method }: Request): Response | Promise<Response> => {
    if (method === 'GET') return shown('open', false);
    sentAt.push(performance.now());
    return sentAt.length > 1 ? shown('done', false) : new Promise<Response>(() => undefined);
  };
  const { sellerClient } = stubbed([service], { unknownOutcome: 'confirm', timeoutMs: 5000 });
  await advanceUntilSettled(writes.answer!(sellerClient));
  expect(sentAt[1]! - sentAt[0]!).toBeGreaterThanOrEqual(10_000);
});

describe('what ends a call between two attempts leaves the outcome of the first unknown', () => {
  const lost = networkFault('ECONNRESET');
  const unsent = networkFault('ECONNREFUSED');
  const failing = (status: number, headers = {}): Response => Response.json({ message: 'no' }, { status, headers });

  test('a token function that fails after a 401', async () => {
    const accessToken = ({ rejected }: { rejected?: string | undefined }): string => {
      if (rejected !== undefined) throw new Error('revoked');
      return 'token-1';
    };
    const { sellerClient } = stubbed([lost, failing(401)], { accessToken });
    const error = await advanceUntilSettled(errorOf(writes.zones!(sellerClient)));
    expect(error).toMatchObject({ name: 'OutcomeUnknownError', cause: { name: 'AccessTokenError' } });
  });

  test('a middleware that fails', async () => {
    let turn = 0;
    const { sellerClient, sent } = stubbed([lost], {
      middleware: [
        async ({ request }, next) => {
          if ((turn += 1) > 1) throw new Error('the signing key is gone');
          return next(request);
        },
      ],
    });
    const error = await advanceUntilSettled(errorOf(writes.zones!(sellerClient)));
    expect(error.name).toBe('OutcomeUnknownError');
    expect(error.message).toContain('the signing key is gone');
    expect(sent).toHaveLength(1);
  });

  test('a 429 of another call', async () => {
    const another = async (): Promise<never> => {
      await errorOf(writes.zones!(sellerClient));
      throw lost;
    };
    const { sellerClient } = stubbed([another, failing(429, { 'retry-after': '3600' })]);
    const error = await advanceUntilSettled(errorOf(writes.zones!(sellerClient)));
    expect(error).toMatchObject({ status: 429, attempts: 1, outcomeUnknown: true });
    expect(error.message).toMatch(/was not sent.*An earlier attempt may have been carried out/);
  });

  test('the signal, and the deadline', async () => {
    const controller = new AbortController();
    const limits = { maxRetries: 99, maxRetryDelayMs: 60_000 };
    const aborting = (): never => {
      setTimeout(() => controller.abort(), 5);
      throw unsent;
    };
    const { signal } = controller;
    const aborted = writes.zones!(stubbed([lost, aborting], limits).sellerClient, { signal });
    const error = await advanceUntilSettled(errorOf<OutcomeUnknownError>(aborted));
    expect(error).toMatchObject({ name: 'AbortError', outcomeUnknown: true });
    const late = writes.zones!(stubbed([lost, unsent], limits).sellerClient, { deadlineMs: 20_000 });
    expect((await advanceUntilSettled(errorOf(late))).name).toBe('OutcomeUnknownError');
  });

  test('but not after the proof that it was not carried out', async () => {
    const service = serviceOf(['503:7', 'open'], 'answer');
    const hanging = (request: Request): Response | Promise<Response> =>
      request.url.endsWith('/questions/1') ? new Promise<Response>(() => undefined) : service(request);
    const { sellerClient, sent } = stubbed([hanging], { unknownOutcome: 'confirm', concurrency: 1 });
    const call = errorOf(writes.answer!(sellerClient, { deadlineMs: 11_000 }));
    await vi.advanceTimersByTimeAsync(9500);
    // It takes the only place, so the deadline ends the write in the queue.
    const other = errorOf(sellerClient.questions.get({ question_id: 1 }, { timeoutMs: 9000, maxRetries: 0 }));
    expect(await advanceUntilSettled(call)).toMatchObject({ name: 'TimeoutError', attempts: 1 });
    expect(sent.filter(({ method }) => method === 'POST')).toHaveLength(1);
    await advanceUntilSettled(other);
  });
});
