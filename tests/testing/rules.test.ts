import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { arrange, marketplace, call as plainCall, serveMarketplace, tokens } from '../support/plain-http.ts';
import type { Call, Received } from '../support/plain-http.ts';

// What the fake accepts, and what it rejects. The whole responses to invalid requests are beside this file: golden/rejected.txt.

/** The fields that rules look at. */
interface Body {
  readonly id?: string;
  readonly results?: readonly { readonly total: number }[];
}

serveMarketplace();

const call = (line: string, given?: Call): Promise<Received<Body>> => plainCall<Body>(line, given);

const send = (extra: object = {}, without: readonly string[] = []): object => {
  const message = { from: { user_id: 1 }, to: { user_id: 2 }, text: 'Here it is', ...extra };
  return Object.fromEntries(Object.entries(message).filter(([name]) => !without.includes(name)));
};
const conversation = '/messages/packs/900/sellers/1?tag=post_sale';
const option = '/messages/action_guide/packs/900/option?tag=post_sale';
const upload = '/messages/attachments?tag=post_sale&site_id=MLA';
const delivery = '/shipping/flex/sites/MLA/users/1/services/77/configuration/delivery/custom/v3';
const zones = '/shipping/flex/sites/MLA/users/1/services/77/configuration/coverage/zone/v3';
const configuration = '/shipping/flex/sites/MLA/configuration/v3';
const question_id = 5_000_000_001;
const period = 'date_from=2026-03-01&date_to=2026-03-02';

function form(...files: [name: string, content: string | Uint8Array<ArrayBuffer>][]): FormData {
  const data = new FormData();
  for (const [name, content] of files) data.append('file', new Blob([content]), name);
  return data;
}

/** What is asked: the rest of the line, the account whose token is sent (by default the seller's), and the body. */
interface Asked extends Omit<Call, 'token'> {
  readonly line?: string;
  readonly as?: keyof typeof tokens | null;
}

/** A text is the message or, if it is one word, the code of an error. */
type Rule = [title: string, asked: string | Asked, status: number, body?: object | string];

/** Calls a line as each row says, and looks at the status, and at what the row names of the body. */
function testRules(start: string, rules: readonly Rule[]): void {
  const titled = rules.map(([title, asked, status, body]) => [`${title}: ${status}`, asked, status, body] as const);
  test.each(titled)('%s', async (_, asked, status, body) => {
    const { line = '', as = 'seller', ...rest } = typeof asked === 'string' ? { line: asked } : asked;
    const received = await call(start + line, { token: as && tokens[as], ...rest });
    const expected = typeof body === 'string' ? { [body.includes(' ') ? 'message' : 'error']: body } : body;
    expect(received).toMatchObject({ status, ...(expected && { body: expected }) });
  });
}

describe('authentication', () => {
  test.each([
    ['Bearer in lower case', 'bearer %s', 200],
    ['without Bearer', '%s', 401],
    ['of another scheme', 'Basic %s', 401],
  ])('a token %s: %s is %i', async (_, given, status) => {
    const headers = { authorization: given.replace('%s', tokens.seller) };
    expect((await call('GET /currencies', { token: null, headers })).status).toBe(status);
  });

  testRules(`POST ${conversation}`, [
    [
      'a message with a token without application',
      { as: 'noApplication', body: send() },
      400,
      'Application id is required',
    ],
  ]);

  testRules('', [
    ['a pack of others', { line: 'GET /messages/action_guide/packs/900?tag=post_sale', as: 'stranger' }, 403],
  ]);

  test('an expired token is 401', async () => {
    marketplace.accounts.expireToken(tokens.seller);
    expect(await call('GET /currencies')).toMatchObject({
      status: 401,
      body: { message: expect.stringContaining('expired') as unknown },
    });
  });
});

