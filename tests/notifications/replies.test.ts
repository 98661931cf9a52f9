import { createInbox } from 'marketplace-seller-sdk/inbox';
import { memoryStore } from 'marketplace-seller-sdk/stores';
import type { HandlingFailure, HandlingRejection, InboxOptions } from 'marketplace-seller-sdk/inbox';
import type { InnerStore as Store } from '../../src/work/store.js';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { fakeTimersOfInbox, loadClientFirst } from '../support/fake-time.ts';
import { service } from '../support/service.ts';
import { silentLogger } from '../support/silent.ts';

// What moderation decides about a message of a handler, at once or later.

loadClientFirst();
fakeTimersOfInbox();
const tick = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

const moderation = (status: string, reason?: string) => ({
  status: status === 'clean' ? 'available' : status === 'pending' ? 'pending' : 'moderated',
  message_moderation: { status, ...(reason !== undefined && { reason }) },
});

/** An inbox whose handler replies; the service says of the reply what `shown` has. */
function replying(shown: { now: object }, store: Store = memoryStore(), more: Partial<InboxOptions> = {}) {
  const received = {
    id: 'm1',
    from: { user_id: 9 },
    to: { user_id: 7 },
    text: 'Hello',
    message_resources: [{ id: '1', name: 'packs' }],
  };
  const conversation = { messages: [received], paging: { total: 1 } };
  const own = () => ({ id: 'm2', from: { user_id: 7 }, to: { user_id: 9 }, text: 'Call me', ...shown.now });
  let [sent, reads] = [0, 0];
  const { client } = service((path, { method }) => {
    if (method === 'POST') return (sent += 1) === 1 ? own() : { ...own(), id: 'm3', ...moderation('clean') };
    if (path.endsWith('/m2')) reads += 1;
    if (path.endsWith('/m2')) return own();
    return path.includes('/packs/') ? conversation : received;
  });
  const failures: HandlingFailure[] = [];
  const rejections: HandlingRejection[] = [];
  const successes: number[] = [];
  const inbox = createInbox({
    store,
    clientFor: () => client,
    logger: silentLogger,
    onFailure: (failure) => failures.push(failure),
    onRejection: (rejection) => rejections.push(rejection),
    onSuccess: ({ attempt }) => successes.push(attempt),
    on: { messages: (_, { reply }) => reply('Call me') },
    ...more,
  });
  onTestFinished(() => inbox.close({ graceMs: 0 }));
  const notify = () => inbox.add({ user_id: 7, topic: 'messages', resource: '/messages/m1', _id: 'one' });
  return { inbox, failures, rejections, successes, notify, counts: () => ({ sent, reads }) };
}

