import { fc } from '../support/fast-check.ts';
import {
  AccessTokenRequiredError,
  ApplicationIdRequiredError,
  AttachmentNotFoundError,
  AuthenticationError,
  ConversationBlockedError,
  InvalidInputError,
  InvalidPagingError,
  InvalidReceiverError,
  MediationInProcessError,
  MessageAccessError,
  MessageBodyMissingError,
  MessageNotFoundError,
  MessageNotReadyError,
  NoChannelError,
  NotYetDeliveredError,
  PackAccessError,
  ReceiverNotInOrderError,
  SellerClient,
  SenderIsReceiverError,
  TextTooLongError,
  UnsupportedCharactersError,
  moderationOf,
  moderationReasonOf,
  originalOf,
  unsupportedCharacters,
} from 'marketplace-seller-sdk';
import { endpoints, type Input, message as messageSchema } from 'marketplace-seller-sdk/schemas';
import type { SentMessage, Message, ModerationReason } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import type { Pack, PackInit } from 'marketplace-seller-sdk/testing';
import { describe, expect, expectTypeOf, test, vi } from 'vitest';
import { conversationBlocked } from '../../src/resources/post-sale/errors.js';
import { errorOf, stubbed, receiving } from '../support/stubs.ts';
import { goldenRequests, jsonBody } from '../support/golden-requests.ts';

const text = 'Sale hoy. 🚚';

interface Sale {
  readonly marketplace: FakeMarketplace;
  readonly sellerClient: SellerClient;
  readonly buyerClient: SellerClient;
  readonly pack: Pack;
  readonly whose: { readonly pack_id: number | string; readonly user_id: number };
  readonly input: Input<typeof endpoints.messages.send>;
}

/** A sale of seller 7 to buyer 31. */
function createSale(init: Partial<PackInit> = {}, site_id = 'MLA'): Sale {
  const marketplace = new FakeMarketplace({ now: '2026-03-02T12:00:00Z' });
  const sellerClient = marketplace.clientFor(marketplace.addUser({ user_id: 7, site_id }));
  const buyerClient = marketplace.clientFor(marketplace.addUser({ user_id: 31, site_id }));
  const pack = marketplace.addPack({ seller_id: 7, buyer_id: 31, ...init });
  const whose = { pack_id: pack.pack_id ?? pack.order_ids[0]!, user_id: 7 };
  return { marketplace, sellerClient, buyerClient, pack, whose, input: { ...whose, to: { user_id: 31 }, text } };
}

/** The same, after the buyer has written. */
function createConversation(init: Partial<PackInit> = {}, site_id?: string): Sale {
  const sale = createSale(init, site_id);
  sale.marketplace.buyerWrites({ pack: sale.pack, text: '¿Cuándo llega?' });
  return sale;
}

function answering(body: unknown, status = 200): SellerClient {
  return new SellerClient({
    baseUrl: 'https://api.example.com',
    maxRetries: 0,
    fetch: () => Promise.resolve(Response.json(body, { status })),
  });
}

describe('a conversation', () => {
  test('a conversation is iterated from the newest message, and its pages carry status and limits', async () => {
    const { marketplace, sellerClient, pack, whose } = createConversation();
    for (let count = 1; count <= 25; count += 1) marketplace.buyerWrites({ pack, text: `Mensaje ${count}` });
    const conversation = sellerClient.messages.conversation(whose);
    const messages = await conversation.toArray();
    expect(messages.map((each) => each.text)).toEqual([
      ...Array.from({ length: 25 }, (_, index) => `Mensaje ${25 - index}`),
      '¿Cuándo llega?',
    ]);
    for await (const page of conversation.pages()) {
      expect(page).toMatchObject({ seller_max_message_length: 350, buyer_max_message_length: 3500 });
      expect(page.conversation_status).toMatchObject({ status: 'active', substatus: null });
    }
  });

  test('reading marks a conversation as read, unless mark_as_read is false', async () => {
    const { marketplace, sellerClient, pack, whose } = createConversation();
    const readAt = (): unknown => marketplace.messages.of(pack)[0]?.readAt;
    await sellerClient.messages.conversation({ ...whose, mark_as_read: false }).first();
    expect(readAt()).toBeNull();
    await sellerClient.messages.conversation(whose).first();
    expect(readAt()).toBe(marketplace.clock.ms);
  });

  test('the order id is used where there is no pack', async () => {
    const { sellerClient, whose, pack, input } = createConversation({ pack_id: null });
    expect(whose.pack_id).toBe(pack.order_ids[0]);
    await sellerClient.messages.send(input);
    expect(await sellerClient.messages.conversation(whose).toArray()).toHaveLength(2);
  });

  test('strangers have no access to a conversation', async () => {
    const { marketplace, whose } = createConversation();
    const stranger = marketplace.clientFor(marketplace.addUser());
    await expect(stranger.messages.conversation(whose).first()).rejects.toBeInstanceOf(PackAccessError);
    const anonymous = stranger.messages.conversation(whose, { accessToken: null }).first();
    await expect(anonymous).rejects.toBeInstanceOf(AuthenticationError);
  });

  test.each(['limit=0', 'limit=x', 'offset=-1'])('%s is an InvalidPagingError', async (query) => {
    const { sellerClient, whose } = createConversation();
    const [name = '', value = ''] = query.split('=');
    const failure = sellerClient.call(endpoints.messages.conversation, whose, { query: { [name]: value } });
    await expect(failure).rejects.toBeInstanceOf(InvalidPagingError);
  });
});

