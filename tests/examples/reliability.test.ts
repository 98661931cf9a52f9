import { expect, onTestFinished, test } from 'vitest';
import { run } from '../support/program.ts';
import { hasRedis, startRedis } from '../support/redis.ts';

/** How long the 24 calls took, in seconds. At ten per second it is more than one. */
function secondsIn(output: string): number {
  return Number(/within ([\d.]+) s/.exec(output)?.[1]);
}

test('a shared rate limit sends ten calls per second from all clients together', async () => {
  const { output, status } = await run('examples/shared-rate-limit.ts');
  expect(output).toContain('(memory)');
  expect(secondsIn(output)).toBeGreaterThan(1);
  expect(status).toBe(0);
});

test.skipIf(!hasRedis)('two processes share one rate limit through Redis', async () => {
  const redis = await startRedis();
  const start = async () => {
    const { status, output } = await run('examples/shared-rate-limit.ts', { REDIS_SOCKET: redis.path });
    const endedAt = performance.now() / 1000;
    return { status, output, endedAt, beganAt: endedAt - secondsIn(output) };
  };
  const runs = await Promise.all([start(), start()]);
  await redis.stop();
  expect(runs.map(({ status }) => status)).toEqual([0, 0]);
  for (const { output } of runs) expect(output).toContain('(Redis)');
  // 48 calls at ten per second: either process alone would need two seconds. On a busy machine, one of them begins later.
  const seconds = Math.max(...runs.map(({ endedAt }) => endedAt)) - Math.min(...runs.map(({ beganAt }) => beganAt));
  expect(seconds).toBeGreaterThan(3);
});

test.skipIf(!hasRedis)('the BullMQ example adds one job for a notification that comes twice', async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const { output, status } = await run('examples/notifications-bullmq.ts', { REDIS_URL: redis.path });
  expect(output).toContain('2 handled, 0 left, for 4 deliveries');
  expect(output.match(/question \d+: .*/g)).toHaveLength(2);
  expect(status).toBe(0);
});
