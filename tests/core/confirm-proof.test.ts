import type { CallOptions, Endpoint, OutcomeUnknownError, SellerClient } from 'marketplace-seller-sdk';
import { getEventListeners } from 'node:events';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { errorOf, networkFault, stubbed } from '../support/stubs.ts';

const text = 'Your parcel leaves today, <see> the label 👍';
const input = { pack_id: '2000000012345678', user_id: 7, to: { user_id: 31 }, text };
const send = (client: SellerClient): PromiseLike<unknown> => client.messages.send(input);
const buyerToken = 'APP_USR-500-000001-31';
const ask = (client: SellerClient): PromiseLike<unknown> =>
  client.questions.ask({ item_id: 'MLA1', text: 'Does it come in red?' });

const at = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();
const daysAgo = (days: number): string => at(-days * 24 * 3600);
const message = (more: object): object => ({
  id: 'm-1',
  from: { user_id: 7 },
  text,
  // After the moment of sending, whenever that is.
  message_date: { created: at(60) },
  ...more,
});
const dated = (created: string | null): object => ({ message_date: { created } });
const page = (messages: object[], paging?: object): Response => Response.json({ messages, ...(paging && { paging }) });
const whole = (...messages: object[]): Response => page(messages, { total: messages.length, limit: 50, offset: 0 });

/** A write whose response is lost, and what is read back after it. */
async function confirmed(
  write: (client: SellerClient) => PromiseLike<unknown>,
  ...pages: Response[]
): Promise<unknown> {
  const { sellerClient } = stubbed([networkFault('ECONNRESET'), ...pages], {
    accessToken: buyerToken,
    maxRetries: 0,
  });
  return (await errorOf<OutcomeUnknownError>(write(sellerClient))).confirm({ confirmWindowMs: 0 });
}

const done = { done: true };
const notDone = { done: false };
const unknown = { unknown: expect.any(String) as string };
const looksLikeIt = { unknown: '1 entry looks like the one that was written' };
const twoLookLikeIt = { unknown: '2 entries look like the one that was written' };
const similar = { unknown: 'there is a similar entry, and the service may have changed the text' };
const another = { unknown: 'there is another entry since, and the service may have changed the text' };
const olderByDate = {
  unknown: 'an equal entry has an older date, and nothing shows that the dates of this list are right',
};
const incomplete = { unknown: 'the service does not show the list up to its newest entry' };

