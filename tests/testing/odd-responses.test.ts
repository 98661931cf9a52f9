import { ApiError, SellerError } from 'marketplace-seller-sdk';
import type { SellerClient } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, test } from 'vitest';
import { everyEndpoint } from '../support/every-endpoint.ts';
import { hasOtherShapes, hasOtherStatuses, oddFetch, oddKinds } from '../support/odd-responses.ts';
import type { OddKind, OddShare } from '../support/odd-responses.ts';

const whose = { site_id: 'MLA', user_id: 7, service_id: 1001 };
const dates = { date_from: '2026-03-01', date_to: '2026-03-02' };
const last = { last: 2, unit: 'day' } as const;

interface Arranged {
  readonly marketplace: FakeMarketplace;
  readonly fetch: FakeMarketplace['fetch'];
  readonly seller: SellerClient;
  readonly buyer: SellerClient;
  readonly question_id: number;
  readonly answered: number;
  readonly message_id: string;
  readonly shipment_id: number;
  readonly file: string;
}

function arrange(odd: OddShare | null, follow: 'live' | 'documents' = 'live'): Arranged {
  const marketplace = new FakeMarketplace({ now: '2026-03-02T12:00:00Z', follow });
  const [seller, buyer] = [marketplace.addUser({ user_id: 7 }), marketplace.addUser({ user_id: 31 })];
  const { item_id } = marketplace.addItem({ item_id: 'MLA100', seller_id: 7 });
  marketplace.addItem({ item_id: 'MLA200', seller_id: 7 });
  const [open, closed] = ['Is it new?', 'And blue?'].map((text) => marketplace.ask({ from: buyer, item_id, text }));
  if (!open || !closed) throw new Error('unreachable');
  marketplace.questions.answer(closed.id, 'Yes.');
  marketplace.questions.block(31, 7);
  marketplace.questions.unblock(31, 7);
  const pack = marketplace.addPack({ pack_id: 900, seller_id: 7, buyer_id: 31, shipping: 'flex' });
  const message = marketplace.buyerWrites({ pack, text: 'Hello', files: [{ filename: 'a.pdf', content: 'x' }] });
  marketplace.flex.subscribe({ user_id: 7, service_id: 1001 });
  const shipment_id = marketplace.flex.ship({ user_id: 7 });
  marketplace.flex.assignDriver(shipment_id, 5);
  marketplace.viewPhone({ item_id });
  const fetch = odd ? oddFetch(marketplace, odd) : marketplace.fetch;
  return {
    marketplace,
    fetch,
    seller: marketplace.clientFor(seller, { maxRetries: 0, fetch }),
    buyer: marketplace.clientFor(buyer, { maxRetries: 0, fetch }),
    question_id: open.id,
    answered: closed.id,
    message_id: message.id,
    shipment_id,
    file: message.files[0]?.id ?? '',
  };
}

/** A result that only has to come. */
const nothing = (_: unknown): undefined => undefined;