describe('questions', () => {
  const ask = { item_id: 'MLA1', text: 'In blue?' };
  testRules('GET /questions/search', [
    ['a search by seller and by item', '?seller_id=1&item=MLA1', 400],
    ['from without an item', '?seller_id=1&from=2', 400],
    ['a search by item and asker finds the question', '?item_id=MLA1&from=2', 200, { total: 1 }],
    ['an unknown query parameter is ignored', '?seller_id=1&x=1', 200, { total: 1 }],
  ]);

  testRules('POST /questions', [
    ['a question is created', { as: 'buyer', body: ask }, 201],
    ['an unknown field of a question is ignored', { as: 'buyer', body: { ...ask, x: 1 } }, 201],
    ['a question without text', { as: 'buyer', body: { item_id: 'MLA1' } }, 400],
    ['a question of 2001 characters', { as: 'buyer', body: { ...ask, text: 'x'.repeat(2001) } }, 400],
    ['a question of 2000 characters is accepted', { as: 'buyer', body: { ...ask, text: 'x'.repeat(2000) } }, 201],
    ['a question about a paused item', { as: 'buyer', body: { ...ask, item_id: 'MLA2' } }, 400, 'not_active_item'],
    ['a question about the own item', { body: ask }, 403],
  ]);

  testRules('POST /answers', [
    ['an answer with an unknown field', { body: { question_id, text: 'Yes', x: 1 } }, 400, 'invalid_post_body'],
    ['half an id', { body: { question_id: 1.5, text: 'Yes' } }, 400, 'invalid_question'],
    ['an answer of 2001 characters', { body: { question_id, text: 'x'.repeat(2001) } }, 400],
    [
      'a question_id that is a string',
      { body: { question_id: String(question_id), text: 'Yes' } },
      400,
      'invalid_question',
    ],
    ['an unknown question_id', { body: { question_id: 1, text: 'Yes' } }, 400, 'invalid_question'],
    ['an answer to a question of another seller', { as: 'stranger', body: { question_id, text: 'Yes' } }, 403],
    ['an answer is accepted', { body: { question_id, text: 'Yes' } }, 200],
  ]);

  testRules('DELETE /questions/5000000001', [
    ['a question of another seller cannot be deleted', { as: 'stranger' }, 403],
    ['deleting returns a list with one string', '', 200, [expect.any(String) as string]],
  ]);

  testRules('', [
    ['a blocked user must be an integer', { line: 'POST /users/1/questions_blacklist', body: { user_id: '2' } }, 400],
    ['the blacklist of another seller', { line: 'GET /users/1/questions_blacklist', as: 'buyer' }, 403],
  ]);

  test('a question takes one answer', async () => {
    const body = { question_id, text: 'Yes' };
    await call('POST /answers', { body });
    expect(await call('POST /answers', { body })).toMatchObject({
      status: 400,
      body: { error: 'not_unanswered_question' },
    });
    arrange({ follow: 'documents' });
    await call('POST /answers', { body });
    expect(await call('POST /answers', { body })).toMatchObject({ status: 400, body: { error: 'invalid_question' } });
  });
});