describe('the unread messages of a seller', () => {
  test('a conversation is listed with its number of unread messages until the seller reads it', async () => {
    const { marketplace, sellerClient, buyerClient, pack, whose, input } = createConversation();
    marketplace.buyerWrites({ pack, text: '¿Sigue ahí?' });
    await sellerClient.messages.send(input);
    expect((await buyerClient.messages.unread()).results).toEqual([]);
    const second = marketplace.addPack({ seller_id: 7, buyer_id: 31, pack_id: null });
    marketplace.buyerWrites({ pack: second, text: 'Hola' });
    marketplace.addPack({ seller_id: 7, buyer_id: 31 });
    const { user_id, results } = await sellerClient.messages.unread();
    expect(user_id).toBe(7);
    expect(results).toEqual([
      { resource: `/packs/${whose.pack_id}/sellers/7`, count: 2, pack_id: whose.pack_id, user_id: 7 },
      { resource: `/packs/${second.order_ids[0]}/sellers/7`, count: 1, pack_id: second.order_ids[0], user_id: 7 },
    ]);
    await sellerClient.messages.conversation({ ...whose, mark_as_read: false }).first();
    expect((await sellerClient.messages.unread()).results).toHaveLength(2);
    await sellerClient.messages.conversation(whose).first();
    expect((await sellerClient.messages.unread()).results.map(({ count }) => count)).toEqual([1]);
  });

  const place = { pack_id: 2000000012345678, user_id: 7 };
  test.each([
    ['/packs/2000000012345678/sellers/7', place],
    ['packs/2000000012345678/sellers/7?tag=post_sale', place],
    ['/v2/orders/2000000012345678/sellers/7', place],
    ['/packs/99999999999999999999/sellers/7', { pack_id: '99999999999999999999', user_id: 7 }],
    ['/conversations/5', {}],
  ])('%s is read as %j', async (resource, ids) => {
    const { results } = await answering({ user_id: '7', results: [{ resource, count: '2' }] }).messages.unread();
    expect(results).toEqual([{ resource, count: 2, ...ids }]);
  });

  test.each([null, [], {}, { user_id: 7, results: null }])('%j has no unread messages', async (body) => {
    expect((await answering(body).messages.unread()).results).toEqual([]);
  });

  test('the words of its path are no id of a message', async () => {
    await expect(answering({}).messages.get({ message_id: 'unread' })).rejects.toBeInstanceOf(InvalidInputError);
  });
});

