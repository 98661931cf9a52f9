import {
  AskLimitError,
  BadRequestError,
  ExceptedCaseError,
  InvalidInputError,
  InvalidQueryError,
  InvalidServiceIdError,
  InvalidUserIdError,
  MessageNotFoundError,
  ResourceAccessError,
  TooManyAttachmentsError,
  UserNotFoundError,
  moderationOf,
} from 'marketplace-seller-sdk';
import type { Drift, SellerClient } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { errorOf, stubbed } from '../support/stubs.ts';

const whose = { site_id: 'MLA', user_id: 7, service_id: 1 };

describe('an error in another wording or status', () => {
  const json = (status: number, body: object): Response => Response.json(body, { status });

  test.each<[string, Response, typeof BadRequestError | typeof UserNotFoundError, (client: SellerClient) => unknown]>([
    [
      'an excepted case with 403',
      json(403, { error: 'forbidden', message: 'no', cause: 'blocked_by_excepted_case' }),
      ExceptedCaseError,
      (client) => client.actionGuide.options({ pack_id: 1 }),
    ],
    [
      'user_ask_limit with 403',
      json(403, { error: 'user_ask_limit', message: 'Too many questions' }),
      AskLimitError,
      (client) => client.questions.ask({ item_id: 'MLA1', text: 'Hello?' }),
    ],
    [
      'a message that does not exist',
      json(400, { error: 'bad_request', message: 'The message id does not exist' }),
      MessageNotFoundError,
      (client) => client.messages.get({ message_id: 'a' }),
    ],
    [
      'an invalid query in a list of errors',
      json(400, { errors: [{ message: 'Cannot query field "colour"' }] }),
      InvalidQueryError,
      (client) => client.flex.configuration(whose),
    ],
    [
      'a missing user in an error object',
      json(404, { error: { message: 'user not found' } }),
      UserNotFoundError,
      (client) => client.flex.configuration(whose),
    ],
    [
      'no access to the resource',
      json(400, { message: "can't access to resource" }),
      ResourceAccessError,
      (client) => client.flex.subscriptions({ site_id: 'MLA', user_id: 7 }),
    ],
    [
      'an invalid user id',
      json(400, { message: 'invalid user_id' }),
      InvalidUserIdError,
      (client) => client.flex.addZones({ ...whose, zones: [{ id: 'z' }] }),
    ],
    [
      'an invalid service id',
      json(400, { message: 'invalid service_id' }),
      InvalidServiceIdError,
      (client) => client.flex.addZones({ ...whose, zones: [{ id: 'z' }] }),
    ],
    [
      'too many attachments on an upload',
      json(400, { message: 'more than 25 attachments on a message' }),
      TooManyAttachmentsError,
      (client) => client.messages.upload({ site_id: 'MLA', file: new Uint8Array(1), filename: 'a.pdf' }),
    ],
  ])('%s has its class', async (_, response, Class, call) => {
    const { sellerClient } = stubbed([response], { maxRetries: 0 });
    expect(await errorOf(call(sellerClient) as PromiseLike<unknown>)).toBeInstanceOf(Class);
  });

  const send = (client: SellerClient): PromiseLike<unknown> =>
    client.messages.send({ pack_id: 1, user_id: 7, to: { user_id: 31 }, text: 'Hello' });
  const upload = (client: SellerClient): PromiseLike<unknown> =>
    client.messages.upload({ site_id: 'MLA', file: new Uint8Array(1), filename: 'a.pdf' });
  const item = { site_id: 'MLA', item_id: 'MLA1' };

  test.each<[string, number, string, (client: SellerClient) => PromiseLike<unknown>]>([
    ['BadRequestError', 400, 'The buyer profile is not valid', send],
    ['NotFoundError', 404, 'Not found in the profile service', send],
    ['AttachmentNotFoundError', 400, 'The file does not exist', send],
    ['AttachmentNotFoundError', 404, 'file_not_found', send],
    ['AttachmentNotFoundError', 422, 'Attachments expired', send],
    ['BadRequestError', 400, 'The context exceeds the quota', send],
    ['TextTooLongError', 400, 'text_length exceeds the limit', send],
    ['BadRequestError', 400, 'The item has unsupported characteristics', send],
    ['UnsupportedCharactersError', 400, 'Unsupported characters', send],
    ['ForbiddenError', 403, 'A remediation is pending', send],
    ['MediationInProcessError', 403, 'in_mediation', send],
    ['ForbiddenError', 403, 'In the casino access is suspended', send],
    ['ForbiddenError', 403, 'Not for accessories', send],
    ['PackAccessError', 403, 'The user cannot access the order', send],
    ['BadRequestError', 400, 'The attachments must be delimited', send],
    ['TooManyAttachmentsError', 400, 'attachments over the max_limit', send],
    ['PackAccessError', 403, 'The user has no write_access', send],
    ['BadRequestError', 400, 'The website_id is wrong', upload],
    ['SiteMissingError', 400, 'site_id is missing', upload],
    ['BadRequestError', 400, 'The profile name is wrong', upload],
    ['InvalidFileNameError', 400, 'invalid_file_name', upload],
    ['ServerError', 500, 'The profile service failed', upload],
    ['FileStorageError', 500, 'The file was not saved', upload],
    ['BadRequestError', 400, 'Invalid idempotency key', (client) => client.messages.get({ message_id: 'a' })],
    ['MessageNotFoundError', 400, 'Invalid message_id', (client) => client.messages.get({ message_id: 'a' })],
    ['ForbiddenError', 403, 'The item has no download', (client) => client.flex.items.enable(item)],
    ['ItemDownError', 403, 'item_down', (client) => client.flex.items.enable(item)],
    ['BadRequestError', 400, 'The item is already in flexible shipping', (client) => client.flex.items.enable(item)],
    ['BadRequestError', 400, 'The item is not in flexible shipping', (client) => client.flex.items.disable(item)],
    ['NotInFlexError', 400, 'The item is not in Flex', (client) => client.flex.items.disable(item)],
    [
      'NotFoundError',
      404,
      'A significant update is under way',
      (client) => client.flex.addZones({ ...whose, zones: [{ id: 'z' }] }),
    ],
    [
      'BadRequestError',
      400,
      'A significant access of the network failed',
      (client) => client.flex.subscriptions({ site_id: 'MLA', user_id: 7 }),
    ],
  ])('%s: a %d with "%s"', async (name, status, message, call) => {
    const { sellerClient } = stubbed([json(status, { message, status })], { maxRetries: 0 });
    expect(await errorOf(call(sellerClient))).toMatchObject({ name, status });
  });

  test('a 400 on a message by id that says something else is no missing message', async () => {
    const { sellerClient } = stubbed([json(400, { message: 'tag is required' })]);
    const error = await errorOf(sellerClient.messages.get({ message_id: 'a' }));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).not.toBeInstanceOf(MessageNotFoundError);
  });
});

