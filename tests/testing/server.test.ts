import { connect } from 'node:net';
import { FakeMarketplace, FakeMarketplaceError } from 'marketplace-seller-sdk/testing';
import type { Listening } from 'marketplace-seller-sdk/testing';
import { NotFoundError, SellerClient } from 'marketplace-seller-sdk';
import { afterEach, describe, expect, test, vi } from 'vitest';

const open: Listening[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function listening(marketplace: FakeMarketplace, host?: string): Promise<Listening> {
  const server = await marketplace.listen({ host });
  open.push(server);
  return server;
}

describe('a marketplace on a port', () => {
  test('a client works with a marketplace on a port', async () => {
    const marketplace = new FakeMarketplace();
    const [seller, buyer] = [marketplace.addUser(), marketplace.addUser()];
    const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
    const { url, port } = await listening(marketplace);
    expect(url).toBe(`http://127.0.0.1:${port}`);

    const buyerClient = new SellerClient({ baseUrl: url, accessToken: marketplace.tokenFor(buyer) });
    const asked = await buyerClient.questions.ask({ item_id, text: '¿Hay stock? ✓' });
    const sellerClient = new SellerClient({ baseUrl: url, accessToken: marketplace.tokenFor(seller) });
    const answered = await sellerClient.questions.answer({ question_id: asked!.id, text: 'Sí.' });
    expect(answered).toMatchObject({ text: '¿Hay stock? ✓', answer: { text: 'Sí.' } });
    await expect(sellerClient.questions.get({ question_id: 1 })).rejects.toBeInstanceOf(NotFoundError);
    marketplace.reset();
    expect(marketplace.settings.optionLockMs).toBe(150);
  });

  test('listen() says on a platform without servers what to use instead', async () => {
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
    await expect(new FakeMarketplace().listen()).rejects.toThrow(
      '`listen` needs Node.js, Deno or Bun; use `fetch` instead',
    );
  });

  test('listen() names a misspelt option', async () => {
    const serving = new FakeMarketplace().listen({ prt: 1 } as never);
    await expect(serving).rejects.toBeInstanceOf(FakeMarketplaceError);
    await expect(serving).rejects.toThrow('`listen` has no field `prt`; did you mean `port`?');
  });

  test('listen() uses the given host, and loopback by default', async () => {
    const { url } = await listening(new FakeMarketplace(), '::1');
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect((await fetch(`${url}/questions`, { method: 'OPTIONS' })).status).toBe(200);
  });

  test('no response says when an idle connection ends, because none ends by itself', async () => {
    const { url } = await listening(new FakeMarketplace());
    expect((await fetch(`${url}/users/1`)).headers.get('keep-alive')).toBeNull();
  });

  test('a 204 response has no body', async () => {
    const marketplace = new FakeMarketplace();
    const [seller, buyer] = [marketplace.addUser(), marketplace.addUser()];
    const { url } = await listening(marketplace);
    const client = new SellerClient({ baseUrl: url, accessToken: marketplace.tokenFor(seller) });
    await client.questions.blacklist.add({ seller_id: seller.user_id, user_id: buyer.user_id });
    const removed = await client.questions.blacklist
      .remove({ seller_id: seller.user_id, user_id: buyer.user_id })
      .withResponse();
    expect(removed).toMatchObject({ data: undefined, response: { status: 204 } });
  });

  test('close() ends connections that are kept alive', async () => {
    const server = await new FakeMarketplace().listen();
    await (await fetch(`${server.url}/questions`, { method: 'OPTIONS' })).text();
    const socket = connect(server.port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    const ended = new Promise((resolve) => socket.once('close', resolve));
    await server.close();
    await ended;
    await expect(fetch(server.url)).rejects.toThrow();
  });

  test('close() can be called twice', async () => {
    const server = await new FakeMarketplace().listen();
    await server.close();
    await server.close();
  });

  test('a port in use is a FakeMarketplaceError that says what to do', async () => {
    const { port } = await listening(new FakeMarketplace());
    const second = new FakeMarketplace().listen({ port });
    await expect(second).rejects.toBeInstanceOf(FakeMarketplaceError);
    await expect(second).rejects.toThrow(/cannot listen: .*EADDRINUSE.*Omit `port`/);
  });

  test('a misuse is returned to the caller without a stack trace', async () => {
    const marketplace = new FakeMarketplace();
    const seller = marketplace.addUser();
    const { url } = await listening(marketplace);
    const headers = { authorization: `Bearer ${marketplace.tokenFor(seller)}` };
    marketplace.events.on(() => {
      throw new FakeMarketplaceError('a listener failed');
    });
    const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
    const buyer = marketplace.addUser();
    headers.authorization = `Bearer ${marketplace.tokenFor(buyer)}`;
    const response = await fetch(`${url}/questions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ item_id, text: 'Hello?' }),
    });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ message: 'FakeMarketplace: a listener failed' });
  });
});