describe('a message', () => {
  test('a message reaches the buyer with its sender and application', async () => {
    const { sellerClient, buyerClient, whose, input } = createConversation();
    const sent = await sellerClient.messages.send({ ...input, application_id: 500, client_id: 500 });
    expect(sent).toMatchObject({
      from: { user_id: 7 },
      to: { user_id: 31 },
      text,
      status: 'available',
      client_id: 500,
    });
    expect((await buyerClient.messages.conversation(whose).first())?.id).toBe(sent?.id);
  });

  test('a message sends its sender in the body and its application in query and header', async () => {
    const bodies: unknown[] = [];
    const fetch = vi.fn(
      receiving(async (sent) => {
        bodies.push(await sent.json());
        return new Response(null, { status: 201 });
      }),
    );
    const sellerClient = new SellerClient({ baseUrl: 'https://api.example.com', fetch });
    const input = { pack_id: 1, user_id: 7, to: { user_id: 31 }, text, application_id: 500, client_id: 501 };
    expect(await sellerClient.messages.send(input)).toBeUndefined();
    const [url, init] = fetch.mock.calls[0]!;
    expect(new URL(url).searchParams.get('application_id')).toBe('500');
    expect(init.headers['x-client-id']).toBe('501');
    expect(bodies).toEqual([{ from: { user_id: 7 }, to: { user_id: 31 }, text }]);
  });

  test('an unused file expires 48 hours after its upload', async () => {
    const { marketplace, sellerClient, buyerClient, input } = createConversation();
    const file = { site_id: 'MLA', file: new Uint8Array([1, 2]), filename: 'factura.pdf' };
    const [used, unused] = [await sellerClient.messages.upload(file), await sellerClient.messages.upload(file)];
    const sent = await sellerClient.messages.send({ ...input, attachments: [used.id] });
    expect(sent?.message_attachments).toMatchObject([{ filename: used.id, original_filename: 'factura.pdf', size: 2 }]);
    marketplace.clock.advance({ hours: 48 });
    const failure = sellerClient.messages.send({ ...input, attachments: [unused.id] });
    await expect(failure).rejects.toBeInstanceOf(AttachmentNotFoundError);
    const kept = await buyerClient.messages.download({ site_id: 'MLA', attachment_id: used.id });
    expect((await kept.arrayBuffer()).byteLength).toBe(2);
  });

  test.each<[string, Partial<Input<typeof endpoints.messages.send>>, RegExp]>([
    ['a blank text', { text: ' ' }, /blank/],
    ['351 characters', { text: 'x'.repeat(351) }, /has 351 characters; a message takes at most 350/],
    ['characters beyond ISO-8859-1', { text: 'Café – 10 €' }, /"–" \(U\+2013\), "€" \(U\+20AC\); a message takes/],
    ['control characters', { text: 'a\u0000b' }, /U\+0000; a message takes/],
    ['many of them', { text: 'абвгдежз' }, /and 3 more/],
    ['26 attachments', { attachments: Array.from({ length: 26 }, String) }, /has 26 files; a message takes at most 25/],
    ['the sender as receiver', { to: { user_id: 7 } }, /`to.user_id` is the sender/],
    ['another sender as receiver', { from: { user_id: '31' } }, /`to.user_id` is the sender/],
    ['no receiver', { to: undefined as never }, /`to` is missing/],
    ['a field that there is not', { subject: 'x' } as object, /`subject` is not a field here/],
  ])('a message with %s is not sent', async (_, change, problem) => {
    const { sellerClient, input } = createConversation();
    const failure = sellerClient.messages.send({ ...input, ...change });
    await expect(failure).rejects.toBeInstanceOf(InvalidInputError);
    await expect(failure).rejects.toThrow(problem);
  });

  test.each<[string, Partial<PackInit>, string, abstract new (...given: never[]) => Error]>([
    ['in a mediation in Brazil', { inMediation: true }, 'MLB', MediationInProcessError],
    ['while fulfilment has it', { shipping: 'fulfilment' }, 'MLA', NotYetDeliveredError],
    ['of a blocked pack', { blockedBy: 'blocked_by_time' }, 'MLA', ConversationBlockedError],
  ])('a message is rejected %s', async (_, init, site, error) => {
    const { sellerClient, input } = createConversation(init, site);
    await expect(sellerClient.messages.send(input)).rejects.toBeInstanceOf(error);
  });

  test('a message of a stranger, without a token or without an application is rejected', async () => {
    const { marketplace, sellerClient, input } = createConversation();
    const stranger = marketplace.clientFor(marketplace.addUser({ user_id: 99 }));
    await expect(stranger.messages.send(input)).rejects.toBeInstanceOf(PackAccessError);
    const elsewhere = sellerClient.messages.send({ ...input, to: { user_id: 99 } });
    await expect(elsewhere).rejects.toBeInstanceOf(ReceiverNotInOrderError);
    const none = sellerClient.messages.send(input, { accessToken: null });
    await expect(none).rejects.toBeInstanceOf(AccessTokenRequiredError);
    const accessToken = marketplace.tokenFor({ user_id: 7 }, null);
    await expect(sellerClient.messages.send(input, { accessToken })).rejects.toBeInstanceOf(ApplicationIdRequiredError);
  });

  // What the client would not send, the fake marketplace looks at itself.
  test.each<[string, unknown, abstract new (...given: never[]) => Error]>([
    ['no body', undefined, MessageBodyMissingError],
    ['no JSON', '{', MessageBodyMissingError],
    ['no receiver', { from: { user_id: 7 }, text }, InvalidReceiverError],
    ['the sender as receiver', { from: { user_id: 7 }, to: { user_id: 7 }, text }, SenderIsReceiverError],
    ['a long text', { from: { user_id: 7 }, to: { user_id: 31 }, text: 'x'.repeat(351) }, TextTooLongError],
    ['a dash', { from: { user_id: 7 }, to: { user_id: 31 }, text: '–' }, UnsupportedCharactersError],
  ])('the service rejects a message with %s', async (_, body, error) => {
    const { marketplace, input } = createConversation();
    const sellerClient = marketplace.clientFor(
      { user_id: 7 },
      {
        fetch: receiving((request) => {
          const sent = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body);
          return marketplace.fetch(new Request(request.url, { method: 'POST', headers: request.headers, body: sent }));
        }),
      },
    );
    await expect(sellerClient.messages.send(input)).rejects.toBeInstanceOf(error);
  });
});

