import { SellerClient } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import type { Account, Item, Listening, Pack } from 'marketplace-seller-sdk/testing';
import type { Narrator } from './narrator.ts';

/** The users, items and clients of the day. A chapter may add its own. */
export interface Stage {
  readonly say: Narrator;
  readonly marketplace: FakeMarketplace;
  readonly url: string;
  readonly server: Listening;
  readonly seller: Account;
  /** The seller's client. It calls the marketplace over HTTP. */
  readonly client: SellerClient;
  readonly buyers: { readonly lucia: Account; readonly mateo: Account; readonly ines: Account };
  readonly items: { readonly lamp: Item; readonly kettle: Item; readonly shelf: Item };
  /** The sales: the lamp to Lucía, delivered by Flex, and the shelf to Mateo. */
  readonly sales: { readonly lamp: Pack; readonly shelf: Pack };
  /** The client of another account. */
  clientOf(account: Account): SellerClient;
}

/** A part of the day. */
export interface Chapter {
  readonly title: string;
  /** When it happens, on the clock of the marketplace. */
  readonly at: string;
  play(stage: Stage): Promise<void>;
}

/** Creates a shop on a Monday morning, after a week of slow answers. */
export async function openStage(say: Narrator): Promise<Stage> {
  const marketplace = new FakeMarketplace({ now: '2026-02-23T10:00:00-03:00' });
  const seller = marketplace.addUser({ nickname: 'Casa Norte' });
  const [lucia, mateo, ines] = ['Lucía', 'Mateo', 'Inés'].map((nickname) =>
    marketplace.addUser({ nickname }),
  );
  const [lamp, kettle, shelf] = ['Desk lamp', 'Kettle', 'Bookshelf'].map((title) =>
    marketplace.addItem({ seller_id: seller.user_id, title }),
  );
  const stage = {
    buyers: { lucia: lucia!, mateo: mateo!, ines: ines! },
    items: { lamp: lamp!, kettle: kettle!, shelf: shelf! },
  };
  simulateLastWeek(marketplace, stage);
  const sales = {
    lamp: marketplace.addPack({
      seller_id: seller.user_id,
      buyer_id: stage.buyers.lucia.user_id,
      shipping: 'flex',
    }),
    shelf: marketplace.addPack({ seller_id: seller.user_id, buyer_id: stage.buyers.mateo.user_id }),
  };
  const server = await marketplace.listen({ page: true });
  const clientOf = (account: Account): SellerClient =>
    new SellerClient({
      baseUrl: server.url,
      accessToken: marketplace.tokenFor(account),
      middleware: [say.wire],
    });
  return {
    ...stage,
    sales,
    say,
    marketplace,
    url: server.url,
    server,
    seller,
    client: clientOf(seller),
    clientOf,
  };
}

export async function closeStage({ server }: Stage): Promise<void> {
  await server.close();
}

function simulateLastWeek(
  marketplace: FakeMarketplace,
  { buyers, items }: Pick<Stage, 'buyers' | 'items'>,
): void {
  const exchanges: [at: string, from: Account, about: Item, text: string, minutes: number][] = [
    ['2026-02-24T11:00:00-03:00', buyers.lucia, items.kettle, 'Does it whistle?', 190],
    ['2026-02-25T20:30:00-03:00', buyers.mateo, items.lamp, 'Which bulb does it take?', 750],
    ['2026-02-28T16:00:00-03:00', buyers.ines, items.shelf, 'Does it come assembled?', 2480],
  ];
  for (const [at, from, { item_id }, text, minutes] of exchanges) {
    marketplace.clock.set(at);
    const { id } = marketplace.ask({ from, item_id, text });
    marketplace.clock.advance({ minutes });
    marketplace.questions.answer(id, 'Yes.');
  }
}
