import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { InvalidQuestionError, SellerClient } from 'marketplace-seller-sdk';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import type { SetupServer } from 'msw/node';
import { afterEach, describe, expect, test } from 'vitest';

let server: SetupServer | undefined;
afterEach(() => {
  server?.close();
  server = undefined;
});

function serve(...handlers: Parameters<typeof setupServer>): SetupServer {
  server = setupServer(...handlers);
  server.listen({ onUnhandledFrame: 'error' });
  return server;
}

describe('a marketplace behind msw', () => {
  test('requests of the global fetch to its base URL reach the marketplace', async () => {
    const marketplace = new FakeMarketplace();
    const [seller, buyer] = [marketplace.addUser(), marketplace.addUser()];
    const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
    serve(...marketplace.handlers('https://api.example.com/'));

    const baseUrl = 'https://api.example.com';
    const asked = await new SellerClient({ baseUrl, accessToken: marketplace.tokenFor(buyer) }).questions.ask({
      item_id,
      text: 'Is it new?',
    });
    const client = new SellerClient({ baseUrl, accessToken: marketplace.tokenFor(seller) });
    await client.questions.answer({ question_id: asked!.id, text: 'Yes.' });
    expect(await client.questions.search({ seller_id: seller.user_id }).toArray()).toMatchObject([
      { text: 'Is it new?', answer: { text: 'Yes.' } },
    ]);
    await expect(client.questions.answer({ question_id: 1, text: 'Yes.' })).rejects.toBeInstanceOf(
      InvalidQuestionError,
    );
  });

  test('the base URL may have a path', async () => {
    const marketplace = new FakeMarketplace();
    const seller = marketplace.addUser();
    serve(...marketplace.handlers('https://api.example.com/gateway/v9'));
    const client = new SellerClient({
      baseUrl: 'https://api.example.com/gateway/v9',
      accessToken: marketplace.tokenFor(seller),
    });
    expect(await client.questions.search({ seller_id: seller.user_id }).toArray()).toEqual([]);
  });

  test('other URLs are left to other handlers', async () => {
    const marketplace = new FakeMarketplace();
    serve(
      ...marketplace.handlers(),
      http.get('https://elsewhere.test/', () => HttpResponse.json('elsewhere')),
      http.get(`${marketplace.baseUrl}.evil.test/`, () => HttpResponse.json('another host')),
    );
    expect(await (await fetch('https://elsewhere.test/')).json()).toBe('elsewhere');
    expect(await (await fetch(`${marketplace.baseUrl}.evil.test/`)).json()).toBe('another host');
    expect((await fetch(`${marketplace.baseUrl}/nowhere`)).status).toBe(404);
  });

  test('a handler that a test adds takes precedence until it is reset', async () => {
    const marketplace = new FakeMarketplace();
    const network = serve(...marketplace.handlers());
    network.use(http.get(`${marketplace.baseUrl}/questions/1`, () => HttpResponse.json({ id: 1 })));
    expect((await fetch(`${marketplace.baseUrl}/questions/1`)).status).toBe(200);
    network.resetHandlers();
    expect((await fetch(`${marketplace.baseUrl}/questions/1`)).status).toBe(404);
    network.restoreHandlers();
    expect((await fetch(`${marketplace.baseUrl}/questions/1`)).status).toBe(404);
    expect(network.listHandlers()).toHaveLength(1);
  });

  test('a fault that breaks the connection is a network error', async () => {
    const marketplace = new FakeMarketplace();
    serve(...marketplace.handlers());
    marketplace.faults.inject({ reset: 'before' });
    await expect(fetch(`${marketplace.baseUrl}/currencies`)).rejects.toBeInstanceOf(TypeError);
    expect((await fetch(`${marketplace.baseUrl}/currencies`)).status).toBe(200);
  });
});
