import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres } from '../../tests/support/postgres.ts';
import { Inboxes } from './inboxes.ts';
import { startCluster, startSentinel, startServer } from './redis-servers.ts';

/** What came of a run: figures, of which `lost` has to be 0. */
export type Counts = Awaited<ReturnType<Inboxes['result']>> & { readonly rejected: number };

/** Kills the process in the middle of deliveries and handlers. */
export async function kills(store: string, where: string | undefined, count: number, lifeMs: number): Promise<Counts> {
  return withInboxes(store, where, async (inboxes) => {
    for (let kill = 0; kill < count; kill += 1) {
      const { port, process } = await inboxes.start('killed');
      const delivering = inboxes.deliver(port, () => false);
      await pause(lifeMs * (0.2 + Math.random()));
      process.kill('SIGKILL');
      await delivering;
    }
    return (await inboxes.start('killed')).process;
  });
}

const item = (id: number): string =>
  JSON.stringify({ _id: `item-${id}`, user_id: 7, topic: 'items', resource: `/items/${id}` });

/** A newer release, with a handler for one topic more, beside an older one: by turns it replaces it, or is rolled back. */
export async function deploys(rounds: number): Promise<Counts> {
  return withInboxes('sqlite', undefined, async (inboxes) => {
    let older = await inboxes.start('older');
    for (let round = 0; round < rounds; round += 1) {
      const newer = await inboxes.start('newer');
      const endsAt = performance.now() + 400;
      const hasEnded = (): boolean => performance.now() > endsAt;
      const delivering = [
        inboxes.deliver(older.port, hasEnded, { at: 4, everyMs: 5 }),
        inboxes.deliver(newer.port, hasEnded, { at: 4, everyMs: 5 }),
        inboxes.deliver(newer.port, hasEnded, { at: 4, everyMs: 5, body: item }),
      ];
      await pause(200);
      const leaving = round % 2 ? newer : older;
      leaving.process.kill('SIGTERM');
      await Promise.all([once(leaving.process, 'exit'), ...delivering]);
      if (leaving === newer) continue;
      newer.process.kill('SIGTERM');
      [older] = await Promise.all([inboxes.start('older'), once(newer.process, 'exit')]);
    }
    const { process } = await inboxes.start('newer');
    process.once('exit', () => older.process.kill('SIGKILL'));
    return process;
  });
}

/** The primary of Redis is killed, and a Sentinel promotes its replica. */
export async function failovers(rounds: number): Promise<Counts> {
  const all: Counts[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const redis = await startSentinel();
    const where = JSON.stringify({ sentinels: [{ host: '127.0.0.1', port: redis.sentinel }], name: 'primary' });
    all.push(
      await withInboxes('bullmq', where, async (inboxes) => {
        const { port, process } = await inboxes.start('killed');
        const endsAt = performance.now() + 6_000;
        const delivering = inboxes.deliver(port, () => performance.now() > endsAt, { everyMs: 5 });
        await pause(1_000);
        redis.killPrimary();
        await delivering;
        return process;
      }),
    );
    await redis.stop();
  }
  const total = (name: keyof Counts): number => all.reduce((sum, each) => sum + each[name], 0);
  return {
    acknowledged: total('acknowledged'),
    lost: total('lost'),
    again: total('again'),
    attempts: Math.max(...all.map(({ attempts }) => attempts)),
    rejected: total('rejected'),
  };
}

/** The slot of the queue moves to another node of a cluster, again and again. */
export async function resharding(rounds: number): Promise<Counts> {
  const cluster = await startCluster();
  try {
    return await withInboxes('bullmq', JSON.stringify({ cluster: cluster.ports }), async (inboxes) => {
      const { port, process } = await inboxes.start('killed');
      let hasEnded = false;
      const delivering = inboxes.deliver(port, () => hasEnded, { everyMs: 5 });
      for (let round = 0; round < rounds; round += 1) {
        await pause(300);
        await cluster.moveSlot('{seller}', round);
      }
      hasEnded = true;
      await delivering;
      return process;
    });
  } finally {
    await cluster.stop();
  }
}

export async function bullmqKills(count: number): Promise<Counts> {
  const redis = await startServer(['--appendonly', 'yes']);
  try {
    return await kills('bullmq', JSON.stringify({ port: redis.port }), count, 1_000);
  } finally {
    await redis.stop();
  }
}

export async function postgresKills(count: number): Promise<Counts> {
  const postgres = await startPostgres({ fsync: true });
  try {
    return await kills('postgres', postgres.connectionString, count, 1_000);
  } finally {
    await postgres.stop();
  }
}

async function withInboxes(
  store: string,
  where: string | undefined,
  run: (inboxes: Inboxes) => Promise<{ kill(signal: 'SIGKILL'): unknown }>,
): Promise<Counts> {
  const inboxes = new Inboxes(store, where);
  try {
    const last = await run(inboxes);
    const result = { ...(await inboxes.result()), rejected: inboxes.rejected };
    last.kill('SIGKILL');
    return result;
  } finally {
    inboxes.remove();
  }
}
