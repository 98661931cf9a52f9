import { inspect } from 'node:util';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import type { MarketplaceSettings } from 'marketplace-seller-sdk/testing';
import { expect, test } from 'vitest';
import { describeControls } from '../../src/testing/dashboard/control.js';
import { controls } from '../../src/testing/dashboard/controls.js';
import { snapshot } from '../../src/testing/dashboard/snapshot.js';
import { neighbours } from '../../src/testing/neighbours.js';
import { everyEndpoint } from '../support/every-endpoint.ts';
import { sample } from '../../src/testing/seed/schema.js';

// What the fake marketplace responds, as text beside this test. After a wanted change, run this file with `-u` and read the
// difference: it is what users of the fake will see.

const now = '2026-03-02T12:00:00.000Z';

function sampled(settings: Partial<MarketplaceSettings> = {}): FakeMarketplace {
  const marketplace = new FakeMarketplace({ now, settings: { liveFields: false, ...settings } });
  marketplace.seed(sample(Date.parse(now)));
  return marketplace;
}

const pack = '/messages/packs/2000000000000001/sellers/1001?tag=post_sale';
const guide = '/messages/action_guide/packs/2000000000000001';
const blacklist = '/users/1001/questions_blacklist';
const flex = '/shipping/flex/sites/MLA';
const delivery = `${flex}/users/1001/services/10001/configuration/delivery/custom/v3`;
const zones = `${flex}/users/1001/services/10001/configuration/coverage/zone/v3`;
const item = '/sites/MLA/shipping/selfservice/items';
const days = 'date_from=2026-03-01T00:00:00.000Z&date_to=2026-03-02T23:59:59.000Z';
const week = 'last=2&unit=day';

const lines = (text: string): string[] => text.trim().split(/\n\s*/);

const reads = lines(`
  GET /questions/search?seller_id=1001
  GET /questions/search?item=MLA600000001&sort_fields=date_created&sort_types=DESC
  GET /questions/search?seller_id=1001&status=UNANSWERED&limit=1&offset=1
  GET /questions/5000000001?api_version=4
  GET /users/1001/questions/response_time
  GET ${blacklist}
  GET ${pack}
  GET ${pack}&limit=1&offset=1&mark_as_read=false
  GET /messages/unread?role=seller&tag=post_sale
  GET ${guide}?tag=post_sale
  GET ${guide}/caps_available?tag=post_sale
  GET ${flex}/users/1001/subscriptions/v1
  GET ${item}/MLA600000001
  GET ${item}/MLA600000003
  GET /items/MLA600000001/contacts/questions?${days}
  GET /users/1001/contacts/questions?${days}
  GET /items/MLA600000001/contacts/questions/time_window?${week}
  GET /users/1001/contacts/questions/time_window?${week}
  GET /items/MLA600000001/contacts/phone_views?${days}
  GET /users/1001/contacts/phone_views?${days}
  GET /items/MLA600000001/contacts/phone_views/time_window?${week}
  GET /items/contacts/phone_views/time_window?ids=MLA600000001,MLA600000002&${week}
  GET /users/1001/contacts/phone_views/time_window?${week}
  GET /items?ids=MLA600000001,MLA9&attributes=status
  GET /sites/MLA/search?q=mate
  GET /sites/MLA/search?seller_id=1001&limit=1
  GET /currencies/ARS
  GET /currencies
  OPTIONS /questions
`);

const between = (from: number, to: number | string): string => `"from":{"user_id":${from}},"to":{"user_id":${to}}`;
const query = (name: string): string =>
  `query ${name}{configuration(user_id:1001,service_id:10001){zones{id} delivery_window}}`;

const price = 'price {cents fraction currency_id decimal_separator symbol}';
const everyField = `address {id address_line city {id name} zip_code}
  subscription {site_id user_id service_id status {id} creation_date training_times {original {value unit} remaining {value unit} activation_date}}
  availables {capacity_range {from to} cutoff ranges} delivery_window is_moderated
  delivery_ranges {week {from to capacity type processing_time et_hour calculated_cutoff} saturday {from} sunday {from}}
  working_days zones {id label enabled is_mandatory selected neighborhoods ${price}} disabled_features`;

