import type { Confirmation } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { describe, expect, test } from 'vitest';
import { WriteRecords } from '../../src/work/writes.js';
import { withWriteHook, targetOf } from '../../src/core/recover/write-hook.js';
import type { WriteRecord } from '../../src/core/recover/write-hook.js';
import { service } from '../support/service.ts';
import { networkFault } from '../support/stubs.ts';

// What reading back finds where a list has none, one or two of a thing, the first or the last one, ids as numbers and as texts,
// and a date of another kind.

const sentAt = Date.parse('2026-03-02T12:00:00Z');
const at = (minutes: number): string => new Date(sentAt + minutes * 60_000).toISOString();
const limits = { sentAt, confirmWindowMs: 0 };
/** `done`, or the reason why nothing is known. */
const outcome = ({ done, unknown }: Confirmation): unknown => done ?? unknown;
const several = <T>(count: number, entry: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => entry(index));

describe('a question that may have been asked', () => {
  const text = 'Does it come in red?';
  const own = { id: 900, from: { id: 31 }, text, date_created: at(1) };
  const byAnother = (id: number): object => ({ id, from: { id: 99 }, text: `Question ${id}`, date_created: at(1) });
  const confirm = async (questions: readonly object[], accessToken = 'APP_USR-1-31') => {
    const { client, paths } = service(
      (_, { url }) => {
        const offset = Number(new URL(url).searchParams.get('offset'));
        return { questions: questions.slice(offset, offset + 50), total: questions.length, limit: 50 };
      },
      { accessToken },
    );
    return { found: outcome(await client.confirm(endpoints.questions.ask, { item_id: 'MLA1', text }, limits)), paths };
  };

  test.each<[string, object[], unknown]>([
    ['no question', [], false],
    ['its own', [own], true],
    ['its own, with the id of its user as a text', [{ ...own, from: { id: '31' } }], true],
    ['its own, the first of two', [own, byAnother(1)], true],
    ['its own, the last of two', [byAnother(1), own], true],
    ['its own, the last of a page', [...several(49, byAnother), own], true],
    ['its own, alone on a second page', [...several(50, byAnother), own], true],
    ['its own, the last of two pages', [...several(99, byAnother), own], true],
    ['the same by another user', [{ ...own, from: { id: 32 } }], false],
    ['the same, an hour before', [{ ...own, date_created: at(-60) }], expect.stringContaining('an older date')],
    ['the same, without its user', [{ ...own, from: null }], expect.stringContaining('of another user')],
  ])('%s', async (_, questions, expected) => {
    expect((await confirm(questions)).found).toEqual(expected);
  });

  test('may be of anybody, if the token does not name its user', async () => {
    expect((await confirm([own], 'token-1')).found).toEqual(expect.stringContaining('of another user'));
  });

  test.each([
    [50, [null]],
    [51, [null, '50']],
    [100, [null, '50']],
    [120, [null, '70']],
  ])('of %i questions the newest and the oldest are read', async (count, offsets) => {
    const { paths } = await confirm(several(count, byAnother));
    const queries = paths.map((path) => new URLSearchParams(path.split('?')[1]));
    expect(queries.map((query) => query.get('offset'))).toEqual(offsets);
    for (const query of queries) {
      const { item, sort_fields, sort_types, limit } = Object.fromEntries(query);
      expect({ item, sort_fields, sort_types, limit }).toEqual({
        item: 'MLA1',
        sort_fields: 'date_created',
        sort_types: 'DESC',
        limit: '50',
      });
    }
  });
});

test.each([
  [120, 120, false],
  [121, 120, undefined],
  [120, 121, undefined],
  [119, 120, undefined],
])('of %i questions at first and then %i: it was not asked: %s', async (first, then, done) => {
  const { client } = service((_, { url }) => {
    const offset = Number(new URL(url).searchParams.get('offset'));
    const count = Math.min(50, (offset === 0 ? first : then) - offset);
    const questions = several(count, (n) => ({ id: offset + n + 1, from: { id: 99 }, text: 'New?', date_created: at(-60) }));
    return { questions, total: offset === 0 ? first : then, limit: 50 };
  }, { accessToken: 'APP_USR-1-31' }); // prettier-ignore
  const found = await client.confirm(endpoints.questions.ask, { item_id: 'MLA1', text: 'Red?' }, limits);
  expect(found.done).toBe(done);
});