describe('messages', () => {
  testRules(`GET ${conversation}`, [
    ['a conversation of others', { as: 'stranger' }, 403],
    [
      'a conversation names its length limits',
      '',
      200,
      { seller_max_message_length: 350, buyer_max_message_length: 3500, paging: { total: 1, offset: 0, limit: 10 } },
    ],
  ]);

  testRules(`POST ${conversation}`, [
    ['a message is created', { body: send() }, 200],
    ['an unknown field of a message is ignored', { body: send({ x: 1 }) }, 200],
    ['a message without to', { body: send({}, ['to']) }, 400, 'to.user_id is missing'],
    ['a sender outside of the order', { as: 'stranger', body: send({ from: { user_id: 3 } }) }, 403],
    ['a sender who is not the caller', { body: send({ from: { user_id: 3 } }) }, 403],
    ['a text of 350 characters is accepted', { body: send({ text: 'x'.repeat(350) }) }, 200],
    ['a text with unsupported characters', { body: send({ text: 'Привет' }) }, 400],
    ['a text with an emoji is accepted', { body: send({ text: 'Olá 👋' }) }, 200],
    ['26 attachments', { body: send({ attachments: Array.from({ length: 26 }, String) }) }, 400],
    ['an x-client-id of another application', { headers: { 'x-client-id': '501' }, body: send() }, 400],
    ['an x-client-id that is no integer', { headers: { 'x-client-id': 'me' }, body: send() }, 400],
  ]);

  test.each<[to: object, message: string]>([
    [{ user_id: 0, email: 'a@b.c' }, 'to.email is not a secure email'],
    [{ user_id: 0, email: 'a@mail.example.com' }, 'to.resource is missing'],
    [{ user_id: 0, email: 'a@mail.example.com', resource: 'orders' }, 'to.site_id is missing'],
    [{ user_id: 2, resource: 7 }, 'to.resource is invalid'],
    [{ user_id: 2, site_id: 'Mars' }, 'to.site_id is invalid'],
  ])('a message to %j is 400: %s', async (to, message) => {
    expect(await call(`POST ${conversation}`, { body: send({ to }) })).toMatchObject({
      status: 400,
      body: { message },
    });
  });

  testRules('', [
    ['the own application_id is accepted', { line: `POST ${conversation}&application_id=500`, body: send() }, 200],
    ['another application_id', { line: `POST ${conversation}&application_id=501`, body: send() }, 400],
  ]);

  test('the documents ask for the tag only where they name it', async () => {
    arrange({ follow: 'documents' });
    expect(await call('GET /messages/packs/900/sellers/1')).toMatchObject({
      status: 200,
      body: { paging: { limit: 50 } },
    });
    expect((await call('POST /messages/packs/900/sellers/1', { body: send() })).status).toBe(404);
  });

  test('a message that storage does not have yet is 404', async () => {
    marketplace.messages.isUnavailable = true;
    expect((await call('GET /messages/1?tag=post_sale')).status).toBe(404);
  });
});

describe('attachments', () => {
  const download = (id: string): string => `GET /messages/attachments/${id}?tag=post_sale&site_id=MLA`;

  const inName = { message: 'The file name contains / or \\' };
  testRules(`POST ${upload}`, [
    [
      'a file is stored with 201',
      { body: form(['a.pdf', 'x']) },
      201,
      { id: expect.stringMatching(/\.pdf$/) as unknown },
    ],
    ['an empty file', { body: form(['a.pdf', '']) }, 400, 'The file is empty'],
    ['an upload without a file', { body: form() }, 400, 'The file is empty'],
    ['two files', { body: form(['a.pdf', 'x'], ['b.pdf', 'y']) }, 400],
    ['a name with a slash', { body: form(['a/b.pdf', 'x']) }, 400, inName],
    [String.raw`a name with a backslash is 400`, { body: form([String.raw`a\b.pdf`, 'x']) }, 400, inName],
  ]);

  testRules('', [
    [
      'an upload without site_id',
      { line: 'POST /messages/attachments?tag=post_sale', body: form(['a.pdf', 'x']) },
      400,
      'The site_id query parameter is missing',
    ],
    ['a download without site_id', 'GET /messages/attachments/x?tag=post_sale', 400],
  ]);

  test('a file can be downloaded by those who see its message', async () => {
    const { body } = await call(`POST ${upload}`, { body: form(['a.txt', 'content']) });
    const id = String(body.id);
    const statuses = async () => {
      const of = async (token: string): Promise<number> => (await call(download(id), { token })).status;
      return { seller: await of(tokens.seller), buyer: await of(tokens.buyer), stranger: await of(tokens.stranger) };
    };
    expect(await statuses()).toEqual({ seller: 200, buyer: 403, stranger: 403 });
    await call(`POST ${conversation}`, { body: send({ text: 'See a@b.com', attachments: [id] }) });
    expect(await statuses()).toEqual({ seller: 200, buyer: 403, stranger: 403 });
    await call(`POST ${conversation}`, { body: send({ attachments: [id] }) });
    expect(await statuses()).toEqual({ seller: 200, buyer: 200, stranger: 403 });
  });
});