describe('filters', () => {
  test('a Date is sent as ISO 8601, a list with commas', async () => {
    const { sellerClient, sent } = stubbed([Response.json({ questions: [] })]);
    const filters = { status: 'UNANSWERED', since: new Date(0), tags: ['a', 1, true], none: null } as const;
    await sellerClient.questions.search({ seller_id: 7, filters }).first();
    const { searchParams } = new URL(sent[0]!.url);
    expect(Object.fromEntries(searchParams)).toEqual({
      seller_id: '7',
      status: 'UNANSWERED',
      since: '1970-01-01T00:00:00.000Z',
      tags: 'a,1,true',
    });
  });

  test.each([
    ['an object', { range: { from: 1 } }, 'filters.range'],
    ['a bigint', { id: 1n }, 'filters.id'],
    ['a function', { id: () => 1 }, 'filters.id'],
    ['a symbol', { id: Symbol('x') }, 'filters.id'],
    ['an invalid Date', { since: new Date(Number.NaN) }, 'filters.since'],
    ['an object in a list', { ids: [1, {}] }, 'filters.ids'],
    ['an empty list', { status: [] }, 'filters.status'],
    ['an empty text in a list', { status: ['ANSWERED', ''] }, 'filters.status'],
  ])('%s is rejected with its path, before anything is sent', async (_, filters, path) => {
    const { sellerClient, sent } = stubbed([Response.json({ questions: [] })]);
    const error = await errorOf<InvalidInputError>(sellerClient.questions.search({ seller_id: 7, filters }).first());
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.issues[0]?.path.join('.')).toBe(path);
    expect(sent).toEqual([]);
  });
});

