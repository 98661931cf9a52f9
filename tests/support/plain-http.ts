import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import type { FakeMarketplaceOptions, Listening } from 'marketplace-seller-sdk/testing';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { listen } from '../../src/testing/server.js';

/** A call over plain HTTP, without the client. */
export interface Call {
  readonly token?: string | null;
  readonly headers?: Record<string, string>;
  /** JSON of an object, a string as it is, or a form. */
  readonly body?: unknown;
}

/** A response; its body is parsed when it is JSON. */
export interface Received<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** The marketplace behind the server; `arrange` creates it anew. */
export let marketplace: FakeMarketplace;
/** One access token per role. */
export let tokens: Record<'seller' | 'buyer' | 'stranger' | 'noApplication', string>;
/** The id of the open question. */
export let question: number;
let server: Listening;

/** Serves a marketplace for all tests of a file, and arranges it before each. */
export function serveMarketplace(): void {
  beforeAll(async () => {
    server = await listen((request) => marketplace.fetch(request), {});
  });
  afterAll(() => server.close());
  beforeEach(() => arrange());
}

/** A seller (1), a buyer (2) and a stranger (3); an item, an open question, and a pack with a reply of the buyer. */
export function arrange(options: FakeMarketplaceOptions = {}): void {
  marketplace = new FakeMarketplace({ now: '2026-03-02T12:00:00Z', ...options });
  const [seller, buyer, stranger] = [1, 2, 3].map((user_id) => marketplace.addUser({ user_id }));
  if (!seller || !buyer || !stranger) throw new Error('unreachable');
  marketplace.addItem({ item_id: 'MLA1', seller_id: 1 });
  marketplace.addItem({ item_id: 'MLA2', seller_id: 1, status: 'paused' });
  question = marketplace.ask({ from: buyer, item_id: 'MLA1', text: 'Is there stock?' }).id;
  const sale = marketplace.addPack({ pack_id: 900, seller_id: 1, buyer_id: 2, shipping: 'flex' });
  marketplace.addPack({ pack_id: 901, seller_id: 1, buyer_id: 2, shipping: 'cross_docking' });
  marketplace.buyerWrites({ pack: sale, text: 'Hello' });
  marketplace.flex.subscribe({ user_id: 1, service_id: 77 });
  marketplace.flex.subscribe({ user_id: 1, mode: 'TURBO', service_id: 78 });
  tokens = {
    seller: marketplace.tokenFor(seller),
    buyer: marketplace.tokenFor(buyer),
    stranger: marketplace.tokenFor(stranger),
    noApplication: marketplace.tokenFor(seller, null),
  };
}

/** Calls the marketplace: `GET /path?query`. By default as the seller. */
export async function call<Body = unknown>(
  line: string,
  { token = tokens.seller, headers = {}, body }: Call = {},
): Promise<Received<Body>> {
  const [method = '', target = ''] = line.split(' ');
  const isRaw = typeof body === 'string' || body instanceof FormData;
  const response = await fetch(server.url + target, {
    method,
    headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...headers },
    ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return { status: response.status, headers: response.headers, body: (isJson ? JSON.parse(text) : text) as Body };
}
