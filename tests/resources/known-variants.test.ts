import { InvalidInputError, moderationOf } from 'marketplace-seller-sdk';
import type { Drift, SellerClient } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { errorOf, stubbed } from '../support/stubs.ts';

const whose = { site_id: 'MLA', user_id: 7, service_id: 1 };

// Other words with the documented status: wordings.test.ts.
describe('an error with another status, or at another endpoint, than its row has its class', () => {
  const options = (client: SellerClient) => client.actionGuide.options({ pack_id: 1 });
  const ask = (client: SellerClient) => client.questions.ask({ item_id: 'MLA1', text: 'Hello?' });
  const send = (client: SellerClient) =>
    client.messages.send({ pack_id: 1, user_id: 7, to: { user_id: 31 }, text: 'Hello' });
  const upload = (client: SellerClient) =>
    client.messages.upload({ site_id: 'MLA', file: new Uint8Array(1), filename: 'a.pdf' });
  const subscriptions = (client: SellerClient) => client.flex.subscriptions({ site_id: 'MLA', user_id: 7 });
  const configuration = (client: SellerClient) => client.flex.configuration(whose);

  test.each<[string, number, object, (client: SellerClient) => PromiseLike<unknown>]>([
    ['ExceptedCaseError', 403, { error: 'forbidden', message: 'no', cause: 'blocked_by_excepted_case' }, options],
    ['AskLimitError', 403, { error: 'user_ask_limit', message: 'Too many questions' }, ask],
    ['InvalidQueryError', 400, { errors: [{ message: 'Cannot query field "colour"' }] }, configuration],
    ['TooManyAttachmentsError', 400, { message: 'more than 25 attachments on a message' }, upload],
    ['AttachmentNotFoundError', 400, { message: 'The file does not exist' }, send],
    ['AttachmentNotFoundError', 404, { message: 'file_not_found' }, send],
    ['ResourceAccessError', 403, { message: "can't access to resource" }, subscriptions],
    ['NotFoundError', 404, { message: 'Not found in the profile service' }, send],
    ['BadRequestError', 400, { message: 'The attachments must be delimited' }, send],
  ])('%s: %i with %j', async (name, status, body, call) => {
    const { sellerClient } = stubbed([Response.json(body, { status })], { maxRetries: 0 });
    expect(await errorOf(call(sellerClient))).toMatchObject({ name, status });
  });
});

describe('filters', () => {
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
