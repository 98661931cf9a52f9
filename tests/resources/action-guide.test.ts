import {
  ApplicationIdRequiredError,
  CapExhaustedError,
  ConversationBlockedError,
  ExceptedCaseError,
  InvalidInputError,
  OptionNotOfferedError,
  InvalidTemplateError,
  InvalidTextError,
  ActionGuideLockedError,
  PackAccessError,
  deliveryPromise,
  moderationOf,
  templateId,
  templateVariableId,
} from 'marketplace-seller-sdk';
import type { OptionCap, SendOptionParams, SellerClient, TemplateId } from 'marketplace-seller-sdk';
import type { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace, FakeMarketplaceError } from 'marketplace-seller-sdk/testing';
import type { Pack, PackInit, ShippingMode } from 'marketplace-seller-sdk/testing';
import { describe, expect, expectTypeOf, test, vi } from 'vitest';
import { goldenRequests, jsonBody } from '../support/golden-requests.ts';
import { waitLogger } from '../support/waits.ts';
import { receiving } from '../support/stubs.ts';

const text = 'Sale hoy.';

function createSale(init: Partial<PackInit> = {}): {
  marketplace: FakeMarketplace;
  sellerClient: SellerClient;
  pack: Pack;
  pack_id: number | string;
} {
  const marketplace = new FakeMarketplace({ now: '2026-03-02T12:00:00Z' });
  const sellerClient = marketplace.clientFor(marketplace.addUser({ user_id: 7 }));
  marketplace.addUser({ user_id: 31, nickname: 'ANA' });
  const pack = marketplace.addPack({ seller_id: 7, buyer_id: 31, ...init });
  return { marketplace, sellerClient, pack, pack_id: pack.pack_id! };
}

describe('the options of a pack', () => {
  test.each<[ShippingMode, string[]]>([
    ['cross_docking', ['REQUEST_VARIANTS', 'REQUEST_BILLING_INFO', 'SEND_INVOICE_LINK', 'OTHER']],
    ['drop_off', ['REQUEST_VARIANTS', 'REQUEST_BILLING_INFO', 'SEND_INVOICE_LINK', 'OTHER']],
    ['flex', ['REQUEST_BILLING_INFO', 'SEND_INVOICE_LINK', 'OTHER', 'DELIVERY_PROMISE']],
    ['custom', ['REQUEST_BILLING_INFO', 'SEND_INVOICE_LINK', 'OTHER']],
    ['fulfilment', ['REQUEST_BILLING_INFO', 'SEND_INVOICE_LINK', 'OTHER']],
  ])('the options depend on the shipping: %s', async (shipping, expected) => {
    const { sellerClient, pack_id } = createSale({ shipping });
    const { options } = await sellerClient.actionGuide.options({ pack_id });
    expect(options.map(({ id }) => id)).toEqual(expected);
    expect((await sellerClient.actionGuide.caps({ pack_id })).map(({ option_id }) => option_id)).toEqual(expected);
  });

  test('an option says which fields it takes', async () => {
    const { sellerClient, pack_id } = createSale({ shipping: 'flex' });
    const { options } = await sellerClient.actionGuide.options({ pack_id });
    expect(options.find(({ id }) => id === 'OTHER')).toMatchObject({
      type: 'free_text',
      char_limit: 350,
      templates: null,
    });
    const promise = options.find(({ id }) => id === 'DELIVERY_PROMISE');
    expect(promise).toMatchObject({ type: 'template', cap_available: 1, child_options: null });
    expect(promise?.templates?.[0]).toMatchObject({ id: 'TEMPLATE___DELIVERY_PROMISE___1' });
    expect(promise).not.toHaveProperty('char_limit');
  });

  test('a bare list of options is read, and null gives none', async () => {
    const { marketplace } = createSale();
    const answering = (body: unknown): SellerClient =>
      marketplace.clientFor({ user_id: 7 }, { fetch: () => Promise.resolve(Response.json(body)) });
    expect(await answering([{ id: 'NEW_ONE' }]).actionGuide.options({ pack_id: 1 })).toEqual({
      options: [{ id: 'NEW_ONE' }],
    });
    expect(await answering({ options: null }).actionGuide.options({ pack_id: 1 })).toEqual({ options: [] });
  });

  test('caps() gives the caps alone', async () => {
    const { sellerClient, pack_id } = createSale();
    const caps = await sellerClient.actionGuide.caps({ pack_id }, { attributes: ['cap_available'] });
    expectTypeOf(caps).toEqualTypeOf<Pick<OptionCap, 'cap_available'>[]>();
    expect(caps).toEqual([{ cap_available: 1 }, { cap_available: 1 }, { cap_available: 1 }]);
  });

  test('excepted cases, blocked packs and strangers get an error', async () => {
    const excepted = createSale({ exceptedCase: true });
    const { sellerClient, pack_id } = excepted;
    await expect(sellerClient.actionGuide.options({ pack_id })).rejects.toBeInstanceOf(ExceptedCaseError);
    await expect(sellerClient.actionGuide.caps({ pack_id })).rejects.toBeInstanceOf(ExceptedCaseError);
    const blocked = createSale({ blockedBy: 'blocked_by_time' });
    const failure = blocked.sellerClient.actionGuide.options({ pack_id: blocked.pack_id });
    await expect(failure).rejects.toMatchObject({ name: ConversationBlockedError.kind, reason: 'blocked_by_time' });
    const buyerClient = blocked.marketplace.clientFor({ user_id: 31 });
    await expect(buyerClient.actionGuide.options({ pack_id: blocked.pack_id })).rejects.toBeInstanceOf(PackAccessError);
    await expect(sellerClient.actionGuide.options({ pack_id: 1 })).rejects.toBeInstanceOf(PackAccessError);
  });
});