test('an unknown field of a search points to `filters`', async () => {
  const { sellerClient, sent } = stubbed([Response.json({ questions: [] })]);
  const search = { seller_id: 7, status: 'UNANSWERED' } as { seller_id: number };
  await expect(sellerClient.questions.search(search).first()).rejects.toThrow(
    'Not sent: `status` is not a field here; give it in `filters`',
  );
  expect(sent).toEqual([]);
});

test('a JSONP callback in the option `query` is rejected before anything is sent', async () => {
  const { sellerClient, sent } = stubbed([Response.json({ id: 42 })]);
  const call = sellerClient.questions.get({ question_id: 42 }, { query: { callback: 'read' } });
  await expect(call).rejects.toThrow('`query` has `callback`, which makes the response JSONP');
  expect(sent).toEqual([]);
});

test('an undefined value in the option `query` is left out', async () => {
  const { sellerClient, sent } = stubbed([Response.json({ id: 42 })]);
  const query = { page: undefined, size: 2 } as unknown as { size: number };
  await sellerClient.questions.get({ question_id: 42 }, { query });
  expect(new URL(sent[0]!.url).search).toBe('?size=2');
});

describe('what the specification leaves open is sent', () => {
  const sentBody = async (call: (client: SellerClient) => PromiseLike<unknown>): Promise<unknown> => {
    const { sellerClient, sent } = stubbed([Response.json({ id: 'a' })]);
    await call(sellerClient);
    return sent[0]!.method === 'GET' ? new URL(sent[0]!.url).search : sent[0]!.json();
  };

  test('an option that the service has added since, and a template of another form', async () => {
    const later = { option_id: 'RETURN_LABEL', template_id: 'T1', text: 'Hello' };
    expect(await sentBody((client) => client.actionGuide.send({ pack_id: 1, ...later }))).toEqual(later);
    const known = { option_id: 'REQUEST_VARIANTS', template_id: 'variants-2' } as const;
    expect(await sentBody((client) => client.actionGuide.send({ pack_id: 1, ...known }))).toEqual(known);
  });

  test('an option with any text, and delivery hours past midnight', async () => {
    const dash = { option_id: 'OTHER', text: 'Mañana – 10 €' } as const;
    expect(await sentBody((client) => client.actionGuide.send({ pack_id: 1, ...dash }))).toEqual(dash);
    const week = [{ from: 22, to: 2, capacity: 5, cutoff: 20 }];
    const delivery_ranges = { week };
    expect(await sentBody((client) => client.flex.setDelivery({ ...whose, delivery_ranges }))).toEqual({
      delivery_ranges,
    });
  });

  test('a total with limit and offset, and a driver with attributes', async () => {
    const period = { item_id: 'MLA1', date_from: '2026-03-01', date_to: '2026-03-02', limit: 5, offset: 5 };
    const { sellerClient, sent } = stubbed([Response.json({ total: 1, driver_id: 5 })]);
    await sellerClient.contacts.questions.ofItem(period);
    expect(new URL(sent[0]!.url).search).toContain('limit=5&offset=5');
    const driver = sellerClient.flex.driver({ site_id: 'MLA', shipment_id: 1 }, { attributes: ['driver_id'] });
    expect(await driver).toEqual({ driver_id: 5 });
  });

  test('the default query of a configuration does not ask for neighborhoods, whose fields are not documented', async () => {
    const { sellerClient, sent } = stubbed([Response.json({ configuration: { is_moderated: false } })]);
    await sellerClient.flex.configuration(whose);
    const { query } = (await sent[0]!.json()) as { query: string };
    expect(query).toContain('zones{id label');
    expect(query).not.toContain('neighborhoods');
  });
});