describe('a message is confirmed or denied only on proof', () => {
  test.each<readonly [string, object, Response[]]>([
    ['the same text, new', done, [whole(message({}))]],
    [
      'older messages only',
      notDone,
      [
        whole(
          ...[2, 3].map((days) => message({ ...dated(daysAgo(days)), id: `m-${days}`, text: 'Gracias por su compra' })),
        ),
      ],
    ],
    ['an equal message of two days ago', olderByDate, [whole(message(dated(daysAgo(2))))]],
    [
      'an equal message of ten minutes ago, because a clock may be wrong',
      looksLikeIt,
      [whole(message(dated(at(-600))))],
    ],
    ['an equal message of an hour ago', olderByDate, [whole(message(dated(at(-3600))))]],
    ['an empty conversation', notDone, [whole()]],
    ['an empty conversation without a total', incomplete, [page([])]],
    ['messages of the buyer only', notDone, [whole(message({ from: { user_id: 31 }, text: 'Thanks!' }))]],
    ['a new message of the seller with another text', another, [whole(message({ text: 'Gracias por su compra' }))]],
    [
      'a message of the seller with another text, of ten minutes before, because moderation may have rewritten it',
      another,
      [whole(message({ ...dated(at(-600)), text: 'Gracias por su compra' }))],
    ],
    [
      'a message of the seller with another text, of an hour before',
      notDone,
      [whole(message({ ...dated(at(-3600)), text: 'Gracias por su compra' }))],
    ],
    ['the text cut within its first word', similar, [whole(message({ text: text.slice(0, 3) }))]],
    ['a date without a time', looksLikeIt, [whole(message(dated(at(0).slice(0, 10))))]],
    ['the text escaped', similar, [whole(message({ text: text.replace('<', '&lt;').replace('>', '&gt;') }))]],
    ['the text masked', similar, [whole(message({ text: 'Your ****** leaves *****, <see> the label' }))]],
    ['the text masked as a whole', similar, [whole(message({ text: '*****' }))]],
    ['the text stripped of its emoji', similar, [whole(message({ text: text.replace('👍', '') }))]],
    ['the text cut', similar, [whole(message({ text: text.slice(0, 20) }))]],
    ['a text that is not shown', similar, [whole(message({ text: '' }))]],
    ['a text that is null', similar, [whole(message({ text: null }))]],
    ['a date without a zone', looksLikeIt, [whole(message(dated(at(0).replace('Z', ''))))]],
    ['a date cut to the minute', looksLikeIt, [whole(message(dated(`${at(-2).slice(0, 16)}Z`)))]],
    ['a clock that is some seconds behind', looksLikeIt, [whole(message(dated(at(-20))))]],
    ['no date', looksLikeIt, [whole(message(dated(null)))]],
    ['the same text with another file', similar, [whole(message({ message_attachments: [{ filename: 'a.pdf' }] }))]],
    ['two equal ones, both new', done, [whole(message({}), message({ id: 'm-2' }))]],
    [
      'one that is equal and one that may be',
      twoLookLikeIt,
      [whole(message({}), message({ id: 'm-2', ...dated(null) }))],
    ],
    ['another text without a date', another, [whole(message({ ...dated(null), text: 'Gracias por su compra' }))]],
    ['a page that may be capped, without a total', incomplete, [page([message(dated(daysAgo(2)))])]],
    [
      'a page that is shorter than the total says',
      incomplete,
      [page([message(dated(daysAgo(2)))], { total: 90 }), page([], { total: 90 })],
    ],
    ['a legacy shape', unknown, [whole({ id: 'm-1', text: { plain: 5 } })]],
  ])('%s', async (_, expected, pages) => {
    expect(await confirmed(send, ...pages)).toMatchObject(expected);
  });

  test('shapes are read even where the client does not validate responses', async () => {
    const { sellerClient } = stubbed([networkFault('ECONNRESET'), Response.json({ id: {}, answer: { text: 'Yes' } })], {
      responseValidation: 'report',
      maxRetries: 0,
    });
    const answer = sellerClient.questions.answer({ question_id: 42, text: 'Yes' });
    expect(await (await errorOf<OutcomeUnknownError>(answer)).confirm({ confirmWindowMs: 0 })).toEqual({
      unknown: 'reading back failed: the response has another shape',
    });
  });

  test('of two equal messages sent at once, one entry confirms one of them, however often it is asked', async () => {
    const { sellerClient } = stubbed(
      [networkFault('ECONNRESET'), networkFault('ECONNRESET'), () => whole(message({}))],
      { maxRetries: 0 },
    );
    const errors = await Promise.all([1, 2].map(() => errorOf<OutcomeUnknownError>(send(sellerClient))));
    for (const [n, error] of [...errors.entries(), ...errors.entries()])
      expect(await error.confirm({ confirmWindowMs: 0 })).toMatchObject(n === 0 ? done : notDone);
  });

  test('of two equal messages sent at once, two entries confirm both only if both are new', async () => {
    for (const [date, expected] of [
      [at(60), done],
      [null, twoLookLikeIt],
    ] as const) {
      const { sellerClient } = stubbed(
        [
          networkFault('ECONNRESET'),
          networkFault('ECONNRESET'),
          () => whole(message({}), message({ id: 'm-2', ...dated(date) })),
        ],
        { maxRetries: 0 },
      );
      const errors = await Promise.all([1, 2].map(() => errorOf<OutcomeUnknownError>(send(sellerClient))));
      for (const error of errors) expect(await error.confirm({ confirmWindowMs: 0 })).toMatchObject(expected);
    }
  });

  describe('a write is counted with the equal ones before it', () => {
    const minuteMs = 60_000;
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    type Send = (client: SellerClient) => PromiseLike<unknown>;
    const sending =
      (more: Partial<typeof input>): Send =>
      (client) =>
        client.messages.send({ ...input, ...more });
    const stored = Response.json({ id: 'm-0' });

    const broken: Send = (client) =>
      client.withOptions({ middleware: [() => Promise.reject(new Error('open'))] }).messages.send(input);

    test.each<readonly [string, Send, Response | undefined, number, object]>([
      ['but not with one that a middleware did not send', broken, undefined, 0, done],
      ['whose entry is its own', send, Response.json({ id: 'm-1' }), 0, notDone],
      ['whose entry is its own, also after an hour', send, Response.json({ id: 'm-1' }), 60 * minuteMs, notDone],
      ['whose entry is another', send, stored, 0, done],
      ['which was carried out, and whose response does not show its entry', send, Response.json({}), 0, notDone],
      ['but not with one that failed', send, new Response('{}', { status: 400 }), 0, done],
      [
        'whose success could not be read, and which was not read back',
        send,
        new Response('<html>', { status: 201 }),
        0,
        done,
      ],
      [
        'which may have been carried out, and which was not read back',
        send,
        new Response('{}', { status: 500 }),
        0,
        done,
      ],
      ['but not with one of another text', sending({ text: 'Another text' }), stored, 0, done],
      ['but not with one of another conversation', sending({ pack_id: '2000000000000001' }), stored, 0, done],
    ])('%s', async (_, earlier, response, laterMs, expected) => {
      const steps = [networkFault('ECONNRESET'), (): Response => whole(message({}))];
      const { sellerClient } = stubbed(response ? [response, ...steps] : steps, {
        maxRetries: 0,
      });
      await earlier(sellerClient).then(
        () => undefined,
        () => undefined,
      );
      vi.advanceTimersByTime(laterMs);
      // Another write forgets the ones that are too old.
      const error = await errorOf<OutcomeUnknownError>(send(sellerClient));
      expect(await advanceUntilSettled(error.confirm({ confirmWindowMs: 0 }))).toMatchObject(expected);
    });
  });

  test('the input is the one that was sent, also where the caller has used its object again', async () => {
    const { sellerClient } = stubbed([networkFault('ECONNRESET'), whole(message({}))], {
      maxRetries: 0,
    });
    const reused = { ...input, to: { user_id: 31 }, attachments: [] as string[] };
    const call = sellerClient.messages.send(reused);
    reused.text = 'Another text';
    reused.attachments.push('b.pdf');
    expect(await (await errorOf<OutcomeUnknownError>(call)).confirm({ confirmWindowMs: 0 })).toMatchObject(done);
  });
});