describe('a question that may have been deleted', () => {
  test.each<[unknown, unknown]>([
    ['DELETED', true],
    ['deleted', true],
    ['UNANSWERED', false],
    ['ANSWERED', false],
    ['CLOSED_UNANSWERED', false],
    ['UNDER_REVIEW', false],
    ['BANNED', false],
    [null, 'the question shows no status'],
  ])('with the status %j', async (status, expected) => {
    const { client } = service(() => ({ id: 42, status }));
    expect(outcome(await client.confirm(endpoints.questions.delete, { question_id: 42 }, limits))).toEqual(expected);
  });
});

describe('an answer that may have been sent', () => {
  const text = 'Yes, it does.';
  const another = 'the question has another answer, or this one with its text changed';
  test.each<[string, object, unknown]>([
    ['none, open', { status: 'UNANSWERED' }, false],
    ['none, open in lower case', { status: 'unanswered', answer: null }, false],
    ['none, and not open', { status: 'CLOSED_UNANSWERED' }, 'the question is CLOSED_UNANSWERED and shows no answer'],
    ['none, without a status', {}, 'the question is in no known state and shows no answer'],
    ['its own', { status: 'ANSWERED', answer: { text, date_created: at(1) } }, true],
    ['its own, without a date', { answer: { text } }, true],
    ['one that is not shown', { answer: { text: '' } }, 'the question has an answer whose text is not shown'],
    ['one without a text', { status: 'UNANSWERED', answer: {} }, false],
    ['another, since', { answer: { text: 'No.', date_created: at(1) } }, another],
    ['another, a minute before', { answer: { text: 'No.', date_created: at(-1) } }, another],
    ['another, an hour before', { answer: { text: 'No.', date_created: at(-60) } }, false],
    ['another, without a date', { answer: { text: 'No.' } }, another],
  ])('%s', async (_, question, expected) => {
    const { client } = service(() => ({ id: 42, ...question }));
    const found = await client.confirm(endpoints.questions.answer, { question_id: 42, text }, limits);
    expect(outcome(found)).toEqual(expected);
  });
});

describe('a user who may have been blocked or unblocked', () => {
  const partly = 'the service does not show the whole blacklist';
  test.each<[string, unknown, unknown, unknown]>([
    ['the only one', { users: [{ id: 31 }], total: 1 }, true, false],
    ['the first of two', { users: [{ id: 31 }, { id: 32 }], total: 2 }, true, false],
    ['the last of two', { users: [{ id: 30 }, { id: 31 }], total: 2 }, true, false],
    ['one with the id as a text', { users: [{ id: '31' }], total: 1 }, true, false],
    ['one of a part of the list', { users: [{ id: 31 }], total: 2 }, true, false],
    ['nobody', { users: [], total: 0 }, false, true],
    ['another one', { users: [{ id: 310 }], total: 1 }, false, true],
    ['nobody in a part of the list', { users: [{ id: 30 }], total: 2 }, partly, partly],
    ['nobody in a list that is longer than it says', { users: [{ id: 30 }, { id: 32 }], total: 1 }, partly, partly],
    ['nobody in a bare list', [30], false, true],
    ['nobody in an empty list without a total', [], partly, partly],
    ['nobody in a bare list as long as a page', several(50, (n) => 100 + n), partly, partly],
  ])('%s', async (_, blacklist, added, removed) => {
    for (const user_id of [31, '31']) {
      const { client } = service(() => blacklist);
      const { add, remove } = endpoints.questions.blacklist;
      expect(outcome(await client.confirm(add, { seller_id: 7, user_id }, limits))).toEqual(added);
      expect(outcome(await client.confirm(remove, { seller_id: 7, user_id }, limits))).toEqual(removed);
    }
  });
});