const writes = lines(`
  POST /questions < {"item_id":"MLA600000002","text":"Is it long?"} as BUYER-TOKEN
  POST /answers < {"question_id":5000000002,"text":"Yes, it does."}
  POST ${blacklist} < {"user_id":1003}
  GET ${blacklist}
  DELETE ${blacklist}/1003
  POST ${pack} < {"from":{"user_id":1001},"to":{"user_id":1002},"text":"It is on its way."}
  POST ${guide}/option?tag=post_sale < {"option_id":"OTHER","text":"The driver comes at six."}
  POST ${pack} < {${between(1001, '"1002"')},"text":"It is there.","attachments":null}
  PUT ${delivery} < {"delivery_window":"same_day","delivery_ranges":{"week":[{"from":9,"to":13,"capacity":20,"cutoff":8}]}}
  GET ${flex}/users/1001/subscriptions/v1
  POST ${flex}/configuration/v3 < {"query":"${query('A')} ${query('B')}","operationName":"B"}
  POST ${flex}/configuration/v3 < {"query":"{configuration(user_id:1001,service_id:10001){${everyField.replaceAll(/\s+/g, ' ')}}}"}
  POST ${guide}/option?tag=post_sale < {"option_id":"SEND_INVOICE_LINK","text":"You idiot"}
  GET ${guide}/caps_available?tag=post_sale
  DELETE ${item}/MLA600000001
  POST ${item}/MLA600000001
`);

const rejected = lines(`
  GET /questions/search
  GET /questions/search?seller_id=x
  GET /questions/search?seller_id=1001&limit=0
  GET /questions/search?seller_id=1001&offset=-1
  GET /questions/search?seller_id=1001 as NOBODY
  GET /questions/search?seller_id=1001 as a b
  GET /questions/404
  GET /users/9/questions/response_time
  POST /answers < {}
  POST /answers < x
  POST /answers < []
  POST /answers < {"question_id":5000000002}
  POST /answers < {"question_id":5000000002,"text":" "}
  POST /answers < {"question_id":5000000002,"text":5}
  POST /answers < {"text":"Yes"}
  POST /answers < {"question_id":"x","text":"Yes"}
  POST /answers < {"question_id":5000000001,"text":"Again"}
  POST /questions < {} as BUYER-TOKEN
  POST /questions < {"item_id":"MLA600000003","text":"Hello?"} as BUYER-TOKEN
  POST /questions < {"item_id":"MLA9","text":"Hello?"} as BUYER-TOKEN
  POST /my/questions/hidden < {}
  POST ${blacklist} < {}
  DELETE ${blacklist}/1002
  GET /messages/unread?tag=post_sale
  GET /messages/packs/5/sellers/1001?tag=post_sale
  GET /messages/0?tag=post_sale
  GET /messages/attachments/a?tag=post_sale
  POST /messages/attachments?tag=post_sale&site_id=MLA < {}
  POST ${pack} < {}
  POST ${pack} < {"to":{"user_id":1002},"text":"Hello"}
  POST ${pack} < {${between(1001, 1002)},"text":" "}
  POST ${pack} < {${between(1001, 1002)},"text":"${'x'.repeat(351)}"}
  POST ${pack} < {${between(1001, 1002)},"text":"Hello","attachments":"a.pdf"}
  POST ${pack} < {${between(1001, 1002)},"text":"Hello","attachments":["a.pdf"]}
  POST ${pack} < {${between(1001, 1001)},"text":"Hello"}
  POST ${pack} < {${between(1001, '"none"')},"text":"Hello"}
  POST ${pack} < {${between(1001, 9)},"text":"Hello"}
  POST ${pack} < {"from":{"user_id":1001},"to":{"user_id":"1002","resource":5},"text":"Hello"}
  GET ${guide}
  POST ${guide}/option?tag=post_sale < {}
  POST ${guide}/option?tag=post_sale < {"option_id":"NONE"}
  POST ${guide}/option?tag=post_sale < {"option_id":"OTHER","text":""}
  GET ${flex}/users/9/subscriptions/v1
  GET /shipping/flex/sites/XXX/users/1001/subscriptions/v1
  PUT ${delivery} < []
  PUT ${delivery} < {"delivery_window":5}
  PUT ${delivery} < {"delivery_ranges":{"week":[5]}}
  PUT ${delivery} < {"delivery_window":"same_day","delivery_ranges":5}
  PUT ${zones} < {}
  PUT ${zones} < {"zones":5}
  PUT ${zones} < {"zones":[5]}
  PUT ${zones} < {"zones":[{"id":"none"}]}
  POST ${flex}/configuration/v3 < {}
  POST ${flex}/configuration/v3 < {"query":""}
  POST ${flex}/configuration/v3 < {"query":"{ nothing }"}
  POST ${flex}/configuration/v3 < {"query":"{"}
  POST ${flex}/configuration/v3 < {"query":"${query('A')}","operationName":"B"}
  GET /flex/sites/MLA/shipments/9/assignment/v1
  GET ${item}/MLA9
  POST ${item}/MLA9
  POST ${item}/MLA600000001
  DELETE ${item}/MLA600000002
  GET /items/MLA600000001/contacts/questions?date_from=x&date_to=y
  GET /users/1001/contacts/questions
  GET /users/1001/contacts/questions?date_from=2026-13-01T00:00:00Z&date_to=2026-03-02T00:00:00Z
  GET /users/1001/contacts/questions/time_window?last=0&unit=day
  GET /users/1001/contacts/questions/time_window?last=1&unit=x
  GET /items?attributes=status
  GET /currencies/XXX
  GET /nowhere
  PUT /questions/1 < {}
`);