describe('moderation', () => {
  test.each<[string, ModerationReason]>([
    ['Sos un idiota', 'OUT_OF_PLACE_LANGUAGE'],
    ['Mirá https://bit.ly/abc', 'LINK_SHORT_URL'],
    ['Escribime a ana@example.com', 'PERSONAL_DATA'],
    ['Llamame al +54 11 4321-5678', 'PERSONAL_DATA'],
    ['Seguinos en Instagram', 'SOCIAL_NETWORK_LINK'],
    ['Pay by PayPal', 'MARKETPLACE_LINKS_EXTERNAL_PAYMENT'],
    ['Please cancel the claim', 'EVASION_CLAIM_SELLER'],
  ])('"%s" is moderated with status 200: only the sender sees it, with the reason', async (words, reason) => {
    const { sellerClient, buyerClient, whose, input } = createConversation();
    const sent = await sellerClient.messages.send({ ...input, text: words });
    expect(moderationOf(sent)).toBe('rejected');
    expect(moderationReasonOf(sent)).toBe(reason);
    expect(sent).toMatchObject({ status: 'moderated', message_date: { available: null } });
    expect((await sellerClient.messages.conversation(whose).first())?.id).toBe(sent?.id);
    expect((await buyerClient.messages.conversation(whose).first())?.text).toBe('¿Cuándo llega?');
    await expect(buyerClient.messages.get({ message_id: sent!.id! })).rejects.toBeInstanceOf(MessageAccessError);
  });

  test.each(['Su pedido 2000000012345678 sale el 2026-03-02', 'Llega entre las 9 y las 13', '¡Gracias! 😀'])(
    '"%s" passes moderation',
    async (words) => {
      const { sellerClient, input } = createConversation();
      const sent = await sellerClient.messages.send({ ...input, text: words });
      expect(moderationOf(sent)).toBe('accepted');
      expect(moderationReasonOf(sent)).toBeUndefined();
    },
  );

  test("moderation = 'later' leaves a message pending", async () => {
    const { marketplace, sellerClient, buyerClient, whose, input } = createConversation();
    marketplace.messages.moderation = 'later';
    const sent = await sellerClient.messages.send(input);
    expect(sent).toMatchObject({ status: 'available', message_moderation: { status: 'pending' } });
    expect(moderationOf(sent)).toBe('pending');
    expect((await buyerClient.messages.conversation(whose).first())?.id).not.toBe(sent?.id);
    marketplace.messages.moderate();
    expect((await buyerClient.messages.conversation(whose).first())?.id).toBe(sent?.id);
    expect(moderationOf(await sellerClient.messages.get({ message_id: sent!.id! }))).toBe('accepted');
  });

  const clean = { status: 'available', moderation: { status: 'clean' } };
  test.each<[string, unknown]>([
    ['accepted', { status: 'available', message_moderation: { status: 'clean', reason: null } }],
    ['accepted', { status: 'available', message_moderation: { status: 'NON_MODERATED' } }],
    ['pending', { status: 'sent', message_moderation: { status: 'Clean' } }],
    ['accepted', { status: 'available' }],
    ['accepted', { status: 'AVAILABLE', message_moderation: null }],
    ['accepted', [{ message_id: 'a', ...clean }]],
    ['accepted', { messages: [{ message_id: 'a', ...clean }] }],
    ['rejected', { status: 'rejected' }],
    ['rejected', { status: 'MODERATED' }],
    ['rejected', { status: 'moderated', message_moderation: { status: 'clean' } }],
    ['rejected', { status: 'available', message_moderation: { status: 'REJECTED', reason: 'PERSONAL_DATA' } }],
    ['rejected', { message_moderation: { status: 'moderated' } }],
    ['rejected', [{ message_id: 'a', status: 'moderated', moderation: { status: 'rejected' } }]],
    ['rejected', { status: 'moderated', moderation: { status: 'rejected', reason: 'PERSONAL_DATA' } }],
    ['pending', { status: 'available', message_moderation: { status: 'pending' } }],
    ['pending', { status: 'available', message_moderation: { status: 'in_review' } }],
    ['pending', { status: 'available', message_moderation: {} }],
    ['pending', { status: 'processing' }],
    ['pending', { text: 'Hello' }],
    ['pending', {}],
    ['pending', []],
    ['pending', 'ok'],
    ['pending', null],
    ['pending', undefined],
  ])('a message is %s: %j', async (expected, body) => {
    expect(moderationOf(body as SentMessage)).toBe(expected);
    // The same of what the client makes of it, for a message and for an option.
    const response = (): Response => (body === undefined ? new Response(null, { status: 204 }) : Response.json(body));
    const { sellerClient } = stubbed([response()]);
    const sent = await sellerClient.messages.send({ pack_id: 1, user_id: 7, to: { user_id: 31 }, text: 'Hello' });
    expect(moderationOf(sent)).toBe(expected);
    const option = await sellerClient.actionGuide.send({ pack_id: 1, option_id: 'OTHER', text: 'Hello' });
    expect(moderationOf(option)).toBe(expected);
  });

  test('the reason is that of a rejection, and may be absent', () => {
    const reason = 'PERSONAL_DATA';
    expect(moderationReasonOf({ message_moderation: { status: 'REJECTED', reason } })).toBe(reason);
    expect(moderationReasonOf({ status: 'rejected' })).toBeUndefined();
    expect(moderationReasonOf({ message_moderation: { status: 'pending', reason } })).toBeUndefined();
    expect(moderationReasonOf(undefined)).toBeUndefined();
  });
});

