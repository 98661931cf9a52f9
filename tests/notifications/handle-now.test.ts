import { ConfigurationError, SellerClient } from 'marketplace-seller-sdk';
import type { Question } from 'marketplace-seller-sdk';
import { DropNotificationError, UnrecoverableError, handleNow } from 'marketplace-seller-sdk/inbox';
import type { HandlerContext } from 'marketplace-seller-sdk/inbox';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, expectTypeOf, onTestFinished, test, vi } from 'vitest';
import { about, post } from '../support/deliveries.ts';
import { silentLogger } from '../support/silent.ts';

// A delivery that is handled before its response: nothing is stored.

let events = 0;
const notification = (question_id: number, more: object = {}): object =>
  about(question_id, { _id: `now-${(events += 1)}`, ...more });

const client = new SellerClient({ baseUrl: 'https://api.test' });
const clientFor = (user_id: number): SellerClient | undefined => (user_id === 7 ? client : undefined);

describe('handleNow()', () => {
  test('responds 200 after the handler, and 200 at once to what was handled', async () => {
    const questions = vi.fn(async () => {
      await Promise.resolve();
    });
    const body = notification(1);
    for (let time = 0; time < 3; time += 1)
      expect((await handleNow(post(body), { clientFor, on: { questions } })).status).toBe(200);
    expect(questions).toHaveBeenCalledOnce();
  });

  test('responds 503 when the handler fails, and handles it at the next delivery', async () => {
    const seen: number[] = [];
    const questions = (_: unknown, { attempt }: { attempt: number }): void => {
      seen.push(attempt);
      if (attempt < 3) throw new Error('not now');
    };
    const body = notification(1);
    const options = { clientFor, logger: silentLogger, on: { questions } };
    const responses = [];
    for (let time = 0; time < 4; time += 1) responses.push(await handleNow(post(body), options));
    expect(responses.map(({ status }) => status)).toEqual([503, 503, 200, 200]);
    expect(responses[0]?.headers.get('retry-after')).toBe('30');
    expect(seen).toEqual([1, 2, 3]);
  });

  test.each([200, 503])(
    'runs a notification once at a time: deliveries beside it get its result, %i',
    async (status) => {
      const end = Promise.withResolvers<undefined>();
      const questions = vi.fn(() => end.promise);
      const body = notification(1);
      const options = { clientFor, logger: silentLogger, on: { questions } };
      const responses = [1, 2, 3].map(() => handleNow(post(body), options));
      await vi.waitFor(() => expect(questions).toHaveBeenCalled());
      if (status === 200) end.resolve(undefined);
      else end.reject(new Error('not now'));
      expect((await Promise.all(responses)).map((response) => response.status)).toEqual([status, status, status]);
      expect(questions).toHaveBeenCalledOnce();
    },
  );

  test('reads a write back whose response was lost, before it is sent again', async () => {
    const marketplace = new FakeMarketplace();
    const seller = marketplace.addUser();
    const { user_id } = seller;
    const pack = marketplace.addPack({ seller_id: user_id, buyer_id: marketplace.addUser().user_id });
    const { id } = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
    const of = marketplace.clientFor(seller, { maxRetries: 0 });
    marketplace.faults.inject({ endpoint: 'messages.send', reset: 'after' });
    const body = { _id: `now-${(events += 1)}`, user_id, topic: 'messages', resource: `/messages/${id}` };
    const deliver = async (): Promise<number> =>
      (
        await handleNow(post(body), {
          clientFor: () => of,
          logger: silentLogger,
          on: { messages: (_, { reply }) => reply('It leaves today.') },
        })
      ).status;
    expect([await deliver(), await deliver(), await deliver()]).toEqual([503, 200, 200]);
    expect(marketplace.messages.of(pack).filter(({ from }) => from === user_id)).toHaveLength(1);
    // Another notification of the message that is answered.
    body._id = `now-${(events += 1)}`;
    expect(await deliver()).toBe(200);
    expect(marketplace.messages.of(pack).filter(({ from }) => from === user_id)).toHaveLength(1);
  });

  test.each([
    [
      ['lasts', 'lasts'],
      ['will be retried', 'is a dead letter now'],
    ],
    [
      ['lasts', 'passes', 'lasts'],
      ['will be retried', 'will be retried', 'will be retried'],
    ],
    [
      ['passes', 'lasts', 'lasts'],
      ['will be retried', 'will be retried', 'is a dead letter now'],
    ],
    // Its end was told: it begins anew.
    [
      ['lasts', 'lasts', 'lasts'],
      ['will be retried', 'is a dead letter now', 'will be retried'],
    ],
  ])('knows from one delivery to the next whether an error lasted: %j', async (errors, said) => {
    const lines: string[] = [];
    const log = (line: string): void => void lines.push(line);
    const body = notification(1);
    const statuses: number[] = [];
    for (const error of errors) {
      const questions = (): never => {
        throw Object.assign(new Error('no'), error === 'lasts' && { isLasting: true });
      };
      const logger = { debug: log, info: log, warn: log, error: log };
      statuses.push((await handleNow(post(body), { clientFor, logger, on: { questions } })).status);
    }
    expect(statuses).toEqual(errors.map(() => 503));
    expect(lines.map((line) => /will be retried|is a dead letter now/.exec(line)?.[0])).toEqual(said);
    expect(lines.map((line) => /at attempt (\d+)/.exec(line)?.[1])).toEqual(errors.map((_, index) => `${index + 1}`));
  });

  test.each<[string, object, number]>([
    ['of a user who is not ours', notification(1, { user_id: 8 }), 200],
    ['that is read', { ...notification(1), topic: 'messages', resource: '/messages/a', actions: ['read'] }, 200],
    ['of a topic without a handler', notification(1, { topic: 'items', resource: '/items/1' }), 200],
    ['that is none', { a: 1 }, 200],
    ['that is no object', [], 400],
  ])('does not call the handler for a notification %s', async (_, body, status) => {
    const questions = vi.fn();
    const warn = vi.fn();
    const options = { clientFor, logger: { ...silentLogger, warn }, on: { questions } };
    for (let time = 0; time < 3; time += 1) expect((await handleNow(post(body), options)).status).toBe(status);
    expect(warn.mock.calls.length).toBeLessThanOrEqual(1);
    expect(questions).not.toHaveBeenCalled();
  });

  test.each([
    [new DropNotificationError('not for us'), 200],
    [new UnrecoverableError('never'), 200],
    [new Error('not now'), 503],
  ])('after %s responds %i', async (error, status) => {
    const questions = vi.fn(() => Promise.reject(error));
    const options = { clientFor, logger: silentLogger, on: { questions } };
    const body = notification(1);
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    expect((await handleNow(post(body), options)).status).toBe(status);
    await vi.advanceTimersByTimeAsync(23 * 3_600_000);
    expect((await handleNow(post(body), options)).status).toBe(status);
    expect(questions).toHaveBeenCalledTimes(status === 200 ? 1 : 2);
  });

  test('checks its options, and knows no others', async () => {
    const unknown = { clientFor, on: { questions: () => {} }, stor: 1 };
    await expect(handleNow(post(notification(1)), unknown as never)).rejects.toBeInstanceOf(ConfigurationError);
    await expect(handleNow(post(notification(1)), {})).rejects.toBeInstanceOf(ConfigurationError);
    expectTypeOf(handleNow).returns.resolves.toEqualTypeOf<Response>();
  });

  test('responds 404 to another path than the secret one', async () => {
    const options = { clientFor, path: '/hooks/0123456789abcdef', on: { questions: () => {} } };
    expect((await handleNow(post(notification(1)), options)).status).toBe(404);
  });

  // The first question of each fake has the same id, and its notification has the same `_id`.
  test.each(['one client', 'a client per delivery', 'a derived client per delivery'])(
    'remembers by service, with %s: each of two with equal ids is handled once',
    async (way) => {
      for (let service = 1; service <= 2; service += 1) {
        const marketplace = new FakeMarketplace();
        const account = marketplace.addUser({ user_id: 7 });
        const { item_id } = marketplace.addItem({ seller_id: 7 });
        const { id } = marketplace.ask({ from: marketplace.addUser(), item_id, text: 'Is it new?' });
        const first = marketplace.clientFor(account);
        const made = { 'one client': () => first, 'a client per delivery': () => marketplace.clientFor(account) };
        const of = { ...made, 'a derived client per delivery': () => first.withOptions({ timeoutMs: 20_000 }) }[way];
        const texts: string[] = [];
        const body = about(id, { _id: `equal ${way}` });
        for (let delivery = 1; delivery <= 3; delivery += 1) {
          const questions = async (_: unknown, { read }: HandlerContext<Question>): Promise<void> =>
            void texts.push((await read()).text ?? '');
          expect((await handleNow(post(body), { clientFor: () => of?.(), on: { questions } })).status).toBe(200);
        }
        expect(texts).toEqual(['Is it new?']);
      }
    },
  );

  test('runs the notifications of one resource one after the other, and what was given back does not stop them', async () => {
    const log: string[] = [];
    const [first, second] = [notification(77), notification(77)];
    const deliver = async (body: object, fails = false): Promise<number> => {
      const questions = async ({ id }: { id?: string | null | undefined }): Promise<void> => {
        log.push(`begin ${id}`);
        await Promise.resolve();
        log.push(`end ${id}`);
        if (fails) throw new Error('not now');
      };
      return (await handleNow(post(body), { clientFor, logger: silentLogger, on: { questions } })).status;
    };
    expect(await Promise.all([deliver(first, true), deliver(second)])).toEqual([503, 200]);
    const names = [first, second].map((body) => (body as { _id: string })._id);
    expect(log).toEqual(names.flatMap((name) => [`begin ${name}`, `end ${name}`]));
    expect([await deliver(first), await deliver(second)]).toEqual([200, 200]);
    expect(log.slice(4)).toEqual([`begin ${names[0]}`, `end ${names[0]}`]);
  });
});