describe('sending an option', () => {
  test('a free text is sent, and the message comes back with fewer fields', async () => {
    const { sellerClient, pack_id } = createSale();
    const sent = await sellerClient.actionGuide.send({ pack_id, option_id: 'OTHER', text });
    expect(sent).toMatchObject({ text, status: 'available', to: { user_id: 31, name: 'ANA' }, client_id: 500 });
    expect(sent).not.toHaveProperty('from');
    expect(sent?.conversation_first_message).toBe(true);
  });

  test('a delivery promise may end past midnight', async () => {
    const { sellerClient, pack_id } = createSale({ shipping: 'flex' });
    const promise = sellerClient.actionGuide.send({ pack_id, ...deliveryPromise({ from: 22, to: 2 }) });
    await expect(promise).resolves.toHaveProperty('id');
  });

  test('a template is sent', async () => {
    const { sellerClient, pack_id } = createSale({ shipping: 'drop_off' });
    const variants = { option_id: 'REQUEST_VARIANTS', template_id: templateId('REQUEST_VARIANTS', 2) } as const;
    await expect(sellerClient.actionGuide.send({ pack_id, ...variants })).resolves.toHaveProperty('id');
    const billing = { option_id: 'REQUEST_BILLING_INFO', template_id: 'TEMPLATE___REQUEST_BILLING_INFO___1' } as const;
    await expect(sellerClient.actionGuide.send({ pack_id, ...billing })).resolves.toHaveProperty('id');
  });

  test('a delivery promise is sent with its hours', async () => {
    const { sellerClient, pack_id } = createSale({ shipping: 'flex' });
    const promise = deliveryPromise({ from: 9, to: 13 });
    expect(promise).toEqual({
      option_id: 'DELIVERY_PROMISE',
      template_id: 'TEMPLATE___DELIVERY_PROMISE___1',
      vars: [
        { id: 'TEMPLATE___DELIVERY_PROMISE___1___VAR___INIT', value: 9 },
        { id: 'TEMPLATE___DELIVERY_PROMISE___1___VAR___LIMIT', value: 13 },
      ],
    });
    const sent = await sellerClient.actionGuide.send({ pack_id, ...promise });
    expect(sent?.text).toContain('9 to 13');
  });

  test('a message that moderation rejects is a successful call', async () => {
    const { sellerClient, pack_id } = createSale();
    const sent = await sellerClient.actionGuide.send({ pack_id, option_id: 'OTHER', text: 'ana@example.com' });
    expect(moderationOf(sent)).toBe('rejected');
  });

  test('an option can be sent as often as its cap allows, until the buyer replies', async () => {
    const { marketplace, sellerClient, pack, pack_id } = createSale();
    const input = { pack_id, option_id: 'OTHER', text } as const;
    const [begun, ended] = [vi.spyOn(globalThis, 'setInterval'), vi.spyOn(globalThis, 'clearInterval')];
    await sellerClient.actionGuide.send(input);
    expect(ended.mock.calls.flat()).toEqual(begun.mock.results.map(({ value }) => value as unknown));
    expect(await sellerClient.actionGuide.caps({ pack_id })).toContainEqual({ option_id: 'OTHER', cap_available: 0 });
    await expect(sellerClient.actionGuide.send(input)).rejects.toBeInstanceOf(CapExhaustedError);
    await expect(sellerClient.actionGuide.send(input)).rejects.toThrow(/not allowed to run the option OTHER again/);
    marketplace.buyerWrites({ pack, text: 'Gracias' });
    expect(await sellerClient.actionGuide.caps({ pack_id })).toContainEqual({ option_id: 'OTHER', cap_available: 1 });
    await expect(sellerClient.actionGuide.send(input)).resolves.toHaveProperty('id');
  });

  test('a second option at the same time gets 409 and is retried', async () => {
    const { marketplace, sellerClient, pack, pack_id } = createSale();
    const one = { pack_id, option_id: 'OTHER', text } as const;
    const other = { pack_id, option_id: 'SEND_INVOICE_LINK', text } as const;
    const outcomes = await Promise.allSettled([
      sellerClient.actionGuide.send(one, { maxRetries: 0 }),
      sellerClient.actionGuide.send(other, { maxRetries: 0 }),
    ]);
    const rejected = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    expect(rejected).toHaveLength(1);
    expect(rejected[0]).toBeInstanceOf(ActionGuideLockedError);

    const unlock = marketplace.messages.lock(pack);
    expect(() => marketplace.messages.lock(pack)).toThrow(FakeMarketplaceError);
    marketplace.buyerWrites({ pack, text: 'Gracias' });
    const patient = sellerClient.withOptions({ logger: waitLogger(unlock) });
    await expect(patient.actionGuide.send(one)).resolves.toHaveProperty('id');
  });

  test('an option that is not offered, an unknown template and a token without application are rejected', async () => {
    const { marketplace, sellerClient, pack_id } = createSale();
    const promise = sellerClient.actionGuide.send({ pack_id, ...deliveryPromise({ from: 9, to: 13 }) });
    await expect(promise).rejects.toBeInstanceOf(OptionNotOfferedError);
    const template_id = templateId('REQUEST_BILLING_INFO', 99);
    const unknown = sellerClient.actionGuide.send({ pack_id, option_id: 'REQUEST_BILLING_INFO', template_id });
    await expect(unknown).rejects.toBeInstanceOf(InvalidTemplateError);
    await expect(unknown).rejects.toThrow(/The template TEMPLATE___REQUEST_BILLING_INFO___99 is invalid/);
    const accessToken = marketplace.tokenFor({ user_id: 7 }, null);
    const alien = sellerClient.actionGuide.send({ pack_id, option_id: 'OTHER', text }, { accessToken });
    await expect(alien).rejects.toBeInstanceOf(ApplicationIdRequiredError);
  });

  test.each<[object, abstract new (...given: never[]) => Error]>([
    [{ option_id: 'NOT_ONE' }, OptionNotOfferedError],
    [{ option_id: 'OTHER', text: 'x'.repeat(351) }, InvalidTextError],
    [{ option_id: 'REQUEST_BILLING_INFO', template_id: 'x' }, InvalidTemplateError],
  ])('the fake rejects %o with its documented error', async (body, error) => {
    const { marketplace, pack_id } = createSale();
    const sellerClient = marketplace.clientFor(
      { user_id: 7 },
      {
        fetch: receiving((request) =>
          marketplace.fetch(
            new Request(request.url, { method: 'POST', headers: request.headers, body: JSON.stringify(body) }),
          ),
        ),
      },
    );
    await expect(sellerClient.actionGuide.send({ pack_id, option_id: 'OTHER', text })).rejects.toBeInstanceOf(error);
  });
});