describe('a date proves as much as its precision allows', () => {
  const sentAt = Date.parse('2026-03-01T12:00:00.500Z');
  const hourMs = 3_600_000;
  /** A date that is this long after the write. */
  const zoned = (ms: number): string => new Date(sentAt + ms).toISOString();
  const unzoned = (ms: number): string => zoned(ms).slice(0, -1);
  const seconds = (ms: number): string => `${zoned(ms).slice(0, 19)}Z`;
  const minutes = (ms: number): string => `${zoned(ms).slice(0, 16)}Z`;

  async function confirmedAt(created: string, read = text): Promise<unknown> {
    vi.useFakeTimers({ now: sentAt });
    try {
      return await advanceUntilSettled(confirmed(send, whole(message({ ...dated(created), text: read }))));
    } finally {
      vi.useRealTimers();
    }
  }

  test.each<readonly [string, string, object]>([
    ['after the write', zoned(1), done],
    ['in the second of the write', seconds(0), done],
    ['less than a second before, without a fraction', seconds(-500), done],
    ['more than a second before, without a fraction', seconds(-501), looksLikeIt],
    ['that synchronised clocks can show', zoned(-100), done],
    ['that synchronised clocks cannot show', zoned(-101), looksLikeIt],
    ['90 seconds before', zoned(-90_000), looksLikeIt],
    ['fifteen minutes before', zoned(-15 * 60_000), looksLikeIt],
    ['more than fifteen minutes before', zoned(-15 * 60_000 - 1), olderByDate],
    ['with another zone, after the write', '2026-03-01T09:00:01-03:00', done],
    ['with another zone, more than a day before', '2026-02-28T13:00:00+0100', olderByDate],
    ['without a zone, at the write', unzoned(0), looksLikeIt],
    ['without a zone, hours after', unzoned(20 * hourMs), looksLikeIt],
    ['without a zone, fifteen hours and minutes before', unzoned(-15.25 * hourMs), looksLikeIt],
    ['without a zone, longer before', unzoned(-15.25 * hourMs - 1), olderByDate],
    ['without a time, of the day', '2026-03-01', looksLikeIt],
    ['without a time, of the day before', '2026-02-28', looksLikeIt],
    ['without a time, two days before', '2026-02-27', olderByDate],
    ['that is none', 'yesterday', looksLikeIt],
    ['that no calendar has', '2026-02-31T99:00:00Z', looksLikeIt],
  ])('the same text, with a date %s', async (_, created, expected) => {
    expect(await confirmedAt(created)).toMatchObject(expected);
  });

  test.each<readonly [string, string, object]>([
    ['after the write', zoned(1), another],
    ['fifteen minutes before', zoned(-15 * 60_000), another],
    ['more than fifteen minutes before', zoned(-15 * 60_000 - 1), notDone],
    ['in the second of the write', seconds(0), another],
    ['of the minute before, without seconds', minutes(-60_000), another],
    ['without a zone, some seconds before', unzoned(-20_000), another],
    ['without a zone, two days before', unzoned(-48 * hourMs), notDone],
    ['that is none', 'yesterday', another],
  ])('another text, with a date %s', async (_, created, expected) => {
    expect(await confirmedAt(created, 'Gracias por su compra')).toMatchObject(expected);
  });

  test.each([`  ${text.replaceAll(' ', ' \n ')}`, `${text}\n`])('the same text with other spaces: %j', async (read) => {
    expect(await confirmedAt(zoned(1), read)).toMatchObject(done);
  });

  test('the same text without its spaces may be another', async () => {
    expect(await confirmedAt(zoned(1), text.replaceAll(' ', ''))).toMatchObject(similar);
  });

  test.each<readonly [string, string, object]>([
    ['in other letters', text.toUpperCase(), similar],
    ['with accents', text.replace('Your', 'Yóur'), similar],
    ['that goes on', `${text} Regards`, similar],
    [
      'that goes on with the words of another language',
      `${text} ${'Saludos cordiales de la tienda '.repeat(9)}`,
      similar,
    ],
    ['that goes on, without spaces', `${text.replaceAll(' ', '')}Regards`, similar],
    ['of which only the digits are left', '1 2', similar],
    ['of one of its words in other letters', 'LABEL', similar],
    ['of words that it only contains', 'parce leav toda', another],
    ['of words with other accents', 'ÝOÜR pärcel lèaves', similar],
    ['with more than half of the words', 'Your parcel leaves today, mira la etiqueta', similar],
    ['with half of the words', 'Your parcel leaves mañana por etiqueta', another],
    ['with the same words among many', `Hello! ${text}`, similar],
    ['of one of its words', 'the', similar],
    ['of single letters and digits', 'a 1 b 2', similar],
    ['of other words', 'Gracias por su compra', another],
  ])('a text %s, some seconds before', async (_, read, expected) => {
    expect(await confirmedAt(zoned(-20_000), read)).toMatchObject(expected);
  });
});