describe('the action guide', () => {
  const hours = (init: unknown, limit: unknown) => [
    { id: 'TEMPLATE___DELIVERY_PROMISE___1___VAR___INIT', value: init },
    { id: 'TEMPLATE___DELIVERY_PROMISE___1___VAR___LIMIT', value: limit },
  ];
  const promise = { option_id: 'DELIVERY_PROMISE', template_id: 'TEMPLATE___DELIVERY_PROMISE___1' };
  testRules(`POST ${option}`, [
    [
      'an option of another shipping mode',
      { body: { option_id: 'REQUEST_VARIANTS', template_id: 'TEMPLATE___REQUEST_VARIANTS___1' } },
      404,
    ],
    [
      'an unknown template is named',
      { body: { option_id: 'REQUEST_BILLING_INFO', template_id: 'TEMPLATE___REQUEST_BILLING_INFO___9' } },
      400,
      'The template TEMPLATE___REQUEST_BILLING_INFO___9 is invalid',
    ],
    ['a missing template', { body: { option_id: 'REQUEST_BILLING_INFO' } }, 400, 'The template is invalid'],
    ['missing variables', { body: promise }, 400],
    ['variables that are strings', { body: { ...promise, vars: hours('9', '13') } }, 400],
    [
      'a delivery promise is accepted',
      { body: { ...promise, vars: hours(9, 13) } },
      200,
      { text: expect.stringContaining('9 to 13') as unknown },
    ],
  ]);

  test('the cap of an option may be larger', async () => {
    const other = () => call(`POST ${option}`, { body: { option_id: 'OTHER', text: 'Hello' } });
    arrange({ settings: { capPerOption: 2 } });
    expect([(await other()).status, (await other()).status, (await other()).status]).toEqual([200, 200, 403]);
  });

  test('of four options at once, one is accepted and the others are 409', async () => {
    // The option is in progress until the others have their responses, however slow the machine is.
    const progress = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(progress.signal);
    onTestFinished(() => timeout.mockRestore());
    const statuses: number[] = [];
    const calls = Array.from({ length: 4 }, async () => {
      const { status } = await call(`POST ${option}`, { body: { option_id: 'OTHER', text: 'Hi' } });
      if (statuses.push(status) === 3) progress.abort();
    });
    await Promise.all(calls);
    expect(statuses).toEqual([409, 409, 409, 200]);
  });

  test('the fake timers of a test do not stop an option', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    expect((await call(`POST ${option}`, { body: { option_id: 'OTHER', text: 'Hi' } })).status).toBe(200);
  });

  test('the response to an option is reduced by the live service only', async () => {
    const body = { option_id: 'OTHER', text: 'Hello' };
    expect((await call(`POST ${option}`, { body })).body).not.toHaveProperty('from');
    arrange({ follow: 'documents' });
    expect((await call(`POST ${option}`, { body })).body).toMatchObject({
      from: { user_id: 1 },
      to: { user_id: 2, name: 'USER2' },
      site_id: 'MLA',
      subject: null,
    });
  });
});

