import { NotFoundError, SellerClient, readJsonp } from 'marketplace-seller-sdk';
import type { Currency, Listing, Paged, SiteSearchExtra } from 'marketplace-seller-sdk';
import type { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { goldenRequests } from '../support/golden-requests.ts';
import { receiving } from '../support/stubs.ts';

function setUp() {
  const marketplace = new FakeMarketplace();
  const user = marketplace.addUser({ site_id: 'MLB' });
  return { marketplace, user, sellerClient: marketplace.clientFor(user) };
}

describe('currencies', () => {
  test('currencies are listed, and read one by one', async () => {
    const { sellerClient } = setUp();
    const real = { id: 'BRL', description: 'Real', symbol: 'R$', decimal_places: 2 };
    expect(await sellerClient.currencies.get({ id: 'BRL' })).toEqual(real);
    expect(await sellerClient.currencies.list()).toContainEqual(real);
    await expect(sellerClient.currencies.get({ id: 'XXX' })).rejects.toBeInstanceOf(NotFoundError);
  });

  test('attributes reduce currencies to some fields', async () => {
    const { sellerClient } = setUp();
    const found = await sellerClient.currencies.list({}, { attributes: ['id', 'symbol'] });
    expectTypeOf(found).toEqualTypeOf<Pick<Currency, 'id' | 'symbol'>[]>();
    expect(found).toContainEqual({ id: 'BRL', symbol: 'R$' });
    const one = await sellerClient.currencies.get({ id: 'CLP' }, { attributes: ['decimal_places'] });
    expectTypeOf(one).toEqualTypeOf<Pick<Currency, 'decimal_places'>>();
    expect(one).toEqual({ decimal_places: 0 });
  });
});

describe('searching a site', () => {
  function withChairs() {
    const { marketplace, user, sellerClient } = setUp();
    for (const title of ['Cadeira azul', 'Mesa', 'Cadeira verde', 'Cadeira amarela'])
      marketplace.addItem({ seller_id: user.user_id, title });
    marketplace.addItem({ seller_id: user.user_id, title: 'Cadeira velha', status: 'closed' });
    marketplace.addItem({ seller_id: marketplace.addUser().user_id, title: 'Cadeira argentina' });
    return { sellerClient, user };
  }

  test('a search iterates over all results, page by page', async () => {
    const { sellerClient } = withChairs();
    const found = sellerClient.sites.search({ site_id: 'MLB', q: 'cadeira', limit: 2, filters: { sort: 'title_asc' } });
    expectTypeOf(found).toEqualTypeOf<Paged<Listing, SiteSearchExtra>>();
    const titles = (await found.toArray()).map(({ title }) => title);
    expect(titles).toEqual(['Cadeira amarela', 'Cadeira azul', 'Cadeira verde']);
  });

  test('each page has its filters and sorts', async () => {
    const { sellerClient, user } = withChairs();
    const filters = { seller_id: user.user_id };
    const pages = sellerClient.sites.search({ site_id: 'MLB', q: 'mesa', filters }).pages();
    const { value } = await pages.next();
    expect(value).toMatchObject({
      offset: 0,
      limit: 50,
      total: 1,
      site_id: 'MLB',
      query: 'mesa',
      items: [{ title: 'Mesa' }],
      sort: { id: 'relevance' },
      available_sorts: [{ id: 'title_asc' }],
      filters: expect.arrayContaining([expect.objectContaining({ id: 'seller_id' })]) as unknown,
      available_filters: [],
    });
    const empty = sellerClient.sites.search({ site_id: 'MLB', filters: { seller_id: 1 } });
    expect(await empty.toArray()).toEqual([]);
  });

  test('breaking out of the loop ends the search', async () => {
    const { sellerClient } = withChairs();
    const ended = sellerClient.sites.search({ site_id: 'MLB', offset: 1 }, { signal: AbortSignal.abort() });
    await expect(ended.first()).rejects.toMatchObject({ name: 'AbortError' });
    const ahead = sellerClient.sites.search(
      { site_id: 'MLB', q: 'cadeira', limit: 1 },
      { signal: new AbortController().signal },
    );
    expect((await ahead.toArray()).map(({ title }) => title)).toEqual([
      'Cadeira azul',
      'Cadeira verde',
      'Cadeira amarela',
    ]);
  });
});

describe('conventions of every resource', () => {
  test('describe() returns the self-description of a resource', async () => {
    const { sellerClient } = setUp();
    const found = await sellerClient.describe({ path: '/currencies/BRL' });
    expect(found.name).toBe('currencies');
    expect(found.methods).toEqual([
      { method: 'GET', example: 'GET /currencies/{id}', description: expect.any(String) as string },
    ]);
    expect(Object.keys(found.attributes ?? {})).toEqual(['id', 'description', 'symbol', 'decimal_places']);
  });

  test('readJsonp() reads the status inside a JSONP response', async () => {
    const { marketplace } = setUp();
    const jsonp = async (path: string) => {
      const answer = await marketplace.fetch(`${marketplace.baseUrl}${path}`);
      expect(answer.status).toBe(200);
      return answer.text();
    };
    expect(readJsonp(await jsonp('/currencies/UYU?callback=show&attributes=id'))).toEqual({ id: 'UYU' });
    const failed = await jsonp('/currencies/XXX?callback=show');
    expect(() => readJsonp(failed)).toThrow(NotFoundError);
  });

  test('an unknown site is accepted', async () => {
    const sent: string[] = [];
    const sellerClient = new SellerClient({
      baseUrl: 'https://api.example.com',
      fetch: receiving(async (request) => {
        sent.push(request.url);
        return Response.json({ results: null, paging: null });
      }),
    });
    expect(await sellerClient.sites.search({ site_id: 'MXX', q: 'a b' }).toArray()).toEqual([]);
    expect(sent).toEqual(['https://api.example.com/sites/MXX/search?q=a+b']);
  });
});

goldenRequests<typeof endpoints.sites>({
  search: {
    call: (client) => client.sites.search({ site_id: 'MLA', q: 'silla azul', limit: 20, offset: 40 }).first(),
    request: ['GET /sites/MLA/search?q=silla+azul&limit=20&offset=40'],
  },
});

goldenRequests<typeof endpoints.currencies>({
  list: { call: (client) => client.currencies.list(), request: ['GET /currencies'] },
  get: { call: (client) => client.currencies.get({ id: 'BRL' }), request: ['GET /currencies/BRL'] },
});
