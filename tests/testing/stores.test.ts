import { FakeMarketplace, FakeMarketplaceError } from 'marketplace-seller-sdk/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { snapshot } from '../../src/testing/dashboard/snapshot.js';
import { createMarketplace } from '../support/marketplace.ts';
import { errorOf } from '../support/stubs.ts';

const [seller_id, buyer_id] = [7, 31];
let marketplace: FakeMarketplace;

beforeEach(() => {
  marketplace = new FakeMarketplace({ now: '2026-03-02T12:00:00Z' });
  marketplace.addUser({ user_id: seller_id });
  marketplace.addUser({ user_id: buyer_id });
});

describe('the messages of a pack', () => {
  const from = (user_id: number, text = 'Hello') => ({ from: user_id, text });
  const later = (): void => marketplace.clock.advance({ minutes: 1 });

  test('the first reply is the first message of the buyer that moderation accepted', () => {
    const { messages } = marketplace;
    const pack = marketplace.addPack({ seller_id, buyer_id });
    messages.add(pack, from(seller_id));
    expect([messages.firstReplyAt(pack), messages.hasReply(pack)]).toEqual([undefined, false]);
    later();
    expect(messages.add(pack, from(buyer_id, 'Write to me: a@b.com')).moderation.status).toBe('rejected');
    expect(messages.hasReply(pack)).toBe(false);
    later();
    const first = messages.add(pack, from(buyer_id));
    later();
    messages.add(pack, from(buyer_id));
    expect(messages.firstReplyAt(pack)).toBe(first.sentAt);
  });

  test('a message that is moderated later is a reply from then on, of the time when it was sent', () => {
    const { messages } = marketplace;
    const pack = marketplace.addPack({ seller_id, buyer_id });
    messages.moderation = 'later';
    const pending = messages.add(pack, from(buyer_id));
    expect(messages.hasReply(pack)).toBe(false);
    later();
    messages.moderation = 'atOnce';
    messages.add(pack, from(buyer_id));
    expect(messages.moderate().map(({ id, moderation }) => [id, moderation.status])).toEqual([[pending.id, 'clean']]);
    expect(messages.firstReplyAt(pack)).toBe(pending.sentAt);
    expect(messages.moderate()).toEqual([]);
  });

  test('reading marks what is unread, visible and addressed to the reader, once', () => {
    const { messages } = marketplace;
    const pack = marketplace.addPack({ seller_id, buyer_id });
    const other = marketplace.addPack({ seller_id, buyer_id });
    const [received, own, rejected, elsewhere] = [
      messages.add(pack, from(buyer_id)),
      messages.add(pack, from(seller_id)),
      messages.add(pack, from(buyer_id, 'Write to me: a@b.com')),
      messages.add(other, from(buyer_id)),
    ];
    const readAt = ({ id }: { id: string }): number | null | undefined => messages.get(id)?.readAt;
    later();
    const now = marketplace.clock.ms;
    messages.markAsRead(seller_id, pack);
    expect([received, own, rejected, elsewhere].map(readAt)).toEqual([now, null, null, null]);
    later();
    messages.markAsRead(seller_id, pack);
    expect(readAt(received)).toBe(now);
  });

  test('only the sender sees a message that is rejected or pending', () => {
    const { messages } = marketplace;
    const pack = marketplace.addPack({ seller_id, buyer_id });
    const clean = messages.add(pack, from(buyer_id, 'Hello'));
    const rejected = messages.add(pack, from(buyer_id, 'Write to me: a@b.com'));
    messages.moderation = 'later';
    const pending = messages.add(pack, from(buyer_id, 'Still there?'));
    const seenBy = (user_id: number): string[] => messages.visibleTo(user_id, pack).map(({ id }) => id);
    expect(seenBy(buyer_id)).toEqual([clean.id, rejected.id, pending.id]);
    expect(seenBy(seller_id)).toEqual([clean.id]);
    expect(messages.isFirst(clean)).toBe(true);
    expect(messages.isFirst(pending)).toBe(false);
  });

  test('a page of a conversation has what its reader can see, the newest first, and the number of all that', async () => {
    const { messages } = marketplace;
    const pack = marketplace.addPack({ seller_id, buyer_id });
    const hidden = 'Write to me: a@b.com';
    for (const text of ['one', hidden, 'two', 'three', hidden, 'four', 'five', hidden])
      messages.add(pack, from(buyer_id, text));
    const pageOf = async (user_id: number, offset: number, limit: number) => {
      const client = marketplace.clientFor({ user_id });
      const conversation = client.messages.conversation({ pack_id: pack.pack_id!, user_id: seller_id, offset, limit });
      const first = await conversation.pages()[Symbol.asyncIterator]().next();
      const page = first.value as { items: { text?: string | null }[]; total?: number };
      return { texts: page.items.map(({ text }) => text), total: page.total };
    };
    expect(await pageOf(seller_id, 0, 2)).toEqual({ texts: ['five', 'four'], total: 5 });
    expect(await pageOf(seller_id, 2, 2)).toEqual({ texts: ['three', 'two'], total: 5 });
    expect(await pageOf(seller_id, 4, 2)).toEqual({ texts: ['one'], total: 5 });
    expect(await pageOf(seller_id, 5, 2)).toEqual({ texts: [], total: 5 });
    expect(await pageOf(seller_id, 0, 10)).toMatchObject({ texts: ['five', 'four', 'three', 'two', 'one'] });
    expect(messages.visibleTo(seller_id, pack)).toHaveLength(5);
    expect(messages.visibleTo(buyer_id, pack)).toHaveLength(8);
  });

  test('a file belongs to the messages that have it', () => {
    const { messages } = marketplace;
    const pack = marketplace.addPack({ seller_id, buyer_id });
    const withFile = (filename: string) =>
      marketplace.buyerWrites({ pack, text: 'Hello', files: [{ filename, content: 'x' }] });
    const [one, other] = [withFile('a.txt'), withFile('b.txt')];
    messages.add(pack, from(buyer_id));
    expect(messages.withFile(one.files[0]!.id)).toEqual([one]);
    expect(messages.withFile(other.files[0]!.id)).toEqual([other]);
    expect(messages.withFile('nothing')).toEqual([]);
  });

  test('a pack is locked until it is unlocked, and only once at a time', () => {
    const { messages } = marketplace;
    const pack = marketplace.addPack({ seller_id, buyer_id });
    const unlock = messages.lock(pack);
    expect(messages.isLocked(pack)).toBe(true);
    expect(messages.isLocked(marketplace.addPack({ seller_id, buyer_id }))).toBe(false);
    expect(() => messages.lock(pack)).toThrow('already locked');
    unlock();
    expect(messages.isLocked(pack)).toBe(false);
  });

  test('a message of a buyer has at most 3,500 characters, however many units each takes', () => {
    const { messages } = marketplace;
    const pack = marketplace.addPack({ seller_id, buyer_id });
    expect(() => messages.add(pack, from(buyer_id, '😀'.repeat(3500)))).not.toThrow();
    expect(() => messages.add(pack, from(buyer_id, 'x'.repeat(3501)))).toThrow('at most 3500 characters');
  });

  test.each([1, 2])(
    'an option takes as many messages as the setting says (%i), again after each reply',
    (capPerOption) => {
      const { messages } = marketplace;
      marketplace.settings.capPerOption = capPerOption;
      const pack = marketplace.addPack({ seller_id, buyer_id });
      for (const reply of ['the first', 'the second']) {
        const left = [messages.capOf('OTHER', pack)];
        for (let sent = 0; sent <= capPerOption; sent += 1) {
          messages.add(pack, { ...from(seller_id), option: 'OTHER' });
          left.push(messages.capOf('OTHER', pack));
        }
        expect(left).toEqual([...Array.from({ length: capPerOption }, (_, sent) => capPerOption - sent), 0, 0]);
        expect(messages.capOf('SEND_INVOICE_LINK', pack)).toBe(capPerOption);
        expect(messages.add(pack, from(buyer_id, 'Write to me: a@b.com')).moderation.status).toBe('rejected');
        expect(messages.capOf('OTHER', pack)).toBe(0);
        messages.add(pack, from(buyer_id));
        expect(messages.capOf('OTHER', pack), reply).toBe(capPerOption);
      }
    },
  );
});