describe('reading a message by id', () => {
  test.each(['wrapped', 'legacy', 'current'] as const)('the %s shape gives the same message', async (shape) => {
    const { marketplace, sellerClient, whose } = createConversation();
    marketplace.messages.shape = shape;
    const listed = (await sellerClient.messages.conversation({ ...whose, mark_as_read: false }).first())!;
    const { data: got, response } = await sellerClient.messages.get({ message_id: listed.id }).withResponse();
    expect(response.status).toBe(200);
    expect(got).toMatchObject({
      id: listed.id,
      site_id: 'MLA',
      from: { user_id: 31 },
      to: { user_id: 7 },
      status: 'available',
      text: '¿Cuándo llega?',
      message_date: listed.message_date,
      message_moderation: { status: 'clean', source: 'online' },
    });
    const original = originalOf(got);
    if (shape === 'current') expect(original).toBe(got);
    if (shape === 'legacy') expect(original).toMatchObject({ message_id: listed.id, resource: 'orders' });
    if (shape === 'wrapped') expect(original).toMatchObject({ paging: null, messages: [{ id: listed.id }] });
    expect(Object.keys(got)).not.toContain('original');
  });

  test('the other fields of the legacy shape are kept', async () => {
    const legacy = {
      message_id: 'abc',
      date_received: '2026-03-02T12:00:00.000-0400',
      to: [],
      text: { plain: 'Hola' },
      attachments: [{ filename: 'a.pdf', original_filename: 'b.pdf' }],
      attachments_validations: { invalid_size: ['c.pdf'], invalid_extension: [], forbidden: null, internal_error: [] },
      resource: 'orders',
      resource_id: 12,
      moderation: { status: 'rejected', reason: 'PERSONAL_DATA', date_moderated: '2026-03-02T12:00:01Z' },
      surprise: true,
    };
    const got = await answering(legacy).messages.get({ message_id: 'abc' });
    expect(got).toMatchObject({
      to: null,
      text: 'Hola',
      message_date: { received: '2026-03-02T12:00:00.000-0400', created: null },
      message_attachments: [{ original_filename: 'b.pdf' }],
      message_resources: [{ id: '12', name: 'orders' }],
      attachments_validations: { invalid_size: ['c.pdf'] },
      message_moderation: { moderation_date: '2026-03-02T12:00:01Z' },
      surprise: true,
    });
    expect(moderationReasonOf(got)).toBe('PERSONAL_DATA');
    expectTypeOf(got).toEqualTypeOf<Message>();
  });

  describe.each([
    ['legacy', { message_id: 'abc', from: { user_id: 7 }, text: { plain: 'Hola' } }],
    ['legacy, with an optional field of another type', { message_id: 'abc', from: { user_id: 'me' }, text: 'Hola' }],
    ['current, with several receivers', { id: 'abc', text: 'Hola', to: [{ user_id: 7 }, { user_id: 8 }] }],
  ])('originalOf() returns the message as it was received (%s)', (_, received) => {
    const place = { pack_id: 1, user_id: 7 };

    test('read by its id', async () => {
      const got = await answering(received).messages.get({ message_id: 'abc' });
      expect(got.text).toBe('Hola');
      expect(originalOf(got)).toEqual(received);
    });

    test('in a conversation', async () => {
      const current = { id: 'b', text: 'Adiós' };
      const body = { paging: { total: 2 }, messages: [received, current] };
      const [converted, other] = await answering(body).messages.conversation(place).toArray();
      expect(converted).toMatchObject({ id: 'abc', text: 'Hola' });
      expect(originalOf(converted!)).toEqual(received);
      expect(originalOf(other!)).toBe(other);
    });

    test('just sent', async () => {
      const sent = await answering(received).messages.send({ ...place, to: { user_id: 31 }, text: 'Hola' });
      expect(originalOf(sent!)).toEqual(received);
    });
  });

  test('any legacy response is read or rejected, without a crash', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (to, words, id) => {
        for (const value of [{ message_id: id, to, text: words }, { id, to, text: words }, { messages: [to] }, to]) {
          const result = messageSchema.safeParse(value);
          if (result.success) expect(typeof result.data.id).toBe('string');
          else expect(result.error.issues.length).toBeGreaterThan(0);
        }
      }),
    );
  });

  test('a message that is missing, not accessible or not ready has its own error class', async () => {
    const { marketplace, sellerClient, whose } = createConversation();
    await expect(sellerClient.messages.get({ message_id: 'none' })).rejects.toBeInstanceOf(MessageNotFoundError);
    const { id } = (await sellerClient.messages.conversation(whose).first())!;
    const stranger = marketplace.clientFor(marketplace.addUser());
    await expect(stranger.messages.get({ message_id: id })).rejects.toBeInstanceOf(MessageAccessError);
    const notReady = endpoints.messages.get.errors.find(({ error }) => error === MessageNotReadyError)!;
    marketplace.failNext(endpoints.messages.get, notReady);
    const { response } = await sellerClient.messages.get({ message_id: id }).withResponse();
    expect(response.attempts).toBe(2);
  });
});

describe('a blocked conversation', () => {
  test.each<[string, object, string?]>([
    ['in the cause, a word', { error: 'conversation_blocked', cause: 'blocked_by_payment' }],
    ['in a list of words', { error: 'conversation_blocked', cause: ['blocked_by_payment'] }],
    ['in a cause of its own', { error: 'forbidden', cause: [{ code: 'blocked_by_payment', message: 'x' }] }],
    ['in the message', { error: 'conversation_blocked', message: 'blocked_by_payment' }],
    ['in a sentence', { code: 'forbidden', message: 'It is blocked_by_payment since yesterday' }],
    ['somewhere else', { error: 'conversation_blocked', details: { substatus: 'blocked_by_payment' } }],
    ['nowhere', { error: 'conversation_blocked' }, 'none'],
  ])('the reason is found %s', async (_, body, reason = 'blocked_by_payment') => {
    const sellerClient = answering(body, 403);
    const failure = await errorOf<ConversationBlockedError>(
      sellerClient.messages.send({ pack_id: 1, user_id: 7, to: { user_id: 31 }, text }),
    );
    expect(failure).toBeInstanceOf(ConversationBlockedError);
    expect(failure.reason ?? 'none').toBe(reason);
  });
});