describe('Flex', () => {
  const query = '{configuration(user_id:1,service_id:77){delivery_window}}';
  const range = { from: 9, to: 18, capacity: 10, cutoff: 12 };
  const ranges = (change: object) => ({ delivery_ranges: { week: [{ ...range, ...change }] } });
  const item = '/sites/MLA/shipping/selfservice/items/MLA1';
  testRules(`POST ${configuration}`, [
    ['a query is answered', { body: { query } }, 200, { configuration: { delivery_window: 'same_day' } }],
    [
      'a query may carry variables',
      {
        body: {
          query: 'query Q($id: Integer!) {configuration(user_id:$id,service_id:77){delivery_window}}',
          variables: { id: 1 },
          operationName: 'Q',
        },
      },
      200,
    ],
    ['a body that is not JSON', { body: '{' }, 400, 'invalid JSON body'],
    ['a query for an unknown service', { body: { query: query.replace('77', '1') } }, 404],
  ]);

  testRules(`PUT ${delivery}`, [
    ['settings that are not JSON', { body: '{' }, 400, 'invalid JSON body'],
    ['settings without a body', '', 400, 'invalid JSON body'],
    ['settings of others', { as: 'stranger', body: {} }, 403],
    ['an hour that is a string', { body: ranges({ from: '9' }) }, 400],
    ['a range may end past midnight', { body: ranges({ from: 20 }) }, 200],
    ['settings are saved', { body: ranges({}) }, 200],
  ]);

  testRules(`PUT ${zones}`, [
    ['zones are added', { body: { zones: [{ id: 'MLA-2' }] } }, 200],
    ['an unknown zone', { body: { zones: [{ id: 'MLA-99' }] } }, 400],
    ['a zone id that is a number', { body: { zones: [{ id: 2 }] } }, 400],
  ]);

  testRules(`POST ${item}`, [
    ['an item is enabled', '', 204],
    ['an item of another seller', { as: 'stranger' }, 403],
  ]);

  testRules('', [
    ['an empty site', 'GET /shipping/flex/sites//users/1/subscriptions/v1', 400, 'empty site id'],
    [
      'the subscriptions of others are 400',
      { line: 'GET /shipping/flex/sites/MLA/users/1/subscriptions/v1', as: 'buyer' },
      400,
      "can't access to resource",
    ],
    [
      'a query on an empty site',
      { line: 'POST /shipping/flex/sites//configuration/v3', body: { query } },
      400,
      'empty site id',
    ],
    [
      'a user_id that is no integer',
      { line: `PUT ${delivery.replace('users/1', 'users/me')}`, body: {} },
      400,
      'invalid user_id',
    ],
    [
      'a service_id that is no integer',
      { line: `PUT ${zones.replace('/77', '/x')}`, body: {} },
      400,
      'invalid service_id',
    ],
    [
      'settings of an unknown service are 404',
      { line: `PUT ${delivery.replace('/77', '/99')}`, body: {} },
      404,
      "can't update delivery custom",
    ],
    ['an item outside of Flex', `GET ${item}`, 404, 'item not found'],
    ['a paused item cannot be enabled', `POST ${item.replace('MLA1', 'MLA2')}`, 403, 'item down'],
    ['an unknown item', `POST ${item.replace('MLA1', 'MLA9')}`, 404],
  ]);

  test('an item of a seller without a subscription is down', async () => {
    marketplace.addItem({ item_id: 'MLA3', seller_id: 3 });
    const path = `POST ${item.replace('MLA1', 'MLA3')}`;
    expect(await call(path, { token: tokens.stranger })).toMatchObject({ status: 403, body: { message: 'item down' } });
  });

  test('a driver is shown to the seller of the shipment only', async () => {
    const shipment = marketplace.flex.ship({ user_id: 1 });
    const path = `GET /flex/sites/MLA/shipments/${shipment}/assignment/v1`;
    expect((await call(path)).status).toBe(404);
    marketplace.flex.assignDriver(shipment, 55);
    expect(await call(path)).toMatchObject({ status: 200, body: { driver_id: 55 } });
    expect((await call(path, { token: tokens.buyer })).status).toBe(403);
  });
});