describe('the questions', () => {
  const ask = () => marketplace.ask({ from: { user_id: buyer_id }, item_id: 'MLA1', text: 'Is it new?' });
  beforeEach(() => void marketplace.addItem({ item_id: 'MLA1', seller_id }));

  // From the strongest: what is stated first hides what follows.
  test.each([
    ['active', false, undefined, 'UNANSWERED'],
    ['paused', false, undefined, 'UNANSWERED'],
    ['closed', false, undefined, 'CLOSED_UNANSWERED'],
    ['active', true, undefined, 'ANSWERED'],
    ['closed', true, undefined, 'ANSWERED'],
    ['paused', true, undefined, 'ANSWERED'],
    ['closed', false, 'delete', 'DELETED'],
    ['under_review', false, undefined, 'UNDER_REVIEW'],
    ['under_review', true, undefined, 'UNDER_REVIEW'],
    ['under_review', true, 'delete', 'DELETED'],
    ['under_review', false, 'ban', 'BANNED'],
    ['active', true, 'ban', 'BANNED'],
  ] as const)('of an item that is %s, answered: %s, removed by: %s is %s', (status, isAnswered, removal, expected) => {
    const { questions, items } = marketplace;
    const { id } = ask();
    if (isAnswered) questions.answer(id, 'Yes.');
    items.change('MLA1', { status });
    if (removal) questions[removal](id);
    expect(questions.statusOf(questions.getOrThrow(id))).toBe(expected);
  });

  test('a change of the item is an event of those questions whose status it changes', () => {
    const { questions, items, events } = marketplace;
    const [open, answered, deleted] = [ask(), ask(), ask()];
    questions.answer(answered.id, 'Yes.');
    questions.delete(deleted.id);
    const resources: string[] = [];
    events.on(({ topic, resource }) => {
      if (topic === 'questions') resources.push(resource);
    });
    items.change('MLA1', { status: 'paused' });
    expect(resources).toEqual([]);
    items.change('MLA1', { status: 'closed' });
    expect(resources).toEqual([`/questions/${open.id}`]);
    items.change('MLA1', { status: 'under_review' });
    expect(resources.slice(1)).toEqual([open, answered].map(({ id }) => `/questions/${id}`));
  });

  test('an answer can be disabled, and is one of a kind', () => {
    const { questions } = marketplace;
    const { id } = ask();
    expect(() => questions.disableAnswer(id)).toThrow('has no answer');
    questions.answer(id, 'Yes.');
    expect(() => questions.answer(id, 'No.')).toThrow('already has an answer');
    expect(questions.disableAnswer(id).answer).toMatchObject({ text: 'Yes.', status: 'DISABLED' });
    expect([questions.answeredCount(buyer_id, seller_id), questions.answeredCount(seller_id, buyer_id)]).toEqual([
      1, 0,
    ]);
  });

  test('a user is blocked since the first time, until unblocked, by that seller only', () => {
    const { questions, clock } = marketplace;
    const since = clock.ms;
    questions.block(buyer_id, seller_id);
    clock.advance({ hours: 1 });
    questions.block(buyer_id, seller_id);
    expect(questions.blockedBy(seller_id)).toEqual([{ user_id: buyer_id, since }]);
    expect([questions.isBlocked(buyer_id, seller_id), questions.isBlocked(seller_id, buyer_id)]).toEqual([true, false]);
    expect([1, 2].map(() => questions.unblock(buyer_id, seller_id))).toEqual([true, false]);
    expect(questions.unblock(buyer_id, 99)).toBe(false);
    expect(questions.blockedBy(seller_id)).toEqual([]);
    questions.block(buyer_id, seller_id);
    expect(questions.blockedBy(seller_id)).toEqual([{ user_id: buyer_id, since: clock.ms }]);
  });

  test('are of one seller each: answers, blocked users, response times', async () => {
    const { clock, questions } = marketplace;
    const ids = [seller_id, marketplace.addUser().user_id];
    const asked = ids.map((id) => {
      questions.block(buyer_id, id);
      const { item_id } = marketplace.addItem({ seller_id: id });
      return marketplace.ask({ from: { user_id: buyer_id }, item_id, text: 'Is it new?' });
    });
    for (const [at, minutes] of [7, 20].entries()) {
      clock.advance({ minutes });
      questions.answer(asked[at]!.id, 'Yes.');
    }
    expect(ids.map((id) => questions.answeredCount(buyer_id, id))).toEqual([1, 1]);
    const records = ids.map((user_id) => marketplace.clientFor(user_id).questions.responseTime({ user_id }));
    expect((await Promise.all(records)).map(({ total }) => total?.response_time)).toEqual([7, 27]);
    questions.unblock(buyer_id, seller_id);
    expect(ids.map((id) => questions.isBlocked(buyer_id, id))).toEqual([false, true]);
  });
});

