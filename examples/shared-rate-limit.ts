/**
 * One rate limit for several machines: a limiter over rate-limiter-flexible.
 *
 *   node examples/shared-rate-limit.ts                                       the limit lives in this process
 *   REDIS_SOCKET=/run/redis/redis.sock node examples/shared-rate-limit.ts    it is shared by whoever uses this Redis
 */
import { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterQueue, RateLimiterRedis } from 'rate-limiter-flexible';
import type { Limiter } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

const limit = { points: 10, duration: 1, keyPrefix: 'marketplace' };
const path = process.env.REDIS_SOCKET;
const redis = path === undefined ? undefined : new Redis({ path, enableOfflineQueue: true });
const backend = redis ? new RateLimiterRedis({ ...limit, storeClient: redis }) : new RateLimiterMemory(limit);
const queue = new RateLimiterQueue(backend);

/** Ten attempts a second leave, of all clients together: one queue a host. */
const limiter: Limiter = {
  acquire: async ({ host }) => {
    await queue.removeTokens(1, host);
  },
};

const marketplace = new FakeMarketplace();
const account = marketplace.addUser();
const { item_id } = marketplace.addItem({ seller_id: account.user_id });
const { id: question_id } = marketplace.ask({ from: marketplace.addUser(), item_id, text: 'Is there stock?' });

// Two clients, as if on two machines; without the limiter, their 24 calls would leave at once.
const [one, other] = [marketplace.clientFor(account, { limiter }), marketplace.clientFor(account, { limiter })];
const startedAt = performance.now();
await Promise.all(
  Array.from({ length: 24 }, (_, index) => (index % 2 === 0 ? one : other).questions.get({ question_id })),
);
const seconds = (performance.now() - startedAt) / 1000;
console.log(
  `24 calls of two clients left within ${seconds.toFixed(1)} s, ten a second (${redis ? 'Redis' : 'memory'})`,
);
redis?.disconnect();
