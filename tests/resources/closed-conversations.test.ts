import { ApiError, ConversationBlockedError } from 'marketplace-seller-sdk';
import type { Drift, SellerClient } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { errorOf, stubbed } from '../support/stubs.ts';

// What the service says once it has closed a conversation, or an account: waiting does not help.

type Call = (client: SellerClient) => PromiseLike<unknown>;
const place = { pack_id: 1, user_id: 7 };
const calls: Readonly<Record<string, Call>> = {
  send: ({ messages }) => messages.send({ ...place, to: { user_id: 31 }, text: 'Hola' }),
  read: ({ messages }) => messages.conversation(place).first(),
  options: ({ actionGuide }) => actionGuide.options({ pack_id: 1 }),
  option: ({ actionGuide }) => actionGuide.send({ pack_id: 1, option_id: 'OTHER', text: 'Hola' }),
};
const answered = (status: number, body: object) => stubbed([Response.json(body, { status })], { maxRetries: 0 });

describe.each(Object.entries(calls))('%s', (_, call) => {
  test.each([400, 403, 404])('"conversation ID is invalid" with %i is a closed conversation', async (status) => {
    const bodies = [
      { message: 'conversation ID is invalid', status },
      { code: 'bad_request', message: 'The conversation ID is invalid' },
      { message: 'Forbidden', cause: ['conversation_id is invalid'] },
    ];
    for (const body of bodies) {
      const error = await errorOf<ConversationBlockedError>(call(answered(status, body).sellerClient));
      expect(error).toBeInstanceOf(ConversationBlockedError);
      const { reason, isLasting, isNotFound } = error;
      expect([reason, isLasting, isNotFound, error.status]).toEqual(['conversation_id_invalid', true, false, status]);
    }
  });

  test('a reason that the service names is told in its place', async () => {
    const body = { message: 'conversation ID is invalid', cause: ['blocked_by_time'] };
    const error = await errorOf<ConversationBlockedError>(call(answered(403, body).sellerClient));
    expect(error.reason).toBe('blocked_by_time');
  });

  test('a 451 is a buyer whose account is gone: lasting, and nothing was sent', async () => {
    const { sellerClient, sent } = answered(451, { message: 'Unavailable For Legal Reasons' });
    const error = await errorOf<ApiError>(call(sellerClient));
    expect(error).toBeInstanceOf(ApiError);
    expect([error.isLasting, error.outcomeUnknown, sent.length]).toEqual([true, false, 1]);
  });

  test.each([429, 500])('other Portuguese words stay their status: %i', async (status) => {
    const error = await errorOf<ApiError>(call(answered(status, { message: 'Houve um erro inesperado' }).sellerClient));
    expect([error.name, error.isLasting]).toEqual([status === 429 ? 'RateLimitError' : 'ServerError', false]);
  });
});

test.each([{ option_id: 'SEND_INVOICE_LINK' }, { type: 'template' }])(
  'an option %j without an id is lost and reported, and the list is not',
  async (odd) => {
    for (const options of [
      [{ id: 'OTHER' }, odd],
      [odd, { id: 'OTHER' }],
    ]) {
      const drifts: Drift[] = [];
      const onDrift = (drift: Drift): void => void drifts.push(drift);
      const { sellerClient } = stubbed([Response.json({ options })], { onDrift });
      const found = await sellerClient.actionGuide.options({ pack_id: 1 });
      expect(found.options.map(({ id }) => id)).toEqual(['OTHER']);
      expect(drifts.map(({ path }) => path)).toEqual([['options', options.indexOf(odd), 'id']]);
    }
  },
);
