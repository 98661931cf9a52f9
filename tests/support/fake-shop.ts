import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import type { Account, Pack } from 'marketplace-seller-sdk/testing';
import { beforeEach } from 'vitest';

/** The time of the fake. */
export const noon = '2026-03-02T12:00:00.000Z';

type Shop = ReturnType<typeof fakeShop>;
export let marketplace: Shop['marketplace'];
export let seller: Shop['seller'];
export let buyer: Shop['buyer'];
export let pack: Shop['pack'];
export let sale: Shop['sale'];
export let request: Shop['request'];
export let statusOf: Shop['statusOf'];

/** Opens a shop before each test of a file. */
export function serveShop(): void {
  beforeEach(() => {
    ({ marketplace, seller, buyer, pack, sale, request, statusOf } = fakeShop());
  });
}

/**
 * A fake at noon with the seller 7, the buyer 9, the item MLA1 and a sale. Requests are those that any program may send: the client
 * checks more.
 */
function fakeShop() {
  const marketplace = new FakeMarketplace({ now: noon });
  const seller = marketplace.addUser({ user_id: 7 });
  const buyer = marketplace.addUser({ user_id: 9 });
  marketplace.addItem({ item_id: 'MLA1', seller_id: 7 });
  const sale = (init: Partial<Parameters<FakeMarketplace['addPack']>[0]> = {}): Pack =>
    marketplace.addPack({ seller_id: 7, buyer_id: 9, ...init });
  const request = async (line: string, body?: object, as: Account = seller) => {
    const [method = '', path = ''] = line.split(' ');
    const headers = { authorization: `Bearer ${marketplace.tokenFor(as)}`, 'content-type': 'application/json' };
    const url = `${marketplace.baseUrl}${path}`;
    const response = await marketplace.fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as never };
  };
  const statusOf = async (...args: Parameters<typeof request>): Promise<number> => (await request(...args)).status;
  return { marketplace, seller, buyer, pack: sale(), sale, request, statusOf };
}

/** The number of a pack, or of the order that has none. */
export const numberOf = ({ pack_id, order_ids }: Pack): number | string => pack_id ?? order_ids[0]!;