describe('contact() uses the channel that is open', () => {
  test('before the buyer has written, contact() sends the option OTHER once', async () => {
    const { sellerClient, input, marketplace, pack } = createSale();
    await expect(sellerClient.messages.contact(input)).resolves.toMatchObject({ channel: 'option', message: { text } });
    const failure = await errorOf(sellerClient.messages.contact(input));
    expect(failure).toMatchObject({
      name: 'NoChannelError',
      reason: 'cap_exhausted',
      message: 'The message was not sent: the option OTHER is used up; wait until the buyer replies',
    });
    expect((failure as Error).cause).toMatchObject({ name: 'CapExhaustedError', status: 403 });
    expect(marketplace.messages.of(pack)).toHaveLength(1);
  });

  test('after the buyer has written, contact() uses the conversation and leaves it unread', async () => {
    const { marketplace, sellerClient, input, pack } = createConversation();
    await expect(sellerClient.messages.contact(input)).resolves.toMatchObject({
      channel: 'conversation',
      message: { text },
    });
    expect(marketplace.messages.of(pack).at(-1)?.readAt).toBeNull();
  });

  test('contact() uses the conversation of an excepted case, also with files', async () => {
    const { sellerClient, input } = createSale({ exceptedCase: true });
    await expect(sellerClient.messages.contact(input)).resolves.toMatchObject({ channel: 'conversation' });
    const { id } = await sellerClient.messages.upload({ site_id: 'MLA', file: new Uint8Array(1), filename: 'a.txt' });
    const withFile = await sellerClient.messages.contact({ ...input, attachments: [id] });
    expect(withFile).toMatchObject({ channel: 'conversation', message: { message_attachments: [{ filename: id }] } });
  });

  test.each<[string, Partial<PackInit>, string, string]>([
    ['blocked_by_time', { blockedBy: 'blocked_by_time' }, 'MLA', 'the conversation is blocked (blocked_by_time)'],
    [
      'mediation',
      { inMediation: true },
      'MLB',
      'a mediation is in process; write in the mediation, or when it is over',
    ],
    [
      'not_yet_delivered',
      { shipping: 'fulfilment' },
      'MLA',
      'the purchase is on its way by fulfilment; write when it is delivered',
    ],
  ])('a closed conversation is a NoChannelError with its remedy: %s', async (reason, init, site, remedy) => {
    const { sellerClient, input } = createConversation(init, site);
    const failure = await errorOf(sellerClient.messages.contact(input));
    expect(failure).toBeInstanceOf(NoChannelError);
    expect(failure).toMatchObject({ reason, message: `The message was not sent: ${remedy}` });
    expect((failure as Error).cause).toMatchObject({ status: 403 });
  });

  test('a blocked excepted case and a missing option are a NoChannelError', async () => {
    const excepted = createSale({ exceptedCase: true });
    excepted.marketplace.failNext(endpoints.messages.send, conversationBlocked, { cause: [] });
    expect(await errorOf(excepted.sellerClient.messages.contact(excepted.input))).toMatchObject({
      reason: 'blocked',
      message: 'The message was not sent: the conversation is blocked (no reason given)',
    });
    const { marketplace, sellerClient, input } = createSale();
    const optionNotOffered = endpoints.actionGuide.send.errors.find(
      ({ error }) => error.kind === 'OptionNotOfferedError',
    )!;
    marketplace.failNext(endpoints.actionGuide.send, optionNotOffered);
    expect(await errorOf(sellerClient.messages.contact(input))).toMatchObject({
      reason: 'option_not_offered',
      message: expect.stringContaining('the pack has no option OTHER; see actionGuide.options') as string,
    });
  });

  test('a first message with files is a NoChannelError', async () => {
    const { sellerClient, input, marketplace, pack } = createSale();
    const failure = await errorOf(sellerClient.messages.contact({ ...input, attachments: ['a.pdf'] }));
    expect(failure).toMatchObject({
      reason: 'attachments',
      message: expect.stringContaining('a first message carries no attachments') as string,
    });
    expect(marketplace.messages.of(pack)).toEqual([]);
  });

  test('other errors of contact() are thrown as they are', async () => {
    const { marketplace, sellerClient, input } = createSale();
    await expect(sellerClient.messages.contact({ ...input, text: '' })).rejects.toBeInstanceOf(InvalidInputError);
    const stranger = marketplace.clientFor(marketplace.addUser());
    await expect(stranger.messages.contact(input)).rejects.toBeInstanceOf(PackAccessError);
    const gone = new Error('unplugged');
    const offline = marketplace.clientFor({ user_id: 7 }, { maxRetries: 0, fetch: () => Promise.reject(gone) });
    expect(await errorOf(offline.messages.contact(input))).toMatchObject({ name: 'ConnectionError' });
  });
});