describe('a wrong combination of fields is not sent', () => {
  const template_id: TemplateId<'DELIVERY_PROMISE'> = 'TEMPLATE___DELIVERY_PROMISE___1';
  const [init, limit] = deliveryPromise({ from: 9, to: 13 }).vars;
  test.each<[string, object, RegExp]>([
    ['OTHER without text', { option_id: 'OTHER' }, /`text` is missing; OTHER takes `text`/],
    ['OTHER with a template', { option_id: 'OTHER', text, template_id }, /takes `text`, not `template_id`/],
    ['a template with a text', { option_id: 'REQUEST_VARIANTS', template_id, text }, /takes `template_id`, not `text`/],
    [
      'the template of another',
      { option_id: 'REQUEST_VARIANTS', template_id },
      /takes the form "TEMPLATE___REQUEST_VAR/,
    ],
    [
      'the tenth template of another',
      { option_id: 'REQUEST_VARIANTS', template_id: 'TEMPLATE___OTHER___10' },
      /^Not sent: `template_id` of REQUEST_VARIANTS takes the form/,
    ],
    ['a promise without hours', { option_id: 'DELIVERY_PROMISE', template_id }, /`vars` is missing/],
    ['a promise with one hour', { option_id: 'DELIVERY_PROMISE', template_id, vars: [init] }, /once each/],
    ['the same hour twice', { option_id: 'DELIVERY_PROMISE', template_id, vars: [init, init] }, /once each/],
    [
      'the hours of another template',
      { ...deliveryPromise({ template: 2, from: 9, to: 13 }), template_id },
      /once each/,
    ],
    ['an hour of 25', deliveryPromise({ from: 9, to: 25 }), /hours from 0 to 24/],
    ['an option without an id', { option_id: '', text }, /`option_id` is empty/],
    ['351 characters', { option_id: 'OTHER', text: 'x'.repeat(351) }, /at most 350/],
  ])('%s', async (_, given, problem) => {
    const { sellerClient, pack_id } = createSale({ shipping: 'flex' });
    const failure = sellerClient.actionGuide.send({ pack_id, ...given } as SendOptionParams);
    await expect(failure).rejects.toBeInstanceOf(InvalidInputError);
    await expect(failure).rejects.toThrow(problem);
  });

  test('a wrong combination of fields does not compile', () => {
    type Given = SendOptionParams;
    expectTypeOf<{ pack_id: 1; option_id: 'OTHER'; text: string }>().toExtend<Given>();
    expectTypeOf<{ pack_id: 1; option_id: 'OTHER' }>().not.toExtend<Given>();
    expectTypeOf<{ pack_id: 1; option_id: 'OTHER'; text: string; template_id: string }>().not.toExtend<Given>();
    expectTypeOf<{ pack_id: 1; option_id: 'REQUEST_VARIANTS'; text: string }>().not.toExtend<Given>();
    expectTypeOf(templateId('REQUEST_VARIANTS', 1)).toEqualTypeOf<`TEMPLATE___REQUEST_VARIANTS___${number}`>();
    expect(templateVariableId(template_id, 'INIT')).toBe(init.id);
    expect(limit.value).toBe(13);
  });
});