test('a seed that fails leaves everything as it was, locks and the next ids included', async () => {
  const { marketplace, seller, buyer, item_id, question_id } = createMarketplace();
  marketplace.clock.set('2026-03-02T12:00:00Z');
  const pack = marketplace.addPack({ seller_id, buyer_id });
  marketplace.questions.block(buyer.user_id, seller.user_id);
  marketplace.questions.answer(question_id, 'Yes.');
  marketplace.buyerWrites({ pack, text: 'Hello' });
  const unlock = marketplace.messages.lock(pack);
  marketplace.records.of('orders').set('0', {});
  const unlockItem = marketplace.flex.lock({ item_id });
  const content = (): unknown => [
    snapshot(marketplace, []),
    [...marketplace.contacts.all],
    marketplace.questions.answeredCount(buyer.user_id, seller.user_id),
    [marketplace.messages.hasReply(pack), marketplace.messages.isLocked(pack)],
    marketplace.flex.isEnabled({ item_id: 'MLA900' }),
  ];
  const before = content();
  const failing: Parameters<typeof marketplace.seed>[0] = {
    users: [{ user_id: 900 }],
    items: [{ item_id: 'MLA900', seller_id: seller.user_id, flex: true }],
    questions: [{ item_id, from: buyer.user_id, text: 'And this one?', answer: 'Yes.' }],
    packs: [{ seller_id, buyer_id, messages: [{ from: 'buyer', text: 'Hello again' }] }],
    blacklist: [
      { seller_id: seller.user_id, user_id: 900 },
      { seller_id: buyer.user_id, user_id: seller.user_id },
    ],
    ...{
      now: '2030-01-01',
      settings: { capPerOption: 9, attachmentLifetimeMs: null },
      records: { orders: { 1: {} }, own: { 2: {} } },
    },
    operations: [{ method: 'GET', path: '/stub' }],
    flex: { subscriptions: [{ user_id: seller_id }], shipments: [{ user_id: seller_id }] },
    contacts: [{ kind: 'question', item_id }],
    faults: [{ status: 503 }, { status: 503, skip: -1 }],
  };
  expect(await errorOf(Promise.resolve().then(() => marketplace.seed(failing)))).toBeInstanceOf(FakeMarketplaceError);
  expect(content()).toEqual(before);
  unlock();
  unlockItem?.();
  expect(marketplace.messages.isLocked(pack)).toBe(false);
  for (const item of [{ item_id }, marketplace.addItem({ seller_id })])
    expect(marketplace.flex.lock(item)).toBeDefined();
  expect(marketplace.ask({ from: marketplace.addUser(), item_id, text: 'New?' }).id).toBe(question_id + 1);
});

