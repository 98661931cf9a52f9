import type { SeedOf } from './schema.js';

const minute = 60_000;

/** Creates the default seed: a small marketplace with some history. */
export function sample(now = Date.now()): SeedOf {
  const ago = (minutes: number): string => new Date(now - minutes * minute).toISOString();
  return {
    users: [
      { user_id: 1001, nickname: 'MATE_AND_CO', site_id: 'MLA', token: 'SELLER-TOKEN' },
      { user_id: 1002, nickname: 'LUCIA', site_id: 'MLA', token: 'BUYER-TOKEN' },
      { user_id: 1003, nickname: 'TOMAS', site_id: 'MLA' },
    ],
    items: [
      { item_id: 'MLA600000001', seller_id: 1001, title: 'Calabash mate cup with silver rim', flex: true },
      { item_id: 'MLA600000002', seller_id: 1001, title: 'Bombilla, stainless steel, 19 cm' },
      { item_id: 'MLA600000003', seller_id: 1001, title: 'Thermos, one litre, green', status: 'paused' },
    ],
    questions: [
      {
        item_id: 'MLA600000001',
        from: 1003,
        text: 'Does it come cured?',
        asked_at: ago(190),
        answer: 'Yes, it is cured and ready for its first mate.',
        answered_at: ago(162),
      },
      { item_id: 'MLA600000002', from: 1003, text: 'Does the filter come off for washing?', asked_at: ago(47) },
      { item_id: 'MLA600000001', from: 1002, text: '¿Hacen envíos a Córdoba?', asked_at: ago(6) },
      // What a list of unanswered questions also has: none of these can be answered. Wire notes 29.
      { item_id: 'MLA600000002', from: 1002, text: 'Can I call you?', asked_at: ago(40), hold: true },
      {
        item_id: 'MLA600000001',
        from: 1003,
        text: 'Is there a kit with both?',
        asked_at: ago(30),
        deleted_from_listing: true,
      },
      { item_id: 'MLA600000003', from: 1003, text: 'When is the thermos back?', asked_at: ago(20) },
    ],
    packs: [
      {
        pack_id: 2_000_000_000_000_001,
        seller_id: 1001,
        buyer_id: 1002,
        shipping: 'flex',
        messages: [
          { from: 'buyer', text: 'Hello! Could it come after six in the evening?', sent_at: ago(31) },
          { from: 'seller', text: 'Of course. The driver has it in the last round.', sent_at: ago(24) },
        ],
      },
      {
        pack_id: 2_000_000_000_000_002,
        seller_id: 1001,
        buyer_id: 1003,
        shipping: 'cross_docking',
        blockedBy: 'blocked_by_cancelled_order',
        messages: [{ from: 'buyer', text: 'I found one closer to home, sorry.', sent_at: ago(75) }],
      },
      // A single order, without a pack: its id is that of the conversation. Wire notes 27.
      {
        pack_id: null,
        order_ids: [3_000_000_000_000_101],
        seller_id: 1001,
        buyer_id: 1003,
        shipping: 'drop_off',
      },
    ],
    flex: { subscriptions: [{ user_id: 1001 }], shipments: [{ user_id: 1001, driver_id: 77 }] },
    contacts: [{ kind: 'phone_view', item_id: 'MLA600000001', at: ago(90), times: 4 }],
  };
}
