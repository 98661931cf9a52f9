/**
 * One rate limit for several machines: a `limiter` built with rate-limiter-flexible.
 *
 *   node examples/shared-rate-limit.ts                                       the limit applies to this process
 *   REDIS_SOCKET=/run/redis/redis.sock node examples/shared-rate-limit.ts    all processes that use this Redis share it
 */
import { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterQueue, RateLimiterRedis } from 'rate-limiter-flexible';
import type { Limiter } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

const limit = { points: 10, duration: 1, keyPrefix: 'marketplace' };
const path = process.env.REDIS_SOCKET;
const redis = path === undefined ? undefined : new Redis({ path, enableOfflineQueue: true });
const backend = redis
  ? new RateLimiterRedis({ ...limit, storeClient: redis })
  : new RateLimiterMemory(limit);
const queue = new RateLimiterQueue(backend);

/** Limits all clients together to ten requests per second and host. */
const limiter: Limiter = {
  acquire: async ({ host }) => {
    await queue.removeTokens(1, host);
  },
};

const marketplace = new FakeMarketplace();
const account = marketplace.addUser();
const { item_id } = marketplace.addItem({ seller_id: account.user_id });
const { id: question_id } = marketplace.ask({
  from: marketplace.addUser(),
  item_id,
  text: 'Is it in stock?',
});

// Two clients, which could be on two machines. Without the limiter, their 24 calls would be sent at once.
const [one, other] = [
  marketplace.clientFor(account, { limiter }),
  marketplace.clientFor(account, { limiter }),
];
const startedAt = performance.now();
await Promise.all(
  Array.from({ length: 24 }, (_, index) => (index % 2 === 0 ? one : other).questions.get({ question_id })),
);
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
const store = redis ? 'Redis' : 'memory';
console.log(`24 calls of two clients were sent within ${seconds} s, ten per second (${store})`);
redis?.disconnect();