describe('a reply that moderation', () => {
  test('accepts is a success', async () => {
    const { failures, successes, notify, inbox } = replying({ now: moderation('clean') });
    await notify();
    await tick(10);
    expect([failures, successes]).toEqual([[], [1]]);
    expect(await inbox.stats()).toMatchObject({ waiting: 0, rejected: 0 });
  });

  test('cannot see, because the store does not keep it, is not sent, and its handler ends in time', async () => {
    const store = memoryStore();
    const note = store.note.bind(store);
    store.note = () => {
      store.note = note;
      return new Promise(() => undefined);
    };
    const ends: string[] = [];
    const { failures, successes, notify, counts } = replying({ now: moderation('clean') }, store, {
      handlerTimeoutMs: 1_000,
      on: {
        messages: async (_, { client }) => {
          const message = { pack_id: 1, user_id: 7, to: { user_id: 9 }, text: 'Call me' };
          const sent = await client.messages!.send(message).catch((error: unknown) => error);
          ends.push(sent instanceof Error ? sent.name : 'sent');
        },
      },
    });
    await notify();
    await tick(2_000);
    expect(ends[0]).toBe('HandlerTimeoutError');
    expect(failures).toMatchObject([{ dead: false, attempt: 1, error: { name: 'HandlerTimeoutError' } }]);
    expect(counts().sent).toBe(0);
    await tick(600_000);
    expect([counts().sent, successes.length]).toEqual([1, 1]);
  });

  test('rejects is told with its reason, is no dead letter, and is not sent again', async () => {
    const reply = replying({ now: moderation('rejected', 'PERSONAL_DATA') });
    const { failures, rejections, successes, notify, inbox, counts } = reply;
    await notify();
    await tick(60_000);
    const entry = expect.objectContaining({ key: expect.any(String) as string }) as HandlingRejection['entry'];
    expect(rejections).toEqual([{ entry, reason: 'PERSONAL_DATA' }]);
    expect([failures, successes]).toEqual([[], []]);
    expect(await inbox.stats()).toMatchObject({ waiting: 0, dead: 0, rejected: 1 });
    const [found] = await inbox.rejected.list();
    expect(found).toMatchObject({ reason: 'PERSONAL_DATA', entry: { notification: { message_id: 'm1' } } });
    await notify();
    await tick(60_000);
    expect(counts().sent).toBe(1);
    expect(await inbox.rejected.remove(found!.entry.key)).toBe(true);
    expect(await inbox.stats()).toMatchObject({ rejected: 0 });
  });

  test.each([
    ['clean', 0, 1],
    ['rejected', 1, 0],
  ])('has not decided about is followed until it is %s, without a second run', async (status, rejected, accepted) => {
    const shown = { now: moderation('pending') };
    // The second message, which the buyer sees at once, says nothing of the first one.
    const on: InboxOptions['on'] = { messages: (_, { reply }) => reply('Call me').then(() => reply('It is blue.')) };
    const { failures, rejections, successes, notify, inbox, counts } = replying(shown, memoryStore(), { on });
    await notify();
    await tick(10_000);
    expect([failures, successes]).toEqual([[], []]);
    expect(await inbox.stats()).toMatchObject({ waiting: 1, dead: 0 });
    const { reads } = counts();
    expect(reads).toBeGreaterThan(0);
    shown.now = moderation(status, 'LINK');
    await tick(60_000);
    expect([failures.length, rejections.length, successes.length]).toEqual([0, rejected, accepted]);
    expect(counts().sent).toBe(2);
    expect(await inbox.stats()).toMatchObject({ waiting: 0, dead: 0, rejected });
  });

  test('has not decided about is followed by the next process', async () => {
    const shown = { now: moderation('pending') };
    const store = memoryStore();
    const first = replying(shown, store);
    await first.notify();
    await tick(10);
    await first.inbox.close();
    const second = replying(shown, store);
    second.inbox.start();
    shown.now = moderation('rejected', 'LINK');
    await tick(10_000);
    expect(second.rejections).toMatchObject([{ reason: 'LINK' }]);
    expect(first.counts().sent + second.counts().sent).toBe(1);
  });

  test('does not decide about within a day is for a person', async () => {
    const { failures, notify, inbox } = replying({ now: moderation('pending') });
    await notify();
    await tick(25 * 3_600_000);
    expect(failures).toMatchObject([{ dead: true }]);
    expect((await inbox.deadLetters.list())[0]?.failure).toContain(
      'Moderation has not decided about the message within 24 hours',
    );
    // If a person has it handled again, it is followed as long again.
    expect(await inbox.deadLetters.replayAll()).toBe(1);
    await tick(23 * 3_600_000);
    expect([failures.length, await inbox.stats()]).toMatchObject([1, { waiting: 1, dead: 0 }]);
    await tick(2 * 3_600_000);
    expect([failures.length, await inbox.stats()]).toMatchObject([2, { waiting: 0, dead: 1 }]);
  });
});

test.each([
  ['is printed without a logger and onRejection, whatever else is told', undefined, 1],
  ['is not printed without a logger when onRejection takes it', () => Promise.reject(new Error('mine')), 0],
])('a rejected reply %s', async (_, onRejection, lines) => {
  const printed = vi.spyOn(console, 'error').mockReturnValue();
  const { notify, inbox, failures } = replying({ now: moderation('rejected', 'LINK') }, memoryStore(), {
    logger: undefined,
    onRejection,
  });
  await notify();
  await tick(10);
  const said = printed.mock.calls.map(String);
  expect(said.filter((line) => /^Notification .* \(messages\): moderation .*\(LINK\)$/.test(line))).toHaveLength(lines);
  expect(said.filter((line) => line === 'onRejection failed: Error: mine')).toHaveLength(1 - lines);
  expect(failures).toEqual([]);
  expect(await inbox.stats()).toMatchObject({ rejected: 1 });
  printed.mockRestore();
});