describe('channel() says which channel is open, and sends nothing', () => {
  test('before the buyer has written, the option OTHER takes one text without files', async () => {
    const { sellerClient, whose, input, marketplace, pack } = createSale();
    await expect(sellerClient.messages.channel(whose)).resolves.toEqual({
      channel: 'option',
      maxLength: 350,
      maxAttachments: 0,
    });
    expect(marketplace.messages.of(pack)).toEqual([]);
    await sellerClient.messages.contact(input);
    expect(await errorOf(sellerClient.messages.channel(whose))).toMatchObject({ reason: 'cap_exhausted' });
  });

  test('after the buyer has written, the conversation takes files, and stays unread', async () => {
    const { marketplace, sellerClient, whose, pack } = createConversation();
    await expect(sellerClient.messages.channel(whose)).resolves.toEqual({
      channel: 'conversation',
      maxLength: 350,
      maxAttachments: 25,
      counterpart: { user_id: 31 },
    });
    expect(marketplace.messages.of(pack)[0]?.readAt).toBeNull();
  });

  test('the conversation of an excepted case is open', async () => {
    const { sellerClient, whose } = createSale({ exceptedCase: true });
    await expect(sellerClient.messages.channel(whose)).resolves.toMatchObject({ channel: 'conversation' });
  });

  test('a blocked conversation, a blocked first contact and a missing option are a NoChannelError', async () => {
    const blockedBy = 'blocked_by_cancelled_order';
    const { sellerClient, whose } = createConversation({ blockedBy });
    expect(await errorOf(sellerClient.messages.channel(whose))).toMatchObject({
      name: 'NoChannelError',
      reason: blockedBy,
    });
    const first = createSale({ exceptedCase: true, blockedBy });
    expect(await errorOf(first.sellerClient.messages.channel(first.whose))).toMatchObject({ reason: blockedBy });
    const none = answering({ options: [], messages: [], paging: null }, 200);
    expect(await errorOf(none.messages.channel(whose))).toMatchObject({ reason: 'option_not_offered' });
  });

  const none = { messages: [], paging: { total: 0 } };
  const fromBuyer = { messages: [{ id: 'a', from: { user_id: 31 } }], paging: { total: 1 } };
  const other = { id: 'OTHER', enabled: true, actionable: true, cap_available: 1, char_limit: 120 };

  test.each([
    [none, { options: [] }, 'option_not_offered', 'the pack has no option OTHER'],
    [none, { options: [{ ...other, id: 'REQUEST_VARIANTS' }] }, 'option_not_offered', 'the pack has no option OTHER'],
    [none, { options: [{ ...other, enabled: false }] }, 'option_not_offered', 'the option OTHER is not enabled'],
    [none, { options: [{ ...other, actionable: false }] }, 'option_not_offered', 'the option OTHER is not enabled'],
    [none, { options: [{ ...other, cap_available: 0 }] }, 'cap_exhausted', 'is used up; wait until the buyer replies'],
    [{ ...fromBuyer, conversation_status: { status: 'blocked' } }, {}, 'blocked', 'conversation is blocked (blocked)'],
    [
      { ...fromBuyer, conversation_status: { status: 'BLOCKED', substatus: 'blocked_by_time' } },
      {},
      'blocked_by_time',
      'the conversation is blocked (blocked_by_time)',
    ],
  ])('no channel is open: %j, %j', async (conversation, options, reason, why) => {
    const { sellerClient } = stubbed([Response.json(conversation), Response.json(options)]);
    const error = await errorOf(sellerClient.messages.channel({ pack_id: '1', user_id: 7 }));
    expect(error).toMatchObject({ name: 'NoChannelError', reason });
    expect(error.message).toMatch(/^No channel is open: /);
    expect(error.message).toContain(why);
  });

  test.each([
    [none, { options: [other] }, { channel: 'option', maxLength: 120, maxAttachments: 0 }],
    [none, { options: [{ id: 'REQUEST_VARIANTS' }, other] }, { channel: 'option', maxLength: 120 }],
    [none, { options: [{ ...other, cap_available: 2 }] }, { channel: 'option', maxLength: 120 }],
    [none, { options: [{ ...other, enabled: null, cap_available: null }] }, { channel: 'option', maxLength: 120 }],
    [none, { options: [{ ...other, char_limit: null }] }, { channel: 'option', maxLength: 350, maxAttachments: 0 }],
    [none, { options: [{ id: 'OTHER' }] }, { channel: 'option', maxLength: 350, maxAttachments: 0 }],
    [fromBuyer, {}, { channel: 'conversation', maxLength: 350, maxAttachments: 25 }],
    [{ ...fromBuyer, conversation_status: { status: 'active' } }, {}, { channel: 'conversation' }],
  ])('a channel is open: %j, %j', async (conversation, options, expected) => {
    const { sellerClient } = stubbed([Response.json(conversation), Response.json(options)]);
    expect(await sellerClient.messages.channel({ pack_id: '1', user_id: 7 })).toMatchObject(expected);
  });

  test("with responseValidation: 'report', responses of another shape are no TypeError", async () => {
    const channel = (...bodies: readonly unknown[]): PromiseLike<unknown> =>
      stubbed(
        bodies.map((body) => Response.json(body)),
        { responseValidation: 'report' },
      ).sellerClient.messages.channel({ pack_id: '1', user_id: 7 });
    const option = { id: 'other', cap_available: 1 };
    for (const first of [{ type: 'template' }, { id: null }, { id: 5 }, null, 'OTHER'])
      await expect(channel(none, { options: [first, option] })).resolves.toMatchObject({ channel: 'option' });
    for (const offered of [{ options: [{}] }, { options: [{ id: 5 }] }, null])
      expect(await errorOf(channel(none, offered))).toMatchObject({ reason: 'option_not_offered' });
    for (const offered of ['none', { options: 'none' }, { options: [null] }])
      expect(await errorOf(channel(none, offered))).toMatchObject({ name: 'UnexpectedResponseError' });
    const odd = { ...none, messages: [null, {}, 'x', { from: 5 }, { id: 'a', from: { user_id: 31 } }] };
    for (const status of [5, { status: 5 }, 'open'])
      await expect(channel({ ...odd, conversation_status: status })).resolves.toMatchObject({
        channel: 'conversation',
      });
  });

  test('other errors of channel() are thrown as they are', async () => {
    const { marketplace, whose } = createSale();
    const stranger = marketplace.clientFor(marketplace.addUser());
    await expect(stranger.messages.channel(whose)).rejects.toBeInstanceOf(PackAccessError);
  });
});