/** Successful calls, with what identifies their results. */
const ownCalls: Readonly<Record<string, (given: Arranged) => Promise<unknown>>> = {
  'questions.search': async ({ seller }) =>
    (await seller.questions.search({ seller_id: 7 }).toArray()).map(({ id, text }) => ({ id, text })),
  'questions.get': async ({ seller, answered }) => (await seller.questions.get({ question_id: answered })).id,
  'questions.ask': async ({ buyer }) => (await buyer.questions.ask({ item_id: 'MLA100', text: 'Hm?' }))?.text,
  'questions.answer': async ({ seller, question_id }) =>
    (await seller.questions.answer({ question_id, text: 'Y' }))?.id,
  'questions.delete': async ({ seller, question_id }) => Array.isArray(await seller.questions.delete({ question_id })),
  'questions.hide': async ({ seller, question_id }) => nothing(await seller.questions.hide({ question_id })),
  'questions.responseTime': async ({ seller }) => (await seller.questions.responseTime({ user_id: 7 })).user_id,
  'questions.blacklist.add': async ({ seller }) =>
    nothing(await seller.questions.blacklist.add({ seller_id: 7, user_id: 31 })),
  'questions.blacklist.list': async ({ seller, marketplace }) => {
    marketplace.questions.block(31, 7);
    return (await seller.questions.blacklist.list({ seller_id: 7 }).toArray()).map(({ id }) => id);
  },
  'questions.blacklist.remove': async ({ seller, marketplace }) => {
    marketplace.questions.block(31, 7);
    await seller.questions.blacklist.remove({ seller_id: 7, user_id: 31 });
  },
  'messages.conversation': async ({ seller }) =>
    (await seller.messages.conversation({ pack_id: 900, user_id: 7 }).toArray()).map(({ text }) => text),
  'messages.get': async ({ seller, message_id }) => {
    const { id, text, from } = await seller.messages.get({ message_id });
    return { id: id === message_id, text, from: from?.user_id };
  },
  'messages.send': async ({ seller }) =>
    (await seller.messages.send({ pack_id: 900, user_id: 7, to: { user_id: 31 }, text: 'Hi' }))?.text,
  'messages.upload': async ({ seller }) =>
    typeof (await seller.messages.upload({ site_id: 'MLA', file: new Blob(['x']), filename: 'a.txt' })).id,
  'messages.download': async ({ seller, file }) =>
    (await (await seller.messages.download({ site_id: 'MLA', attachment_id: file })).arrayBuffer()).byteLength,
  'actionGuide.options': async ({ seller }) =>
    (await seller.actionGuide.options({ pack_id: 900 })).options.map(({ id }) => id),
  'actionGuide.caps': async ({ seller }) =>
    (await seller.actionGuide.caps({ pack_id: 900 })).map(({ option_id }) => option_id),
  'actionGuide.send': async ({ seller }) =>
    typeof (await seller.actionGuide.send({ pack_id: 900, option_id: 'OTHER', text: 'Hi' }))?.id,
  'flex.subscriptions': async ({ seller }) =>
    (await seller.flex.subscriptions({ site_id: 'MLA', user_id: 7 })).map(({ service_id }) => service_id),
  'flex.configuration': async ({ seller }) =>
    (await seller.flex.configuration({ ...whose, select: { delivery_window: true } })).delivery_window,
  'flex.setDelivery': async ({ seller }) =>
    nothing(await seller.flex.setDelivery({ ...whose, delivery_window: 'same_day' })),
  'flex.addZones': async ({ seller }) => nothing(await seller.flex.addZones({ ...whose, zones: [{ id: 'MLA-2' }] })),
  'flex.driver': async ({ seller, shipment_id }) =>
    (await seller.flex.driver({ site_id: 'MLA', shipment_id })).driver_id,
  'flex.items.isEnabled': async ({ seller, marketplace }) => {
    marketplace.flex.setEnabled({ item_id: 'MLA100' }, true);
    return seller.flex.items.isEnabled({ site_id: 'MLA', item_id: 'MLA100' });
  },
  'flex.items.enable': async ({ seller }) => {
    await seller.flex.items.enable({ site_id: 'MLA', item_id: 'MLA100' });
  },
  'flex.items.disable': async ({ seller, marketplace }) => {
    marketplace.flex.setEnabled({ item_id: 'MLA100' }, true);
    await seller.flex.items.disable({ site_id: 'MLA', item_id: 'MLA100' });
  },
  'contacts.questions.ofItem': async ({ seller }) =>
    (await seller.contacts.questions.ofItem({ item_id: 'MLA100', ...dates })).total,
  'contacts.questions.ofUser': async ({ seller }) =>
    nothing(await seller.contacts.questions.ofUser({ user_id: 7, ...dates })),
  'contacts.questions.windowOfItem': async ({ seller }) =>
    nothing(await seller.contacts.questions.windowOfItem({ item_id: 'MLA100', ...last })),
  'contacts.questions.windowOfUser': async ({ seller }) =>
    (await seller.contacts.questions.windowOfUser({ user_id: 7, ...last })).last,
  'contacts.phoneViews.ofItem': async ({ seller }) =>
    (await seller.contacts.phoneViews.ofItem({ item_id: 'MLA100', ...dates })).total,
  'contacts.phoneViews.ofUser': async ({ seller }) =>
    (await seller.contacts.phoneViews.ofUser({ user_id: 7, ...dates })).total,
  'contacts.phoneViews.windowOfItem': async ({ seller }) =>
    (await seller.contacts.phoneViews.windowOfItem({ item_id: 'MLA100', ...last })).last,
  'contacts.phoneViews.windowOfItems': async ({ seller }) =>
    (await seller.contacts.phoneViews.windowOfItems({ ids: ['MLA100', 'MLA200'], ...last })).length,
  'contacts.phoneViews.windowOfUser': async ({ seller }) =>
    (await seller.contacts.phoneViews.windowOfUser({ user_id: 7, ...last })).last,
  'items.status': async ({ seller }) => (await seller.items.status({ ids: ['MLA100', 'MLA200'] })).length,
  'sites.search': async ({ seller }) => (await seller.sites.search({ site_id: 'MLA', q: 'item' }).toArray()).length,
  'currencies.list': async ({ seller }) => (await seller.currencies.list()).map(({ id }) => id),
  'currencies.get': async ({ seller }) => (await seller.currencies.get({ id: 'ARS' })).decimal_places,
};