describe('a response in another shape', () => {
  const rejected = { status: 'moderated', message_moderation: { status: 'rejected', reason: 'PERSONAL_DATA' } };

  test.each([
    ['the wrapped message', { messages: [{ id: 'a', ...rejected, message_attachments: '' }] }],
    ['the message', { id: 'a', ...rejected, to: 'buyer' }],
    ['the legacy message', { message_id: 'a', moderation: { status: 'rejected' }, attachments_validations: [] }],
  ])('a moderated message is noticed, also if a field of %s has another type', async (_, body) => {
    const drifts: string[] = [];
    const onDrift = ({ received }: Drift): void => void drifts.push(received);
    const { sellerClient } = stubbed([Response.json(body)], { onDrift });
    const sent = await sellerClient.messages.send({ pack_id: 1, user_id: 7, to: { user_id: 31 }, text: 'Hi' });
    expect([moderationOf(sent), sent?.id, drifts.length]).toEqual(['rejected', 'a', 1]);
  });

  test('an answered question and a total are read like documented ones, also if a field has another type', async () => {
    const { sellerClient } = stubbed([
      Response.json({ id: '5', seller_id: '7', from: {} }),
      Response.json({ total: '3', date_from: 5 }),
    ]);
    expect(await sellerClient.questions.answer({ question_id: 5, text: 'Yes' })).toMatchObject({ id: 5, seller_id: 7 });
    const period = { user_id: 7, date_from: '2026-03-01', date_to: '2026-03-02' };
    expect(await sellerClient.contacts.questions.ofUser(period)).toMatchObject({ total: 3 });
  });

  test.each([[null], [{ ok: true }], [['done']], ['done'], [{ id: {} }]])(
    'an undocumented response is delivered as it came: %j',
    async (body) => {
      const { sellerClient } = stubbed([Response.json(body)]);
      expect(await sellerClient.questions.answer({ question_id: 5, text: 'Yes' })).toEqual(body);
    },
  );

  test.each([
    ['null', null, []],
    ['nothing', undefined, []],
    ['an empty list', [], []],
    ['a bare list', [{ id: 'a' }], ['a']],
    ['results', { results: [{ id: 'a' }], paging: { total: 1 } }, ['a']],
    ['messages', { messages: [{ id: 'a' }], results: 'none' }, ['a']],
  ])('a conversation and a site search that come as %s', async (_, body, ids) => {
    const page = (list: unknown): Response => (list === undefined ? new Response(null) : Response.json(list));
    const conversation = stubbed([page(body), page(null)]).sellerClient.messages.conversation({
      pack_id: 1,
      user_id: 7,
    });
    expect((await conversation.toArray()).map(({ id }) => id)).toEqual(ids);
    const found = body && 'messages' in body ? { results: body.messages } : body;
    const search = stubbed([page(found), page(null)]).sellerClient.sites.search({ site_id: 'MLA', q: 'chair' });
    expect((await search.toArray()).map(({ id }) => id)).toEqual(ids);
  });

  test('a deletion without a body', async () => {
    const { sellerClient } = stubbed([new Response(null, { status: 204 })]);
    expect(await sellerClient.questions.delete({ question_id: 5 })).toBeUndefined();
  });

  test('a question window that comes as a list', async () => {
    const { sellerClient } = stubbed([Response.json([{ item_id: 'MLA1', total: 3 }])]);
    const window = sellerClient.contacts.questions.windowOfItem({ item_id: 'MLA1', last: 1, unit: 'day' });
    expect(await window).toEqual({ item_id: 'MLA1', total: 3 });
  });

  test('a legacy message to several receivers, with validations of any kind', async () => {
    const attachments_validations = { invalid_size: [{ id: 'f1' }] };
    const { sellerClient } = stubbed([
      Response.json({ message_id: 'a', to: [{ user_id: 1 }, { user_id: 2 }], attachments_validations }),
    ]);
    expect(await sellerClient.messages.get({ message_id: 'a' })).toMatchObject({
      to: { user_id: 1 },
      recipients: [{ user_id: 1 }, { user_id: 2 }],
      attachments_validations,
    });
  });
});

test.each([
  ['questions.search', 'sort_fields', { seller_id: 7, sort_fields: [] }],
  ['questions.search', 'sort_types', { seller_id: 7, sort_types: [] }],
])('%s: an empty `%s` is rejected, because it would be sent as an empty text', async (_, name, input) => {
  const { sellerClient, sent } = stubbed([Response.json({ questions: [] })]);
  const error = await errorOf<InvalidInputError>(sellerClient.questions.search(input).first());
  expect(error.issues).toMatchObject([{ path: [name] }]);
  expect(error.message).toContain(`\`${name}\` is an empty list`);
  expect(sent).toEqual([]);
});