describe('supported characters', () => {
  test('all of ISO-8859-1 is supported', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0xa0, max: 0xff }))),
        (codes) => {
          expect(unsupportedCharacters(String.fromCodePoint(...codes))).toEqual([]);
        },
      ),
    );
  });

  test.each(['😀', '👍🏽', '❤️', '❤', '👨‍👩‍👧‍👦', '🇦🇷', '1️⃣', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '™'])('the emoji %s is supported', (emoji) => {
    expect(unsupportedCharacters(`¡Gracias ${emoji}!`)).toEqual([]);
  });

  test.each(['Envío', 'Señor, ¿qué?', 'Ã – É'])('a text in NFD is rejected with the remedy: %s', async (text) => {
    const { sellerClient, sent } = stubbed([]);
    const send = (given: string) =>
      errorOf(sellerClient.messages.send({ pack_id: 1, user_id: 7, to: { user_id: 31 }, text: given }));
    const { name, message } = await send(text.normalize('NFD'));
    expect(name).toBe('InvalidInputError');
    expect(message).toContain("normalise it: text.normalize('NFC')");
    expect((await send('10 €')).message).not.toContain('normalise');
    expect(sent).toEqual([]);
  });

  test('each unsupported character is named once', () => {
    expect(unsupportedCharacters('“x” – “y” \u200d\u0007')).toEqual(['“', '”', '–', '\u200d', '\u0007']);
  });
});

goldenRequests<typeof endpoints.messages>({
  conversation: {
    call: (client) =>
      client.messages
        .conversation({ pack_id: 2000000012345678, user_id: 7, limit: 10, offset: 20, mark_as_read: false })
        .first(),
    request: ['GET /messages/packs/2000000012345678/sellers/7?tag=post_sale&limit=10&offset=20&mark_as_read=false'],
  },
  get: {
    call: (client) => client.messages.get({ message_id: '0c1ad0b9a9de4b1f' }),
    request: ['GET /messages/0c1ad0b9a9de4b1f?tag=post_sale'],
  },
  unread: {
    call: (client) => client.messages.unread(),
    request: ['GET /messages/unread?role=seller&tag=post_sale'],
  },
  send: {
    call: (client) =>
      client.messages.send({
        pack_id: 2000000012345678,
        user_id: 7,
        to: { user_id: 31 },
        text: '¡Su pedido salió!',
        attachments: ['file-1.pdf'],
        application_id: 500,
        client_id: 501,
      }),
    request: [
      'POST /messages/packs/2000000012345678/sellers/7?tag=post_sale&application_id=500',
      jsonBody,
      'x-client-id: 501',
      '',
      '{"from":{"user_id":7},"to":{"user_id":31},"text":"¡Su pedido salió!","attachments":["file-1.pdf"]}',
    ],
  },
  upload: {
    call: (client) =>
      client.messages.upload({
        site_id: 'MLA',
        file: new Blob(['Hi']),
        filename: 'note.txt',
        contentType: 'text/plain',
      }),
    request: [
      'POST /messages/attachments?tag=post_sale&site_id=MLA',
      'content-length: LENGTH',
      'content-type: multipart/form-data; boundary=BOUNDARY',
      '',
      '--BOUNDARY\r\n' +
        'Content-Disposition: form-data; name="file"; filename="note.txt"\r\n' +
        'Content-Type: text/plain\r\n' +
        '\r\n' +
        'Hi\r\n' +
        '--BOUNDARY--\r\n',
    ],
  },
  download: {
    call: (client) => client.messages.download({ site_id: 'MLA', attachment_id: 'file-1.pdf' }),
    request: [
      'GET /messages/attachments/file-1.pdf?tag=post_sale&site_id=MLA',
      'accept: */*',
      'accept-encoding: identity',
    ],
  },
});
