import type { Confirmation, OutcomeUnknownError, SellerClient } from 'marketplace-seller-sdk';
import type { endpoints, Input } from 'marketplace-seller-sdk/schemas';
import { describe, expect, test } from 'vitest';
import { createMarketplace } from '../support/marketplace.ts';
import { errorOf, networkFault, stubbed } from '../support/stubs.ts';

// A write sets a state. Its response is lost, and the state is read back: what is shown, and what follows. `undefined` is unknown.

type Write = (client: SellerClient) => PromiseLike<unknown>;
/** The body of a 200, or a whole response. */
type Shown = object | null;
type Verdict = true | false | string;

/** What confirm() finds: whether the write was carried out, or why that is not known. */
async function readBack(write: Write, shown: Shown): Promise<unknown> {
  const response = shown instanceof Response ? shown : Response.json(shown);
  const { sellerClient } = stubbed([networkFault('ECONNRESET'), response], { maxRetries: 0 });
  const error = await errorOf<OutcomeUnknownError>(write(sellerClient));
  const { done, unknown }: Confirmation = await error.confirm({ confirmWindowMs: 0 });
  return done ?? unknown;
}

const failed = 'reading back failed';
const saying = (verdict: Verdict): unknown =>
  typeof verdict === 'string' ? (expect.stringContaining(verdict) as unknown) : verdict;
const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
const missing = (body: unknown): Response => Response.json(body, { status: 404 });
const page = new Response('<html><h1>404 Not Found</h1></html>', { status: 404 });
const noRoute = missing({ message: 'no Route matched with those values' });
const empty = new Response(null, { status: 404 });

describe('an answer', () => {
  const text = 'Yes, there is one left.';
  const [hidden, another] = ['an answer whose text is not shown', 'another answer, or this one with its text changed'];
  const given = (text: string, date_created?: string): object => ({ answer: { text, date_created } });
  test.each<[string, object, Verdict]>([
    ['none, open', { status: 'UNANSWERED' }, false],
    ['none, open in small letters', { status: 'unanswered', answer: null }, false],
    ['one without a text', { status: 'UNANSWERED', answer: {} }, false],
    ['none, and closed', { status: 'CLOSED_UNANSWERED', answer: null }, 'is CLOSED_UNANSWERED and shows no answer'],
    ['none, and no status', { status: null, answer: null }, 'is in no known state and shows no answer'],
    ['the same', given(text, ago(60)), true],
    ['the same without a date', given(text), true],
    ['one that is not shown', { status: 'ANSWERED', answer: { text: '', status: 'BANNED' } }, hidden],
    ['a similar one', given('Yes, there'), another],
    ['a similar one of an hour ago', given('Yes, there', ago(60)), false],
    ['another one', given('Gracias'), another],
    ['another one of 14 minutes ago, which moderation may have changed', given('Gracias', ago(14)), another],
    ['another one of 16 minutes ago', given('Gracias', ago(16)), false],
    ['that of another question', { id: 43, ...given(text) }, 'not the `question_id` of the call'],
    ['a list', { id: {}, ...given(text) }, 'the response has another shape'],
  ])('%s', async (_, shown, verdict) => {
    const write: Write = (client) => client.questions.answer({ question_id: 42, text });
    expect(await readBack(write, { id: 42, ...shown })).toEqual(saying(verdict));
  });
});