/** A call of every endpoint. One without a call of its own is called with its example, which may not exist here. */
const calls = Object.fromEntries(
  everyEndpoint
    .filter(({ name }) => name !== 'describe')
    .map(({ name, endpoint, input }) => {
      const callExample = ({ seller }: Arranged): Promise<unknown> =>
        seller.call(endpoint, input).then(
          () => 'succeeded',
          (error: unknown) => (error as ApiError).status,
        );
      return [name, ownCalls[name] ?? callExample] as const;
    }),
);

/** What a kind of oddness takes away, so that a result differs although it was read right. */
const isLost = (name: string, kind: string): boolean =>
  kind === 'status'
    ? ['questions.ask', 'questions.answer', 'messages.send'].includes(name)
    : (kind === 'shape' || kind === 'absent' || kind === 'nulls') && name === 'actionGuide.send';

/** How many seeds show all that a kind does to the responses of an endpoint. */
function seedsOf(name: string, kind: OddKind): number {
  const { endpoint } = everyEndpoint.find((each) => each.name === name)!;
  const varies = kind === 'shape' ? hasOtherShapes(name) : kind === 'status' && hasOtherStatuses(endpoint);
  return varies ? 8 : 1;
}

const results = new Map<string, Promise<unknown>>();
/** What a call comes to without oddness. */
function usual(name: string, call: (given: Arranged) => Promise<unknown>): Promise<unknown> {
  const found = results.get(name) ?? call(arrange(null));
  results.set(name, found);
  return found;
}