describe('the time of a write is read from both clocks', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** The local time, the date of the response that reads back, and the date of the message with the same text. */
  test.each<readonly [string, string, string | undefined, string, object]>([
    ['both agree, and the message is new', '12:00:01.500', '12:00:01', '12:00:01.600', done],
    ['both agree, and the message is of the second before', '12:00:01.999', '12:00:00', '12:00:00.900', unknown],
    // The service may be behind, or the response was cached an hour ago.
    ['the service is behind, and the message is new by its clock', '12:00:01.500', '11:00:00', '11:00:00.100', unknown],
    ['the service is behind, and the message is new by both', '12:00:01.500', '11:00:00', '12:00:01.600', done],
    ['the service is 100 s ahead', '12:00:01.500', '12:01:41', '12:00:01.600', unknown],
    ['the service is an hour ahead', '12:00:01.500', '13:00:01', '12:00:01.600', unknown],
    ['the service is an hour ahead, and so is the message', '12:00:01.500', '13:00:01', '13:00:01.600', done],
    ['the dates of the messages are 100 s behind', '12:00:01.500', '12:00:01', '11:58:21.600', unknown],
    ['the dates of the messages are ten minutes behind', '12:00:01.500', '12:00:01', '11:50:01.600', unknown],
    ['the service states no time', '12:00:01.500', undefined, '11:50:00.100', unknown],
    ['the service states no date', '12:00:01.500', 'now', '11:50:00.100', unknown],
  ])('%s', async (_, local, stated, created, expected) => {
    const at = (time: string): Date => new Date(`2026-03-01T${time}Z`);
    const date = stated?.includes(':') ? at(stated).toUTCString() : stated;
    vi.setSystemTime(at(local));
    const messages = [message(dated(at(created).toISOString()))];
    const read = Response.json({ messages, paging: { total: 1 } }, { headers: date === undefined ? {} : { date } });
    expect(await advanceUntilSettled(confirmed(send, read))).toMatchObject(expected);
  });

  test.each([
    [1, done],
    [-24 * 3_600_000 - 1000, olderByDate],
  ])('and not from the time of confirm(), for a message of %i ms after the write', async (ms, expected) => {
    const sentAt = Date.now();
    const read = whole(message(dated(new Date(sentAt + ms).toISOString())));
    const { sellerClient } = stubbed([networkFault('ECONNRESET'), read], { maxRetries: 0 });
    const error = await errorOf<OutcomeUnknownError>(send(sellerClient));
    vi.advanceTimersByTime(600_000);
    expect(await advanceUntilSettled(error.confirm({ confirmWindowMs: 0 }))).toMatchObject(expected);
  });
});

