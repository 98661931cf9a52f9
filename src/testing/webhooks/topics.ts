import { FakeMarketplaceError } from '../errors.js';
import { didYouMean } from '../../core/options/nearest.js';
import { assertText } from '../state/assert-fields.js';

/** The topics of the service. The marketplace itself emits `questions`, `messages`, `orders_v2` and `items`; tests can trigger the others. */
export const topics: readonly string[] = [
  'best_sellers',
  'catalog_item_competition_status',
  'catalog_suggestions',
  'claims',
  'claims_actions',
  'fbm_stock_operations',
  'flex-handshakes',
  'invoices',
  'item_competition',
  'items',
  'items_prices',
  'leads_credits',
  'messages',
  'orders',
  'orders_feedback',
  'orders_v2',
  'payments',
  'post_purchase',
  'price_suggestion',
  'public_candidates',
  'public_offers',
  'questions',
  'quotations',
  'shipments',
  'stock-locations',
  'user-products-families',
  'vis_leads',
];

/** @throws {FakeMarketplaceError} when the service has no such topic */
export function assertTopic(topic: string): void {
  assertText('topic', topic);
  if (topics.includes(topic)) return;
  const hint = didYouMean(topic, topics, `the topics are ${topics.join(', ')}`);
  throw new FakeMarketplaceError(`there is no topic "${topic}"; ${hint}`);
}