describe('odd responses', () => {
  test('each call here is of an endpoint that exists', () => {
    expect(Object.keys(calls)).toEqual(expect.arrayContaining(Object.keys(ownCalls)));
  });

  describe.each(oddKinds)('of the kind %s', (kind) => {
    test.each(Object.entries(calls))('are read by the client as usual: %s', async (name, call) => {
      const expected = await usual(name, call);
      for (let seed = 1; seed <= seedsOf(name, kind); seed += 1) {
        const result = await call(arrange({ kinds: [kind], seed }));
        if (!isLost(name, kind)) expect(result).toEqual(expected);
      }
    });
  });

  test.each(everyEndpoint.filter(({ name }) => name !== 'describe'))(
    'an odd error of $name has the class of its status',
    async ({ name, endpoint, input }) => {
      for (const kinds of [undefined, ['error-keys'], ['error-text']] as const) {
        // Errors of all endpoints are read alike: each has other seeds.
        const seed = 1 + (everyEndpoint.findIndex((each) => each.name === name) % 8);
        const { marketplace, ...rest } = arrange({ seed, kinds });
        marketplace.failNext(endpoint, { status: 403, code: 'forbidden', message: 'No', cause: ['blocked'] });
        // The method goes on with the successor of its path.
        const own = name === 'items.status' ? undefined : ownCalls[name];
        const call = own ?? (() => rest.seller.call(endpoint, input));
        const error: unknown = await call({ marketplace, ...rest }).catch((reason: unknown) => reason);
        expect([error instanceof SellerError, error instanceof ApiError && error.status]).toEqual([true, 403]);
      }
    },
  );

  describe('what the service was seen to send', () => {
    const bodyOf = async (odd: OddShare | null, path: string): Promise<unknown> => {
      const { marketplace, fetch } = arrange(odd);
      const headers = { authorization: `Bearer ${marketplace.tokenFor({ user_id: 7 })}` };
      return (await fetch(marketplace.baseUrl + path, { headers })).json();
    };
    const search = '/questions/search?seller_id=7';
    const newField = { since: 2030, list: [1, null], text: null };

    test.each<[OddShare['kinds'] & object, object]>([
      [
        ['unknown-fields'],
        { new_field: newField, questions: [{ new_field: newField, from: { new_field: newField } }, {}] },
      ],
      [['nulls'], { questions: [{ answer: null }, { answer: null }] }],
      [['text-ids'], { total: 2, limit: 50, questions: [{ seller_id: '7', from: { id: '31' } }, {}] }],
      [['letter-case'], { questions: [{ status: 'answered', item_id: 'MLA100' }, { status: 'unanswered' }] }],
    ])('%j', async (kinds, part) => {
      expect(await bodyOf({ kinds }, search)).toMatchObject(part);
    });

    test('the same moments in another form, and no other text changes', async () => {
      type Body = { questions: Record<string, string>[] };
      const usual = (await bodyOf(null, search)) as Body;
      const odd = (await bodyOf({ kinds: ['timestamps'] }, search)) as Body;
      const [from, to] = [usual, odd].map(({ questions }) => questions[1]!);
      expect(to!.date_created).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}-0400$/);
      expect(Date.parse(to!.date_created!.replace(/\d{6}-0400$/, '-04:00'))).toBe(Date.parse(from!.date_created!));
      expect({ ...to, date_created: 0 }).toEqual({ ...from, date_created: 0 });
    });

    test('lists and objects that may be missing are left out, and those without which nothing has sense stay', async () => {
      const { questions } = (await bodyOf({ kinds: ['absent'] }, search)) as { questions: object[] };
      expect(questions).toHaveLength(2);
      for (const question of questions) expect(question).not.toHaveProperty('answer');
    });

    /** The different results of many seeds. */
    const seen = async (path: string, kind: 'shape' | 'error-keys', describe: (body: never) => string) => {
      const found = new Set<string>();
      for (let seed = 1; seed <= 40; seed += 1)
        found.add(describe((await bodyOf({ kinds: [kind], seed }, path)) as never));
      return [...found].sort();
    };

    test('shapes of lists and of a conversation', async () => {
      const keysOf = (body: object): string => (Array.isArray(body) ? 'list' : Object.keys(body).sort().join());
      const lists = await seen(search, 'shape', keysOf);
      expect(lists).toContain('list');
      expect(lists.some((keys) => keys.includes('paging,results'))).toBe(true);
      const items = '/items?ids=MLA100,MLA200&attributes=status,id';
      expect(
        await seen(items, 'shape', (list: { status: string }[]) => list.map(({ status }) => status).join()),
      ).toEqual(['active,active']);
      const conversation = '/messages/packs/900/sellers/7?tag=post_sale';
      const paths = await seen(conversation, 'shape', (body: { conversation_status?: Record<string, unknown> }) =>
        [body.conversation_status?.path, body.conversation_status?.substatus].map(String).join(),
      );
      expect(paths).toContain('/v2/conversations/packs/900/sellers/7,null');
    });

    test('errors have other fields, or are a page, a line or nothing', async () => {
      const keys = await seen('/questions/1', 'error-keys', (body: object) => Object.keys(body).sort().join());
      expect(keys).toEqual([
        ...['cause,causes,error,message,status', 'cause,code,message,status_code', 'cause,error,message,status'],
        ...['code,detail,error,status', 'code,message', 'error,error_description'],
      ]);
      const texts = new Set<string>();
      for (let seed = 1; seed <= 40; seed += 1) {
        const { marketplace, fetch } = arrange({ kinds: ['error-text'], seed });
        const headers = { authorization: `Bearer ${marketplace.tokenFor({ user_id: 7 })}` };
        const response = await fetch(`${marketplace.baseUrl}/questions/1`, { headers });
        texts.add(`${response.headers.get('content-type')} ${await response.text()}`);
      }
      expect([...texts].sort().join('\n')).toMatch(
        /^text\/html; charset=utf-8 <html>.*404.*<\/html>\ntext\/plain \ntext\/plain error 404$/,
      );
    });
  });

  test('a write succeeds with every status of a success, with and without a body; a read keeps its own', async () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= 30; seed += 1) {
      const { marketplace, fetch, question_id } = arrange({ kinds: ['status'], seed });
      const headers = { authorization: `Bearer ${marketplace.tokenFor({ user_id: 7 })}` };
      const body = JSON.stringify({ question_id, text: 'Yes.' });
      const init = { method: 'POST', headers, body };
      const response = await fetch(new Request(`${marketplace.baseUrl}/answers`, init));
      seen.add(`${response.status} ${(await response.text()) === '' ? 'empty' : 'body'}`);
      expect(marketplace.questions.getOrThrow(question_id).answer?.text).toBe('Yes.');
      expect((await fetch(`${marketplace.baseUrl}/currencies`)).status).toBe(200);
    }
    expect([...seen].sort()).toEqual(['200 empty', '201 body', '201 empty', '204 empty']);
  });

  test('the same seed serves the same odd responses, another seed others, and a share of 0 none', async () => {
    const serve = async (odd: OddShare | null): Promise<string> => {
      const { marketplace, fetch } = arrange(odd);
      const bodies = [];
      for (let call = 0; call < 20; call += 1)
        bodies.push(await (await fetch(`${marketplace.baseUrl}/currencies/ARS`)).text());
      return bodies.join();
    };
    const usual = await serve(null);
    expect(await serve({ share: 0.5, seed: 3 })).toBe(await serve({ share: 0.5, seed: 3 }));
    expect(await serve({ share: 0.5, seed: 3 })).not.toBe(await serve({ share: 0.5, seed: 4 }));
    expect(await serve({ share: 0.5, seed: 3 })).not.toBe(usual);
    expect(await serve({ share: 0 })).toBe(usual);
  });
});

// Which fields these are: golden/reads.txt and golden/live-reads.txt.
test.each([
  ['live', true],
  ['documents', false],
] as const)(
  'the fields that only the live service sends: a marketplace that follows %s: %s',
  async (follow, isSent) => {
    const { marketplace } = arrange(null, follow);
    const headers = { authorization: `Bearer ${marketplace.tokenFor({ user_id: 7 })}` };
    const response = await marketplace.fetch(`${marketplace.baseUrl}/sites/MLA/search?q=item`, { headers });
    expect((await response.text()).includes('"country_default_time_zone"')).toBe(isSent);
  },
);
