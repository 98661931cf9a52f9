import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WriteRecords } from '../../src/work/writes.js';
import { withWriteHook } from '../../src/core/recover/write-hook.js';
import type { WriteRecord } from '../../src/core/recover/write-hook.js';
import { service } from '../support/service.ts';
import { networkFault } from '../support/stubs.ts';

// The text of a template is the service's own, so the cap of its option tells whether it was sent.

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

describe('a template that may have been sent', () => {
  const template = { option_id: 'REQUEST_BILLING_INFO', template_id: 'TEMPLATE___REQUEST_BILLING_INFO___1' } as const;
  const cap = (option_id: string, cap_available: number): object => ({ option_id, cap_available });
  const billing = (count: number): object => cap(template.option_id, count);
  const message = (id: string, user_id: number, minutes = 1): object => ({
    id,
    from: { user_id },
    text: 'A text of the service',
    message_date: { created: new Date(Date.now() + minutes * 60_000).toISOString() },
  });

  /** What a second run of a handler does: it takes a message for its own, sends again, or leaves it to a person. */
  async function secondRun(before: object[], after: object[], earlier: object[], later = earlier): Promise<unknown> {
    const seen = { caps: 0, sent: 0 };
    const { client } = service(
      (path) => {
        if (path.endsWith('/caps_available')) return (seen.caps += 1) === 1 ? before : after;
        const messages = seen.caps === 2 ? later : earlier;
        if (!path.endsWith('/option')) return { messages, paging: { total: messages.length, limit: 50 } };
        if ((seen.sent += 1) === 1) throw networkFault('ECONNRESET');
        return { id: 'again' };
      },
      { maxRetries: 0 },
    );
    let writes: readonly WriteRecord[] = [];
    const run = (): PromiseLike<{ id?: string | null | undefined } | undefined> => {
      const note = async (all: readonly WriteRecord[]): Promise<void> => void (writes = structuredClone(all));
      const records = new WriteRecords({ writes, note });
      return withWriteHook(client, records).actionGuide.send({ pack_id: 1, ...template });
    };
    await expect(run()).rejects.toMatchObject({ name: 'OutcomeUnknownError' });
    // After this time the service has given up what it has not carried out.
    vi.advanceTimersByTime(60_000);
    return run().then(
      (sent) => sent?.id,
      (error: unknown) => (error as Error).name,
    );
  }

  const person = 'EarlierWriteUnknownError';
  test.each<[string, object[], object[], object[], unknown]>([
    ['one cap less and one message', [billing(1)], [billing(0)], [message('own', 7)], 'own'],
    ['one of three less and one message', [billing(3)], [billing(2)], [message('own', 7)], 'own'],
    ['as many caps and no message', [billing(1)], [billing(1)], [], 'again'],
    ['as many caps and the message of another option', [billing(1)], [billing(1)], [message('a', 7)], 'again'],
    ['two caps less', [billing(3)], [billing(1)], [message('own', 7)], person],
    ['two messages', [billing(1)], [billing(0)], [message('a', 7), message('b', 7)], person],
    ['a reply since, which resets the cap', [billing(1)], [billing(1)], [message('a', 7), message('b', 9)], person],
    ['a reply of an hour ago', [billing(1)], [billing(0)], [message('own', 7), message('b', 9, -60)], 'own'],
    [
      'the cap of another option less, listed first',
      [cap('OTHER', 1), billing(1)],
      [cap('OTHER', 0), billing(1)],
      [message('a', 7)],
      'again',
    ],
    [
      'the cap of another option less, listed last',
      [billing(1), cap('OTHER', 1)],
      [billing(1), cap('OTHER', 0)],
      [message('a', 7)],
      'again',
    ],
  ])('%s', async (_, before, after, messages, expected) => {
    expect(await secondRun(before, after, messages)).toBe(expected);
  });

  test.each<[string, object[], unknown]>([
    ['a reply', [message('b', 9)], person],
    ['a reply of an hour ago', [message('b', 9, -60)], 'again'],
    ['another message of the seller', [message('c', 7)], 'again'],
    ['nothing', [], 'again'],
  ])('as many caps, a message, and once they were read: %s', async (_, since, expected) => {
    const shown = [message('a', 7)];
    expect(await secondRun([billing(1)], [billing(1)], shown, [...shown, ...since])).toBe(expected);
  });
});
