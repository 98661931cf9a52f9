import { expect, test } from 'vitest';
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

if (hasRedis) {
  test('a shared rate limit works across machines through Redis', async () => {
    const redis = await startRedis();
    const { output, status } = await run('examples/shared-rate-limit.ts', { REDIS_SOCKET: redis.path });
    expect(output).toContain('(Redis)');
    expect(secondsIn(output)).toBeGreaterThan(1);
    expect(status).toBe(0);
    await redis.stop();
  });
}

test('a token set in a database is refreshed once', async () => {
  const { output, status } = await run('examples/token-in-a-database.ts');
  expect(output).toContain('3 searches, one refresh');
  expect(output.match(/refreshed once/g)).toHaveLength(1);
  expect(status).toBe(0);
});