describe('a deletion of a question', () => {
  test.each<[Shown, Verdict]>([
    ...['DELETED', 'deleted', 'Deleted'].map((status): [Shown, Verdict] => [{ id: 42, status }, true]),
    ...['UNANSWERED', 'ANSWERED', 'CLOSED_UNANSWERED', 'UNDER_REVIEW', 'BANNED'].map((status): [Shown, Verdict] => [
      { id: 42, status },
      false,
    ]),
    [{ id: 42, text: 'New?', status: null }, 'the question shows no status'],
    [{ id: 42, text: 'New?', status: '' }, 'the question shows no status'],
    [{ id: 43, status: 'DELETED' }, 'not the `question_id` of the call'],
    [missing({ error: 'not_found', message: 'Question not found', status: 404, cause: [] }), true],
    [missing({ message: 'not_found', error: 'Question 42 not found' }), true],
    [missing({ code: 'question_not_found' }), true],
    [missing({ error: { message: 'The question does not exist' } }), true],
    [missing('question not found'), true],
    [Response.json({ message: 'no' }, { status: 403 }), failed],
    [page, failed],
    [new Response('<html>The question was not found</html>', { status: 404 }), failed],
    [missing({ status: 404, error: 'Not Found', path: '/questions/42' }), failed],
    [missing({ message: 'Resource /questions/42 not found.' }), failed],
    [noRoute, failed],
    [empty, failed],
  ])('%#: %j', async (shown, verdict) => {
    const write: Write = (client) => client.questions.delete({ question_id: 42 });
    const copy = shown instanceof Response ? shown.clone() : shown;
    expect(await readBack(write, copy)).toEqual(saying(verdict));
  });
});

describe('a change of the blacklist', () => {
  const partly = 'the service does not show the whole blacklist';
  const users = (...ids: unknown[]): object => ({ users: ids.map((id) => ({ id })), total: ids.length });
  const long = Array.from({ length: 50 }, (_, n) => 100 + n);
  test.each<[string, object, Verdict, Verdict]>([
    ['the only one', users(31), true, false],
    ['the last of two', users(30, 31), true, false],
    ['one whose id is a text', users('31'), true, false],
    ['one of a part of the list', { users: [{ id: 31 }], total: 2 }, true, false],
    ['nobody', users(), false, true],
    ['one with a longer id', users(310), false, true],
    ['nobody in a part of the list', { users: [{ id: 30 }], total: 2 }, partly, partly],
    ['nobody in a list that is longer than it says', { users: [{ id: 30 }, { id: 32 }], total: 1 }, partly, partly],
    ['nobody in a bare list', [30], false, true],
    ['nobody in an empty bare list', [], partly, partly],
    ['nobody in a bare list as long as a page', long, partly, partly],
  ])('shows %s: added %s, removed %s', async (_, shown, added, removed) => {
    for (const user_id of [31, '31']) {
      const who = { seller_id: 7, user_id };
      expect(await readBack((client) => client.questions.blacklist.add(who), shown)).toEqual(saying(added));
      expect(await readBack((client) => client.questions.blacklist.remove(who), shown)).toEqual(saying(removed));
    }
  });
});

describe('an item in Flex', () => {
  test.each<[string, Response, Verdict, Verdict]>([
    ['a 204', new Response(null, { status: 204 }), true, false],
    ['a 404 that names it', missing({ message: 'Item MLA100 not found' }), false, true],
    ['a page of a proxy', page, failed, failed],
    ['a 404 of a gateway', noRoute, failed, failed],
    ['an empty 404', empty, failed, failed],
    ['a 403', Response.json({ message: 'down' }, { status: 403 }), failed, failed],
  ])('shown by %s: enabled %s, disabled %s', async (_, shown, enabled, disabled) => {
    const item = { site_id: 'MLA', item_id: 'MLA100' };
    expect(await readBack((client) => client.flex.items.enable(item), shown.clone())).toEqual(saying(enabled));
    expect(await readBack((client) => client.flex.items.disable(item), shown.clone())).toEqual(saying(disabled));
  });
});

const whose = { site_id: 'MLA', user_id: 7, service_id: 1001 };
const range = { from: 9, to: 13, capacity: 20, cutoff: 8 };
const { cutoff: calculated_cutoff, ...uncut } = range;
const shownRange = { ...uncut, calculated_cutoff };
const setDelivery =
  (settings: Pick<Input<typeof endpoints.flex.setDelivery>, 'delivery_ranges' | 'delivery_window'>): Write =>
  (client) =>
    client.flex.setDelivery({ ...whose, ...settings });
const addZone: Write = (client) => client.flex.addZones({ ...whose, zones: [{ id: 'z' }] });