describe('a message that may have been sent', () => {
  const text = 'Thank you';
  const own = { id: 'a', from: { user_id: 7 }, to: { user_id: 9 }, text, message_date: { created: at(1) } };
  const file = (filename: string): object => ({ filename });
  const confirm = async (message: object, input: object = {}): Promise<unknown> => {
    const { client } = service(() => ({ messages: [message], paging: { total: 1, limit: 50 } }));
    const sent = { pack_id: 1, user_id: 7, to: { user_id: 9 }, text, ...input };
    return outcome(await client.confirm(endpoints.messages.send, sent, limits));
  };
  const changed = 'there is a similar entry, and the service may have changed the text';

  test.each<[string, object, unknown]>([
    ['created and received since', { created: at(1), received: at(2) }, true],
    [
      'created an hour before, and received since',
      { created: at(-60), received: at(2) },
      expect.stringContaining('an older date'),
    ],
    ['received since, without the date of its creation', { received: at(2) }, true],
    [
      'received an hour before, without the date of its creation',
      { received: at(-60) },
      expect.stringContaining('an older date'),
    ],
  ])('is judged by when it was created: %s', async (_, message_date, expected) => {
    expect(await confirm({ ...own, message_date })).toEqual(expected);
  });

  test.each<[string, object[], (string | number)[], unknown]>([
    ['no file', [], [], true],
    ['one', [file('a.pdf')], ['a.pdf'], true],
    ['one whose id is a number', [file('12')], [12], true],
    ['two in another order', [file('b.pdf'), file('a.pdf')], ['a.pdf', 'b.pdf'], true],
    ['an extra one', [file('a.pdf'), file('b.pdf')], ['a.pdf'], changed],
    ['the last one missing', [file('a.pdf')], ['a.pdf', 'b.pdf'], changed],
    ['another one', [file('b.pdf')], ['a.pdf'], changed],
  ])('is compared with its files: %s', async (_, message_attachments, attachments, expected) => {
    expect(await confirm({ ...own, message_attachments }, { attachments })).toEqual(expected);
  });

  test.each<[string, object, unknown]>([
    ['by the other sender of the pack', { from: { user_id: 8 } }, true],
    ['by the user of the path', {}, false],
  ])('is that of the sender who was given: %s', async (_, from, expected) => {
    expect(await confirm({ ...own, ...from }, { from: { user_id: 8 } })).toEqual(expected);
  });
});

describe('two writes go to one place, and may be the same one with another content', () => {
  const message = { pack_id: 1, user_id: 7, to: { user_id: 9 }, text: 'Hello' };
  const option = { pack_id: 1, option_id: 'OTHER', text: 'Hello' };
  const { messages, actionGuide, questions } = endpoints;
  test.each<[string, Parameters<typeof targetOf>[0], object, object, boolean]>([
    ['another text', messages.send, message, { text: 'Hi' }, true],
    ['other files', messages.send, message, { attachments: ['a.pdf'] }, true],
    ['an agent in place of the buyer', messages.send, message, { to: { user_id: 10 } }, true],
    ['the sender named', messages.send, message, { from: { user_id: 7 } }, true],
    ['another application', messages.send, message, { application_id: 5, client_id: 5 }, true],
    ['ids as texts', messages.send, message, { pack_id: '1', user_id: '7' }, true],
    ['another pack', messages.send, message, { pack_id: 2 }, false],
    ['another seller', messages.send, message, { user_id: 8 }, false],
    ['another text', actionGuide.send, option, { text: 'Hi' }, true],
    ['another template', actionGuide.send, option, { template_id: 'a', vars: [] }, true],
    ['another option', actionGuide.send, option, { option_id: 'SEND_INVOICE_LINK' }, false],
    ['another text', questions.answer, { question_id: 1, text: 'Yes.' }, { text: 'No.' }, true],
    ['another question', questions.answer, { question_id: 1, text: 'Yes.' }, { question_id: 2 }, false],
    ['another text', questions.ask, { item_id: 'A', text: 'New?' }, { text: 'Red?' }, true],
    ['another item', questions.ask, { item_id: 'A', text: 'New?' }, { item_id: 'B' }, false],
    ['another user', questions.blacklist.add, { seller_id: 7, user_id: 31 }, { user_id: 32 }, false],
  ])('%s', (_, endpoint, input, change, isSame) => {
    const token = 'APP_USR-1-7';
    expect(targetOf(endpoint, { ...input, ...change }, token) === targetOf(endpoint, input, token)).toBe(isSame);
  });
});

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
    // A minute later, the service has given up what it has not carried out.
    writes = writes.map((write) => ({ ...write, sentAt: write.sentAt - 60_000 }));
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
