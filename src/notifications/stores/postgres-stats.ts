import type { PostgresRow, RunStatement } from './postgres-database.js';
import { topicsWith } from '../topic-arrivals.js';
import type { Arrivals } from '../topic-arrivals.js';
import type { StoreStats, TopicStats } from './store.js';

/** Counts what an inbox in PostgreSQL holds. */
export async function statsOf(run: RunStatement, arrivals: Arrivals): Promise<StoreStats> {
  const counts = `SELECT (SELECT count(*) FROM seller_inbox_waiting)::float8 AS entries,
    (SELECT count(*) FROM seller_inbox_group WHERE token IS NOT NULL)::float8 AS leased,
    (SELECT count(*) FROM seller_inbox_dead)::float8 AS dead,
    (SELECT coalesce(sum(unconfirmed), 0) FROM seller_inbox_room WHERE unconfirmed > 0)::float8 AS unconfirmed,
    (SELECT entries FROM seller_inbox_expired_total) AS expired,
    (SELECT arrived_at FROM seller_inbox_waiting ORDER BY number LIMIT 1) AS arrived_at`;
  const byTopic = `SELECT topic, count(*)::float8 AS entries, max(arrived_at) AS last_arrival, min(arrived_at) AS arrived_at
    FROM seller_inbox_waiting GROUP BY topic LIMIT 1000`;
  const [row] = await run(counts);
  const topics = await run(byTopic);
  const { entries = 0, leased: running = 0, dead = 0, unconfirmed = 0, expired = 0 } = row ?? {};
  return {
    waiting: entries - running,
    running,
    dead,
    ...(unconfirmed > 0 && { unconfirmed }),
    ...(expired > 0 && { expired }),
    // There is none where nothing waits.
    ...(typeof row?.arrived_at === 'number' && { oldestAgeMs: ageOf(row) }),
    topics: topicsWith(
      arrivals,
      topics.map((each) => [each.topic, topicOf(each)] as const),
    ),
  };
}

function topicOf(row: PostgresRow): TopicStats {
  return { waiting: row.entries, lastArrivalAt: row.last_arrival, oldestAgeMs: ageOf(row) };
}

function ageOf({ arrived_at }: Pick<PostgresRow, 'arrived_at'>): number {
  return Math.max(0, Date.now() - arrived_at);
}