describe('every store', () => {
  /** A store, how an entry is added to it, and the id of that entry. */
  const stores = {
    accounts: (at) => [at.accounts, () => at.accounts.add().user_id],
    items: (at) => [at.items, () => at.addItem({ seller_id }).item_id],
    packs: (at) => [at.packs, () => at.addPack({ seller_id, buyer_id }).pack_id ?? 0],
    questions: (at) => [
      at.questions,
      () => at.ask({ from: { user_id: buyer_id }, item_id: at.addItem({ seller_id }).item_id, text: 'Hm?' }).id,
    ],
    messages: (at) => [
      at.messages,
      () => at.messages.add(at.addPack({ seller_id, buyer_id }), { from: buyer_id, text: 'Hello' }).id,
    ],
    attachments: (at) => [
      at.attachments,
      () => {
        const file = { site_id: 'MLA', filename: 'a.txt', type: 'text/plain', bytes: new TextEncoder().encode('a') };
        return at.attachments.add({ owner: seller_id, ...file }).id;
      },
    ],
    flex: (at) => [at.flex, () => at.flex.subscribe({ user_id: at.addUser().user_id }).id],
  } satisfies Record<
    string,
    (at: FakeMarketplace) => readonly [
      {
        readonly all: readonly object[];
        get(id: never): object | undefined;
        getOrThrow(id: never): object;
      },
      () => number | string,
    ]
  >;

  test.each(Object.entries(stores))('has all, get and getOrThrow: %s', (_name, open) => {
    const [store, add] = open(marketplace);
    const before = store.all.length;
    const [first, second] = [add(), add()];
    expect(store.all.slice(before)).toEqual([store.get(first as never), store.get(second as never)]);
    expect(store.getOrThrow(second as never)).toBe(store.get(second as never));
    const unknown = (typeof first === 'number' ? 999 : 'nothing') as never;
    expect(store.get(unknown)).toBeUndefined();
    expect(() => store.getOrThrow(unknown)).toThrow(FakeMarketplaceError);
    expect(() => store.getOrThrow(unknown)).toThrow(new RegExp(`there is no \\w+ ${String(unknown)}`));
  });
});