describe('contact metrics', () => {
  testRules('GET /items/MLA1/contacts/questions', [
    ['the dates must be in order', '?date_from=2026-03-02&date_to=2026-03-01', 400],
  ]);

  testRules('GET /users/1/contacts/phone_views', [
    ['a user total has a user_id of type string', `?${period}`, 200, { user_id: '1', total: 0 }],
    [
      'a window has one entry per interval',
      '/time_window?last=3&unit=hour',
      200,
      { last: 3, unit: 'hour', results: [{}, {}, {}] },
    ],
  ]);

  testRules('GET /items/MLA1/contacts/questions/time_window', [
    ['a window needs a unit', '?last=2', 400],
    ['a unit is day or hour', '?last=2&unit=week', 400],
    ['last must be an integer', '?last=x&unit=day', 400],
    ['last has a maximum', '?last=100000000&unit=day', 400, 'last must be at most 1000'],
    ['order is asc or desc', '?last=2&unit=day&order=up', 400],
    ['limit shortens a window of one item', '?last=3&unit=day&limit=2', 200, { results: [{}, {}] }],
  ]);

  testRules('GET /items/contacts/phone_views/time_window', [
    [
      'limit shortens the list of items',
      '?ids=MLA1,MLA2&last=3&unit=day&limit=1',
      200,
      [{ item_id: 'MLA1', results: [{}, {}, {}] }],
    ],
    ['offset skips items', '?ids=MLA1,MLA2&last=1&unit=day&offset=1', 200, [{ item_id: 'MLA2' }]],
    ['a window of items needs ids', '?last=1&unit=day', 400],
  ]);

  testRules('', [
    [
      'an item total names the item',
      `GET /items/MLA1/contacts/phone_views?${period}`,
      200,
      { item_id: 'MLA1', total: 0, date_from: '2026-03-01' },
    ],
  ]);

  test('the days of a window can be those of the site', async () => {
    marketplace.viewPhone({ item_id: 'MLA1' }, { at: '2026-03-02T01:00:00Z', times: 4 });
    const path = 'GET /items/MLA1/contacts/phone_views/time_window?last=2&unit=day';
    expect((await call(path)).body.results?.map(({ total }) => total)).toEqual([0, 4]);
    marketplace.settings.contactTimeZone = 'site';
    expect((await call(path)).body.results?.map(({ total }) => total)).toEqual([4, 0]);
  });

  // The clocks of Chile were set back at the end of 4 April 2026, and are set forward at the end of 5 September.
  test.each([
    ['2026-04-07T12:00:00Z', 5, ['2026-04-03T03:30:00Z', '2026-04-04T02:30:00Z'], [2, 0, 0, 0, 0]],
    ['2026-04-05T12:00:00Z', 2, ['2026-04-05T03:30:00Z', '2026-04-05T04:00:00Z'], [1, 1]],
    ['2026-09-06T12:00:00Z', 2, ['2026-09-06T03:59:59Z', '2026-09-06T04:00:00Z'], [1, 1]],
    ['2026-09-08T12:00:00Z', 4, ['2026-09-05T04:00:00Z', '2026-09-07T03:00:00Z'], [1, 0, 1, 0]],
  ])('a day of a site has its own offset: until %s', async (ending, last, views, totals) => {
    marketplace.settings.contactTimeZone = 'site';
    const { user_id: seller_id } = marketplace.addUser({ site_id: 'MLC' });
    const item = marketplace.addItem({ seller_id, item_id: 'MLC1', site_id: 'MLC' });
    for (const at of views) marketplace.viewPhone(item, { at });
    const path = `GET /items/MLC1/contacts/phone_views/time_window?last=${last}&unit=day&ending=${ending}`;
    expect((await call(path)).body.results?.map(({ total }) => total)).toEqual(totals);
  });

  test.each(['2026-02-30', '2026-02-30T10:00:00Z', '2026-13-01', '2026-04-31 10:00'])(
    'a day that does not exist is 400: %s',
    async (day) => {
      const date = encodeURIComponent(day);
      const path = 'GET /items/MLA1/contacts/phone_views';
      expect(await call(`${path}?date_from=${date}&date_to=2026-05-01`)).toMatchObject({ status: 400 });
      expect(await call(`${path}?date_from=2026-01-01&date_to=${date}`)).toMatchObject({ status: 400 });
      expect(await call(`${path}/time_window?last=1&unit=day&ending=${date}`)).toMatchObject({ status: 400 });
    },
  );
});

describe('common conventions', () => {
  testRules('', [
    [
      'the status of items is read with GET',
      'GET /items?ids=MLA1,MLA9&attributes=status',
      200,
      [{ code: 200, body: { status: 'active' } }, { code: 404 }],
    ],
    ['the status of items is read with PUT too', 'PUT /items?ids=MLA1&attributes=status', 200],
  ]);

  test('JSONP keeps its status 200 under an injected fault', async () => {
    marketplace.faults.inject({ status: 503, body: { message: 'Down' } });
    const received = await call('GET /currencies?callback=show');
    expect(received).toMatchObject({ status: 200, body: expect.stringMatching(/^show\(\[503,.*"Down"/) as unknown });
  });

  test('the documents show items as bare objects', async () => {
    arrange({ follow: 'documents' });
    expect((await call('PUT /items?ids=MLA1&attributes=status')).body).toEqual([{ status: 'active' }]);
  });

  test('a browser is allowed to call when settings.cors is on', async () => {
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'GET' };
    expect((await call('GET /currencies', { headers })).headers.get('access-control-allow-origin')).toBeNull();
    marketplace.settings.cors = true;
    expect((await call('GET /currencies', { headers })).headers.get('access-control-allow-origin')).toBe(
      headers.origin,
    );
    expect(await call('OPTIONS /currencies', { headers, token: null })).toMatchObject({ status: 204 });
  });
});
