// A Fetch API handler for notifications on platforms without a place to store. The same code works on
// Cloudflare Workers, Deno, Bun, Hono and Next.
//   node examples/notifications-fetch.ts
import { handleNow } from 'marketplace-seller-sdk/inbox';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

// A fake marketplace. In production, create one client per seller with `new SellerClient()`.
const marketplace = new FakeMarketplace();
const sellers = [marketplace.addUser(), marketplace.addUser()];
const clients = new Map(sellers.map((seller) => [seller.user_id, marketplace.clientFor(seller)]));

// The response is sent after the handler has run, which may take half a second.
const handle = (request: Request): Promise<Response> =>
  handleNow(request, {
    // For a user without a client, this returns `undefined`, and the notification is dropped.
    clientFor: (user_id) => clients.get(user_id),
    on: {
      questions: async ({ user_id }, { read }) => {
        const { id, text } = await read();
        console.log(`seller ${user_id} was asked question ${id}: ${text}`);
      },
    },
  });
// On Workers: export default { fetch: handle };
// With Hono: (c) => handle(c.req.raw)
// With Next: export const POST = handle;

// The rest of this file acts as the service.
marketplace.notifications.subscribe({
  callback: handle,
  faults: { late: 0.5, lateMs: 100, odd: 0.5 },
});
const buyer = marketplace.addUser();
for (const { user_id } of sellers) {
  const { item_id } = marketplace.addItem({ seller_id: user_id });
  marketplace.ask({ from: buyer, item_id, text: 'Do you ship to Salta?' });
}
await marketplace.notifications.flush();