describe('a configuration of Flex', () => {
  const late = { ...range, from: 15, to: 20 };
  const lateShown = { ...shownRange, from: 15, to: 20 };
  const week = setDelivery({ delivery_ranges: { week: [range] } });
  const two = setDelivery({ delivery_ranges: { week: [range, late] } });
  const noSunday = setDelivery({ delivery_ranges: { sunday: [] } });
  const sameDay = setDelivery({ delivery_window: 'same_day' });
  const both = setDelivery({ delivery_window: 'same_day', delivery_ranges: { week: [range] } });
  const ranges = (delivery_ranges: unknown): object => ({ delivery_ranges });
  const unclear = 'another cut-off, or not all values that were set';
  const zones = (...zones: object[]): object => ({ zones });
  const unshown = 'does not show which zones are selected';
  test.each<[string, Write, object, Verdict]>([
    ['the ranges', week, ranges({ week: [shownRange] }), true],
    ['another end', week, ranges({ week: [{ ...shownRange, to: 14 }] }), false],
    ['no range', week, ranges({ week: [] }), false],
    ['null for a range', week, ranges({ week: null }), false],
    [
      'another cut-off, which the service calculates',
      week,
      ranges({ week: [{ ...uncut, calculated_cutoff: 9 }] }),
      unclear,
    ],
    ['no cut-off', week, ranges({ week: [uncut] }), unclear],
    ['no capacity', week, ranges({ week: [{ ...shownRange, capacity: null }] }), unclear],
    ['another day only', week, ranges({ sunday: [shownRange] }), unclear],
    ['no ranges', week, ranges(null), unclear],
    ['two ranges', two, ranges({ week: [shownRange, lateShown] }), true],
    ['two ranges in another order', two, ranges({ week: [lateShown, shownRange] }), true],
    ['one of them twice', two, ranges({ week: [shownRange, shownRange] }), false],
    ['one of them empty', two, ranges({ week: [{}, shownRange] }), unclear],
    ['a day without ranges', noSunday, ranges({ sunday: null }), true],
    ['not the day without ranges', noSunday, ranges({ week: [shownRange] }), unclear],
    ['the window', sameDay, { delivery_window: 'SAME_DAY' }, true],
    ['another window', sameDay, { delivery_window: 'next_day' }, false],
    ['no window', sameDay, { delivery_window: null }, unclear],
    ['the window, and another range', both, { delivery_window: 'same_day', ...ranges({ week: [] }) }, false],
    ['the zone', addZone, zones({ id: 'z', selected: true }), true],
    ['the zone, not selected', addZone, zones({ id: 'z', selected: false }), false],
    ['another zone', addZone, zones({ id: 'a', selected: true }), false],
    ['not whether the zone is selected', addZone, zones({ id: 'z' }), unshown],
    ['no list of zones', addZone, { zones: null }, unshown],
  ])('shows %s', async (_, write, configuration, verdict) => {
    expect(await readBack(write, { configuration })).toEqual(saying(verdict));
  });

  test.each([{ data: { configuration: null } }, { configuration: null }, { configuration: 'none' }, { anything: 1 }])(
    'that cannot be read: %j',
    async (body) => {
      const nothing = 'the service shows no configuration that can be read';
      for (const write of [addZone, sameDay, noSunday, week]) expect(await readBack(write, body)).toBe(nothing);
    },
  );

  test.each(['before', 'after'] as const)('of which only the cut-off is changed, %s a reset', async (reset) => {
    const { marketplace, sellerClient, seller } = createMarketplace({ maxRetries: 0 });
    const { service_id } = marketplace.flex.subscribe({ user_id: seller.user_id });
    const own = { site_id: seller.site_id, user_id: seller.user_id, service_id };
    const set = (cutoff: number) =>
      sellerClient.flex.setDelivery({ ...own, delivery_ranges: { week: [{ ...range, cutoff }] } });
    await set(8);
    marketplace.faults.inject({ reset, match: { method: 'PUT' } });
    const error = await errorOf<OutcomeUnknownError>(set(10));
    expect((await error.confirm({ confirmWindowMs: 0 })).done).toBe(reset === 'after' ? true : undefined);
  });
});