/** The response to a line such as `POST /answers < {"question_id":5000000002} as BUYER-TOKEN`; without a token, the seller's. */
async function respond(marketplace: FakeMarketplace, line: string): Promise<string> {
  const [, method = '', path = '', body, token = 'SELLER-TOKEN'] =
    /^(\S+) (\S+)(?: < (.*?))?(?: as (.*))?$/.exec(line) ?? [];
  const headers = { ...(token && { authorization: `Bearer ${token}` }), 'content-type': 'application/json' };
  const request = new Request(marketplace.baseUrl + path, { method, headers, body: body ?? null });
  const response = await marketplace.fetch(request);
  const text = await response.text();
  return `${line}\n${response.status} ${/^[[{]/.test(text) ? printed(withoutPaths(JSON.parse(text))) : text}\n`;
}

/** A description names the paths of the whole resource, which grow with it. */
function withoutPaths(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('related_resources' in body)) return body;
  const { related_resources, ...rest } = body;
  expect(related_resources).toEqual(expect.arrayContaining([expect.stringMatching(/^\//)]));
  return rest;
}

function printed(value: unknown): string {
  const all = { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity } as const;
  // The ids of messages and files are random.
  return inspect(value, { ...all, breakLength: 120 }).replace(/\b[0-9a-f]{32}\b/g, '<id>');
}

test.each([
  ['reads', reads, {}],
  ['live-reads', reads, { liveFields: true }],
  ['writes', writes, {}],
  ['rejected', rejected, {}],
])('%s', async (name, requests, settings) => {
  const marketplace = sampled(settings);
  const responses: string[] = [];
  for (const line of requests) responses.push(await respond(marketplace, line));
  await expect(responses.join('\n')).toMatchFileSnapshot(`golden/${name}.txt`);
});

test.each(['wrapped', 'legacy'] as const)('a message with a file in the shape %s', async (messageShape) => {
  const marketplace = sampled({ messageShape });
  const files = [{ filename: 'a.txt', content: 'abc', type: 'text/plain' }];
  const sale = marketplace.packs.getOrThrow(2_000_000_000_000_001);
  const { id } = marketplace.buyerWrites({ pack: sale, text: 'See', files });
  const response = await respond(marketplace, `GET /messages/${id}?tag=post_sale`);
  await expect(response.replaceAll(id, '<id>')).toMatchFileSnapshot(`golden/message-${messageShape}.txt`);
});

test('the state that the dashboard shows', async () => {
  const marketplace = sampled();
  for (const line of writes) await respond(marketplace, line);
  const { endpoints: names, ...state } = snapshot(marketplace, []);
  const all = [...everyEndpoint, ...neighbours.map(({ endpoint }) => endpoint)];
  expect(names).toEqual(all.map(({ name }) => name).sort());
  await expect(printed(state)).toMatchFileSnapshot('golden/state.txt');
});

test('the description of the control endpoints', async () => {
  await expect(printed(describeControls(controls))).toMatchFileSnapshot('golden/controls.txt');
});