goldenRequests<typeof endpoints.actionGuide>({
  options: {
    call: (client) => client.actionGuide.options({ pack_id: 2000000012345678 }),
    request: ['GET /messages/action_guide/packs/2000000012345678?tag=post_sale'],
  },
  caps: {
    call: (client) => client.actionGuide.caps({ pack_id: 2000000012345678 }),
    request: ['GET /messages/action_guide/packs/2000000012345678/caps_available?tag=post_sale'],
  },
  send: {
    call: (client) =>
      client.actionGuide.send({
        pack_id: 2000000012345678,
        option_id: 'DELIVERY_PROMISE',
        template_id: 'TEMPLATE___DELIVERY_PROMISE___1',
        vars: [
          { id: 'TEMPLATE___DELIVERY_PROMISE___1___VAR___INIT', value: 9 },
          { id: 'TEMPLATE___DELIVERY_PROMISE___1___VAR___LIMIT', value: 13 },
        ],
      }),
    request: [
      'POST /messages/action_guide/packs/2000000012345678/option?tag=post_sale',
      jsonBody,
      '',
      '{"option_id":"DELIVERY_PROMISE","template_id":"TEMPLATE___DELIVERY_PROMISE___1","vars":[' +
        '{"id":"TEMPLATE___DELIVERY_PROMISE___1___VAR___INIT","value":9},' +
        '{"id":"TEMPLATE___DELIVERY_PROMISE___1___VAR___LIMIT","value":13}]}',
    ],
  },
});
