import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, test } from 'vitest';

const agent_id = 3_037_674_934;

function arrange() {
  const marketplace = new FakeMarketplace();
  const [seller, buyer] = [marketplace.addUser(), marketplace.addUser()];
  const pack = marketplace.addPack({ seller_id: seller.user_id, buyer_id: buyer.user_id, agent_id });
  marketplace.buyerWrites({ pack, text: 'Hello?' });
  return { marketplace, pack, buyer, user_id: seller.user_id, client: marketplace.clientFor(seller) };
}

describe('an agent between seller and buyer', () => {
  test('is shown in the conversation in place of the buyer, and a message by id shows it as well', async () => {
    const { client, pack, user_id, marketplace } = arrange();
    const [first] = await client.messages.conversation({ pack_id: pack.pack_id!, user_id }).toArray();
    expect(first).toMatchObject({ from: { user_id: agent_id }, to: { user_id } });
    for (const shape of ['wrapped', 'current', 'legacy'] as const) {
      marketplace.messages.shape = shape;
      const read = await client.messages.get({ message_id: first!.id });
      expect(read).toMatchObject({ from: { user_id: agent_id } });
    }
  });

  test('receives what the seller writes: the buyer reads it', async () => {
    const { client, pack, user_id, marketplace, buyer } = arrange();
    const pack_id = pack.pack_id!;
    const sent = await client.messages.send({ pack_id, user_id, to: { user_id: agent_id }, text: 'It is here.' });
    expect(sent).toMatchObject({ to: { user_id: agent_id }, text: 'It is here.' });
    expect(marketplace.messages.of(pack).map(({ text, to }) => [text, to])).toEqual([
      ['Hello?', user_id],
      ['It is here.', buyer.user_id],
    ]);
  });

  test('a message to the own id of the buyer succeeds and is not delivered', async () => {
    const { client, pack, user_id, marketplace, buyer } = arrange();
    const events: string[] = [];
    marketplace.events.on(({ resource }) => events.push(resource));
    const headers = {
      authorization: `Bearer ${marketplace.tokenFor({ user_id })}`,
      'content-type': 'application/json',
    };
    const body = JSON.stringify({ from: { user_id }, to: { user_id: buyer.user_id }, text: 'Lost' });
    const url = `${marketplace.baseUrl}/messages/packs/${pack.pack_id!}/sellers/${user_id}?tag=post_sale`;
    const response = await marketplace.fetch(new Request(url, { method: 'POST', headers, body }));
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ status: 'available', text: 'Lost' });
    expect(marketplace.messages.of(pack).map(({ text }) => text)).toEqual(['Hello?']);
    expect(events).toEqual([]);
    expect(await client.messages.conversation({ pack_id: pack.pack_id!, user_id }).toArray()).toHaveLength(1);
  });

  test('is written to when the client replies to what the conversation shows', async () => {
    const { client, pack, user_id, marketplace } = arrange();
    const [first] = await client.messages.conversation({ pack_id: pack.pack_id!, user_id }).toArray();
    await client.messages.reply(first!, 'At six.');
    expect(marketplace.messages.of(pack).map(({ text }) => text)).toEqual(['Hello?', 'At six.']);
  });

  test('anybody else is no receiver, and an id that is no integer is no agent', async () => {
    const { client, pack, user_id, marketplace, buyer } = arrange();
    const message = { pack_id: pack.pack_id!, user_id, to: { user_id: agent_id + 1 }, text: 'Hm?' };
    await expect(client.messages.send(message)).rejects.toMatchObject({ status: 403 });
    for (const wrong of [0, -1, 1.5, Number.NaN])
      expect(() => marketplace.addPack({ seller_id: user_id, buyer_id: buyer.user_id, agent_id: wrong })).toThrow(
        'agent_id',
      );
  });
});
