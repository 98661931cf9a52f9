import type { ClientOptions, SellerClient } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import type { Account } from 'marketplace-seller-sdk/testing';

/** A fake marketplace in which a buyer has asked a seller one question. */
export interface TestMarketplace {
  readonly marketplace: FakeMarketplace;
  readonly seller: Account;
  readonly sellerClient: SellerClient;
  readonly seller_id: number;
  readonly buyer: Account;
  readonly buyerClient: SellerClient;
  readonly buyer_id: number;
  readonly item_id: string;
  readonly question_id: number;
}

/** Creates a marketplace with seller 7, buyer 31, item MLA100 and one open question. The options are those of both clients. */
export function createMarketplace(options: Partial<ClientOptions> = {}): TestMarketplace {
  const marketplace = new FakeMarketplace();
  const seller = marketplace.addUser({ user_id: 7 });
  const buyer = marketplace.addUser({ user_id: 31 });
  const { item_id } = marketplace.addItem({ item_id: 'MLA100', seller_id: seller.user_id });
  const { id } = marketplace.ask({ from: buyer, item_id, text: 'Is there stock?' });
  return {
    marketplace,
    seller,
    sellerClient: marketplace.clientFor(seller, options),
    seller_id: seller.user_id,
    buyer,
    buyerClient: marketplace.clientFor(buyer, options),
    buyer_id: buyer.user_id,
    item_id,
    question_id: id,
  };
}

/** Creates a marketplace with a sale, whose buyer has written the text, if there is one. */
export function createSale(text?: string) {
  const marketplace = new FakeMarketplace();
  const [seller, buyer] = [marketplace.addUser(), marketplace.addUser()];
  const { user_id } = seller;
  const pack = marketplace.addPack({ seller_id: user_id, buyer_id: buyer.user_id });
  if (text !== undefined) marketplace.buyerWrites({ pack, text });
  /** A message to the buyer, without its text. */
  const message = { pack_id: pack.pack_id!, user_id, to: { user_id: buyer.user_id } };
  const sent = () => marketplace.messages.of(pack).filter(({ from }) => from === user_id);
  return { marketplace, seller, buyer, user_id, pack, message, sent };
}
