import { describe, expect, onTestFinished, test } from 'vitest';
import { run } from '../support/program.ts';
import { hasRedis, startRedis } from '../support/redis.ts';

describe('the examples of notifications', () => {
  test('the Express example answers each question once', async () => {
    const { output, status } = await run('examples/notifications-express.ts');
    expect(output.match(/answered question \d+: .*/g)).toHaveLength(2);
    expect(output).toContain('Is there stock?');
    expect(output).not.toContain('failed');
    expect(status).toBe(0);
  });

  test('the fetch example reads with the token of the seller who was asked', async () => {
    const { output, status } = await run('examples/notifications-fetch.ts');
    expect(output.match(/seller \d+ was asked question \d+: Do you ship to Salta\?/g)).toHaveLength(2);
    expect(status).toBe(0);
  });

  test.skipIf(!hasRedis)('the BullMQ example adds one job for a notification that comes twice', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    const { output, status } = await run('examples/notifications-bullmq.ts', { REDIS_SOCKET: redis.path });
    expect(output).toContain('2 jobs done, 0, 0 left, for 4 deliveries');
    expect(output.match(/question \d+: .*/g)).toHaveLength(2);
    expect(status).toBe(0);
  });
});
