import { createInbox, fetchHandler } from 'marketplace-seller-sdk/inbox';
import { describe, expect, expectTypeOf, onTestFinished, test, vi } from 'vitest';
import { about, post } from '../support/deliveries.ts';
import { silentLogger } from '../support/silent.ts';
import { untilEnded } from '../support/until-ended.ts';

function listening(options: { maxBodyBytes?: number } = {}) {
  const handled: number[] = [];
  const inbox = createInbox({
    logger: silentLogger,
    on: { questions: ({ question_id }) => void handled.push(question_id) },
    ...options,
  });
  return { inbox, handled, handle: fetchHandler(inbox) };
}

/** A body that arrives in pieces; `forever` never ends. */
function pieces(each: string, count: number, forever = false): RequestInit {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent++ < count) controller.enqueue(new TextEncoder().encode(each));
      else if (!forever) controller.close();
    },
  });
  return { body, duplex: 'half' } as RequestInit;
}

describe('fetchHandler()', () => {
  test('a notification gets 200 and is handled', async () => {
    const { inbox, handled, handle } = listening();
    const response = await handle(post(about(1)));
    expect([response.status, await response.text()]).toEqual([200, 'Accepted']);
    await untilEnded(inbox);
    expect(handled).toEqual([1]);
  });

  test('a body that arrives in chunks is read', async () => {
    const { handle } = listening();
    const text = JSON.stringify(about(1));
    const body = new Blob([text.slice(0, 20), text.slice(20)]).stream();
    expect((await handle(post('', { body, duplex: 'half' } as RequestInit))).status).toBe(200);
  });

  test('waitUntil() keeps the platform running until the work is done', async () => {
    const { handled, handle } = listening();
    const work: Promise<unknown>[] = [];
    await handle(post(about(1)), { waitUntil: (promise) => void work.push(promise) });
    await Promise.all(work);
    expect(handled).toEqual([1]);
  });

  test('waitUntil() waits for all that is due, and not for what is tried later', async () => {
    const handled: number[] = [];
    const inbox = createInbox({
      logger: silentLogger,
      on: {
        questions: ({ question_id }) => {
          handled.push(question_id);
          if (question_id === 1) throw new Error('not now');
        },
      },
    });
    const work: Promise<unknown>[] = [];
    for (const id of [1, 2])
      await fetchHandler(inbox)(post(about(id)), { waitUntil: (promise) => void work.push(promise) });
    await Promise.all(work);
    expect(handled.toSorted()).toEqual([1, 2]);
    expect(await inbox.stats()).toMatchObject({ waiting: 1, running: 0 });
    await inbox.close();
  });

  test('the handler is a route handler of Next', async () => {
    const { handle, handled, inbox } = listening();
    // The checks that Next generates for `export const POST`: up to version 15, and from version 16 on.
    type SecondArgument<T> = T extends (...args: [never, infer Context]) => unknown
      ? unknown extends Context
        ? 'anything'
        : Context
      : never;
    expectTypeOf<SecondArgument<typeof handle>>().toEqualTypeOf<'anything'>();
    const POST: (request: Request, context: { params: Promise<{ shop: string }> }) => Promise<Response> = handle;
    expect((await POST(post(about(1)), { params: Promise.resolve({ shop: 'mine' }) })).status).toBe(200);
    await untilEnded(inbox);
    expect(handled).toEqual([1]);
  });

  test.each([
    ['another method', new Request('https://app.test/', { method: 'GET' }), 405],
    ['another method with a body', post(about(1), { method: 'PUT' }), 405],
    ['a form', post('topic=questions', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }), 415],
    ['another charset', post(about(1), { headers: { 'content-type': 'application/json; charset=utf-16' } }), 415],
    [
      'compression',
      post(about(1), { headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } }),
      415,
    ],
    [
      'an announced length',
      post(about(1), { headers: { 'content-type': 'application/json', 'content-length': '16385' } }),
      413,
    ],
    ['no body', new Request('https://app.test/', { method: 'POST' }), 400],
    ['text that is not JSON', post('{'), 400],
    ['JSON that is not an object', post('[]'), 400],
    ['a body that is nested too deeply', post(`{"a":${'['.repeat(40)}${']'.repeat(40)}}`), 400],
    ['bytes that are not UTF-8', post('', { body: new Uint8Array([0xff, 0xfe, 0x7b]) }), 400],
  ])('%s is rejected', async (_, request, status) => {
    const { handle, handled } = listening();
    expect((await handle(request)).status).toBe(status);
    expect(handled).toEqual([]);
  });

  test.each(['application/json', 'Application/JSON; charset=UTF-8', 'text/json', 'application/vnd.events+json', ''])(
    'the content type "%s" is accepted',
    async (type) => {
      const request = post(about(1), { headers: { 'content-type': type } });
      if (type === '') request.headers.delete('content-type');
      expect((await listening().handle(request)).status).toBe(200);
    },
  );

  test('a body longer than its content-length is cut off', async () => {
    const { handle } = listening({ maxBodyBytes: 1_000 });
    expect((await handle(post('', pieces('x'.repeat(400), 1_000_000)))).status).toBe(413);
  });

  test('an endless body is cut off', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { handle } = listening();
    const response = handle(post('', pieces('{', 1, true)));
    await vi.advanceTimersByTimeAsync(5_000);
    expect((await response).status).toBe(408);
  });

  test.each<[string, (request: Request) => unknown]>([
    ['already read', (request) => request.text()],
    ['being read', ({ body }) => body?.getReader()],
  ])('a body that is %s is explained', async (_, read) => {
    const request = post(about(1));
    await read(request);
    const response = await listening().handle(request);
    expect([response.status, await response.text()]).toEqual([
      500,
      expect.stringContaining('before it reached the inbox'),
    ]);
  });

  test('a rejection does not echo the body', async () => {
    const { handle } = listening();
    for (const request of [post('<script>secret</script>'), post({ topic: '<script>secret</script>' })]) {
      const response = await handle(request);
      expect(await response.text()).not.toContain('secret');
      expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    }
  });
});