describe('reading back', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const pending = { id: 42, status: 'UNANSWERED', text: 'Hay stock?' };
  const answer = (client: SellerClient, options?: CallOptions): PromiseLike<unknown> =>
    client.questions.answer({ question_id: 42, text: 'Yes' }, options);

  test('is repeated after pauses that double, and at the end of confirmWindowMs', async () => {
    const readAt: number[] = [];
    const read = (): Response => {
      readAt.push(performance.now());
      return Response.json(pending);
    };
    const { sellerClient } = stubbed([networkFault('ECONNRESET'), read]);
    const error = await errorOf<OutcomeUnknownError>(answer(sellerClient));
    const startedAt = performance.now();
    expect(await advanceUntilSettled(error.confirm({ confirmWindowMs: 1000 }))).toEqual(notDone);
    expect(readAt.map((at) => at - startedAt)).toEqual([0, 100, 300, 700, 1000]);
  });

  test.each([
    [0, 1],
    [1000, 5],
  ])('takes the confirmWindowMs of its call: with %i ms, %i reads', async (confirmWindowMs, reads) => {
    const { sellerClient, sent } = stubbed([networkFault('ECONNRESET'), () => Response.json(pending)], {
      maxRetries: 0,
    });
    const error = await errorOf<OutcomeUnknownError>(answer(sellerClient, { confirmWindowMs }));
    expect(error.outcomeUnknown).toBe(true);
    expect(await advanceUntilSettled(error.confirm())).toEqual(notDone);
    expect(sent).toHaveLength(1 + reads);
    sent.length = 0;
    const automatic = sellerClient.withOptions({ unknownOutcome: 'confirm' });
    await advanceUntilSettled(errorOf(answer(automatic, { confirmWindowMs })));
    expect(sent).toHaveLength(1 + reads);
  });

  test('ends with the first read that finds the write', async () => {
    const found = Response.json({ ...pending, status: 'ANSWERED', answer: { text: 'Yes' } });
    const { sellerClient, sent } = stubbed([networkFault('ECONNRESET'), Response.json(pending), found]);
    const error = await errorOf<OutcomeUnknownError>(answer(sellerClient));
    expect(await advanceUntilSettled(error.confirm({ confirmWindowMs: 60_000 }))).toMatchObject(done);
    expect(sent).toHaveLength(3);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('has the token, the headers and the timeout of the call', async () => {
    const { sellerClient, sent } = stubbed([networkFault('ECONNRESET'), () => new Promise(() => undefined)], {
      maxRetries: 0,
      unknownOutcome: 'confirm',
    });
    const { signal } = new AbortController();
    const options = { accessToken: 'token-2', headers: { 'x-team': 'a' }, timeoutMs: 700, signal };
    const startedAt = performance.now();
    await advanceUntilSettled(errorOf(answer(sellerClient, options)));
    expect(sent[1]!.method).toBe('GET');
    expect(sent[1]!.headers.get('authorization')).toBe('Bearer token-2');
    expect(sent[1]!.headers.get('x-team')).toBe('a');
    // The time limit of the client would be 30 s for each read.
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('can be aborted, and the outcome stays unknown', async () => {
    const { sellerClient } = stubbed([networkFault('ECONNRESET'), () => new Promise(() => undefined)]);
    const error = await errorOf<OutcomeUnknownError>(answer(sellerClient));
    const controller = new AbortController();
    const confirming = errorOf(error.confirm({ signal: controller.signal }));
    await vi.advanceTimersByTimeAsync(10);
    controller.abort();
    const aborted = await confirming;
    expect(aborted).toMatchObject({ name: 'AbortError', outcomeUnknown: true });
    expect(aborted.message).toMatch(/^Confirming POST \/answers was aborted by the caller after it was sent/);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each<[string, object | null]>([
    ['`confirmWindowMs` takes an integer, at least 0', { confirmWindowMs: Number.NaN }],
    ['`confirmWindowMs` takes an integer, at least 0', { confirmWindowMs: -1 }],
    ['`confirmWindowMs` takes an integer, at least 0', { confirmWindowMs: Infinity }],
    ['`deadlineMs` takes a number of milliseconds above 0', { deadlineMs: 0 }],
    ['`signal` takes an object', { signal: 'stop' }],
    ['there is no option `windowMs`', { windowMs: 5 }],
    ['the options are not an object', null],
  ])('rejects a wrong option (%s) before it reads', async (message, options) => {
    const { sellerClient, sent } = stubbed([networkFault('ECONNRESET')], { maxRetries: 0 });
    const error = await errorOf<OutcomeUnknownError>(send(sellerClient));
    const failure = await errorOf(error.confirm(options as never));
    expect(failure).toMatchObject({ name: 'InvalidInputError', message: expect.stringContaining(message) as string });
    expect(sent).toHaveLength(1);
  });

  test('does not wait where there is nothing to read', async () => {
    const { sellerClient, sent } = stubbed([networkFault('ECONNRESET')], { maxRetries: 0 });
    const error = await errorOf<OutcomeUnknownError>(sellerClient.questions.hide({ question_id: 42 }));
    const before = Date.now();
    expect(await error.confirm({ confirmWindowMs: 60_000 })).toEqual({
      unknown: 'there is no way to read back what this endpoint does',
    });
    expect([Date.now() - before, sent.length]).toEqual([0, 1]);
  });

  test('leaves no timer of its deadline', async () => {
    const { sellerClient } = stubbed([networkFault('ECONNRESET'), Response.json(pending)]);
    const error = await errorOf<OutcomeUnknownError>(answer(sellerClient));
    expect(await advanceUntilSettled(error.confirm({ confirmWindowMs: 0, deadlineMs: 60_000 }))).toEqual(notDone);
    expect(vi.getTimerCount()).toBe(0);
  });

  describe('by an endpoint of the user', () => {
    const confirmed = async (confirm: Endpoint['confirm'], accessToken?: string): Promise<unknown> => {
      const { sellerClient } = stubbed([networkFault('ECONNRESET')], { maxRetries: 0 });
      const endpoint: Endpoint = { ...endpoints.questions.hide, input: z.looseObject({}), ...(confirm && { confirm }) };
      const error = await errorOf<OutcomeUnknownError>(
        sellerClient.call(endpoint, {}, accessToken ? { accessToken } : {}),
      );
      return error.confirm({ confirmWindowMs: 0 });
    };

    test.each([
      [buyerToken, '31'],
      ['APP_USR-31', undefined],
      ['MY-APP_USR-500-31', undefined],
      ['APP_USR-500-31-x', undefined],
      ['APP_USR-500-123456789012345678901', undefined],
      ['token-1', undefined],
    ])('knows the user of the token %s: %s', async (token, userId) => {
      const result = await confirmed((_, back) => Promise.resolve({ done: true, output: back.userId }), token);
      expect(result).toEqual({ done: true, output: userId });
    });

    test.each([
      [new Error('the mirror is down'), 'reading back failed: the mirror is down'],
      ['down', 'reading back failed: without a stated reason'],
    ])('that throws %s gives unknown', async (thrown, unknown) => {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- an endpoint of the user may do that
      expect(await confirmed(() => Promise.reject(thrown))).toEqual({ unknown });
    });
  });

  test('takes the time that the service needs, and gives its last response', async () => {
    const found = { ...pending, status: 'ANSWERED', answer: { text: 'Yes' } };
    const slowly = async (): Promise<Response> => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      return Response.json(found, { headers: { 'x-request-id': 'r-200' } });
    };
    const { sellerClient } = stubbed([networkFault('ECONNRESET'), slowly], {
      unknownOutcome: 'confirm',
    });
    const call = sellerClient.questions.answer({ question_id: 42, text: 'Yes' }).withResponse();
    expect(await advanceUntilSettled(call)).toMatchObject({
      data: found,
      response: { status: 200, requestId: 'r-200', attempts: 1 },
    });
  });

  test('gives its last response to a write that it found, also an error response', async () => {
    const gone = Response.json(
      { message: 'Question not found' },
      { status: 404, headers: { 'x-request-id': 'r-404' } },
    );
    const { sellerClient } = stubbed([networkFault('ECONNRESET'), gone], {
      unknownOutcome: 'confirm',
    });
    const { data, response } = await sellerClient.questions.delete({ question_id: 42 }).withResponse();
    expect(data).toEqual([]);
    expect(response).toMatchObject({ status: 404, requestId: 'r-404', attempts: 1 });
  });
});

describe('a question is confirmed only where it is known to be of this user', () => {
  const question = (id: number, from: object | undefined, date = at(60)): object => ({
    id,
    text: 'Does it come in red?',
    date_created: date,
    from,
  });
  const found = (...questions: object[]): Response => Response.json({ total: questions.length, questions });

  test.each<readonly [string, object, Response]>([
    ['of the user of the token', done, found(question(1, { id: 31 }))],
    ['of another user', notDone, found(question(1, { id: 99 }))],
    ['of a user who is not shown', unknown, found(question(1, undefined))],
    ['of ten minutes ago', unknown, found(question(1, { id: 31 }, at(-600)))],
    ['of two days ago', olderByDate, found(question(1, { id: 31 }, daysAgo(2)))],
  ])('an equal question %s', async (_, expected, response) => {
    expect(await confirmed(ask, response)).toMatchObject(expected);
  });

  test('among the questions about the item, the newest first', async () => {
    const { sellerClient, sent } = stubbed([networkFault('ECONNRESET'), found()], { maxRetries: 0 });
    await (await errorOf<OutcomeUnknownError>(ask(sellerClient))).confirm({ confirmWindowMs: 0 });
    expect(Object.fromEntries(new URL(sent.at(-1)!.url).searchParams)).toEqual({
      item: 'MLA1',
      sort_fields: 'date_created',
      sort_types: 'DESC',
      limit: '50',
    });
  });

  test('where the token names no user, an equal question may be of anyone', async () => {
    const { sellerClient } = stubbed([networkFault('ECONNRESET'), found(question(1, { id: 31 }))], {
      accessToken: 'names-nobody',
      maxRetries: 0,
    });
    const error = await errorOf<OutcomeUnknownError>(ask(sellerClient));
    expect(await error.confirm({ confirmWindowMs: 0 })).toEqual({
      unknown: 'there is such a question since, and it may be of another user',
    });
  });
});

test('after a timeout nothing is sent again before the service had as long again', async () => {
  vi.useFakeTimers();
  try {
    const sentAt: number[] = [];
    const { sellerClient } = stubbed(
      [
        (request) => {
          if (request.method === 'GET') return whole();
          sentAt.push(performance.now());
          if (sentAt.length > 1) return Response.json({ id: 'm-1' });
          return new Promise<Response>(() => undefined);
        },
      ],
      { unknownOutcome: 'confirm', timeoutMs: 5000 },
    );
    await advanceUntilSettled(sellerClient.messages.send(input));
    expect(sentAt[1]! - sentAt[0]!).toBeGreaterThanOrEqual(10_000);
  } finally {
    vi.useRealTimers();
  }
});
