import { UnexpectedResponseError } from 'marketplace-seller-sdk';
import type { SellerClient } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { errorOf, stubbed } from '../support/stubs.ts';

type Call = (client: SellerClient) => PromiseLike<unknown>;

const user = { site_id: 'MLA', user_id: 7 };
const item = { site_id: 'MLA', item_id: 'MLA100' };

const send: Call = (client) => client.messages.send({ pack_id: 1, user_id: 7, to: { user_id: 31 }, text: 'Hi' });
const option: Call = (client) => client.actionGuide.send({ pack_id: 1, option_id: 'OTHER', text: 'Hi' });
const upload: Call = (client) => client.messages.upload({ site_id: 'MLA', file: new Uint8Array(1), filename: 'a.pdf' });
const ask: Call = (client) => client.questions.ask({ item_id: 'MLA100', text: 'Hi?' });
const answer: Call = (client) => client.questions.answer({ question_id: 42, text: 'Hi' });
const removeQuestion: Call = (client) => client.questions.delete({ question_id: 42 });
const hide: Call = (client) => client.questions.hide({ question_id: 42 });
const block: Call = (client) => client.questions.blacklist.add({ seller_id: 7, user_id: 31 });
const unblock: Call = (client) => client.questions.blacklist.remove({ seller_id: 7, user_id: 31 });
const zones: Call = (client) => client.flex.addZones({ ...user, service_id: 1, zones: [{ id: 'z' }] });
const delivery: Call = (client) => client.flex.setDelivery({ ...user, service_id: 1, delivery_window: 'same_day' });
const enable: Call = (client) => client.flex.items.enable(item);
const disable: Call = (client) => client.flex.items.disable(item);
const writes: Readonly<Record<string, Call>> = {
  ...{ send, option, ask, answer, removeQuestion, hide, block, unblock, zones, delivery, enable, disable },
};

describe.each(Object.entries(writes))('a write that the service has carried out: %s', (_, write) => {
  test.each([
    ['plain text', 'ok'],
    ['a sentence', 'The request was processed.\n'],
    ['JSON text', '"ok"'],
    ['an empty body', ''],
    ['spaces', ' \n'],
    ['null', 'null'],
    ['a boolean', 'true'],
    ['a number', '1'],
    ['an empty object', '{}'],
    ['an empty list', '[]'],
    ['another object', '{"status":"success"}'],
    ['a list of several', '[{"a":1},{"a":2}]'],
  ])('succeeds with %s', async (_what, body) => {
    for (const status of [200, 201, 202]) {
      const { sellerClient } = stubbed([new Response(body, { status })], { maxRetries: 0 });
      await expect(write(sellerClient)).resolves.not.toThrow();
    }
  });

  test.each([
    ['a page of HTML', '<html>Sign in</html>'],
    ['half an object', '{"id": 42, "te'],
  ])('is an error with %s, which says that it is most likely done', async (_what, body) => {
    const { sellerClient, sent } = stubbed([new Response(body)], { maxRetries: 2 });
    const error = await errorOf<UnexpectedResponseError>(write(sellerClient));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error.message).toContain('most likely carried out');
    expect(error.body).toBe(body);
    expect(sent).toHaveLength(1);
  });
});

describe('an upload that is stored', () => {
  test.each([
    ['its id as text', 'file-1.pdf', 'file-1.pdf'],
    ['its id as a line', '7_a96d8dea-38cd.pdf\n', '7_a96d8dea-38cd.pdf'],
    ['its id as JSON', '"file-1.pdf"', 'file-1.pdf'],
    ['a number', '42', '42'],
  ])('is usable with %s', async (_, body, id) => {
    const { sellerClient } = stubbed([new Response(body, { status: 201 })], { maxRetries: 0 });
    expect(await upload(sellerClient)).toEqual({ id });
  });

  test.each(['OK', 'The file was stored', '', '{"status":"stored"}', '<html></html>'])(
    'is an error that says so and holds the body without an id: %s',
    async (body) => {
      const { sellerClient } = stubbed([new Response(body)], { maxRetries: 0 });
      const error = await errorOf<UnexpectedResponseError>(upload(sellerClient));
      expect(error).toBeInstanceOf(UnexpectedResponseError);
      expect(error.message).toContain('most likely carried out');
      expect(error.body).toEqual(body === '' ? undefined : body.startsWith('{') ? JSON.parse(body) : body);
    },
  );
});
