import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { openInbox, postgresStore, sqliteStore } from 'marketplace-seller-sdk/notifications';
import type { NotificationStore } from 'marketplace-seller-sdk/notifications';
import { Pool } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { hasPostgres, startPostgres } from '../support/postgres.ts';
import { bundled } from '../support/program.ts';
import { hasRedis, startRedis } from '../support/redis.ts';
import { Answering } from './answering.ts';
import type { Place } from './answering.ts';

/** `KILLS=200 npx vitest run tests/kills/replies.test.ts` runs the long one. */
const kills = Number(process.env.KILLS ?? 8);

test('the handlers that are killed are those of the guide', () => {
  const handlers = readFileSync(join(import.meta.dirname, 'guide-handlers.ts'), 'utf8');
  const guide = words(readFileSync(join(import.meta.dirname, '../../docs/guide/notifications.md'), 'utf8'));
  const [questions = '', messages = ''] = handlers.split(/^(?=  messages:)/m);
  expect(guide).toContain(words(questions.slice(questions.indexOf('  questions:'))));
  expect(guide).toContain(words(messages.replace(/^};\n/m, '')));
});

test('with SQLite, the handlers of the guide answer once, however often their processes are killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'replies-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'inbox.db');
  await answersOnce('sqlite', path, () => sqliteStore({ path }));
});

test.skipIf(!hasPostgres)('with PostgreSQL, they answer once too', async () => {
  const { connectionString, stop } = await startPostgres();
  const pool = new Pool({ connectionString });
  pool.on('error', () => {});
  onTestFinished(async () => {
    await pool.end();
    await stop();
  });
  await answersOnce('postgres', connectionString, () => postgresStore({ pool }));
});

test.skipIf(!hasRedis)('with BullMQ, they answer once too', async () => {
  const redis = await startRedis();
  const queue = new Queue('notifications', { connection: { path: redis.path } });
  onTestFinished(async () => {
    await queue.close();
    await redis.stop();
  });
  const left = async () => {
    const { failed: dead = 0, completed: _, ...others } = await queue.getJobCounts();
    return { left: Object.values(others).reduce((sum, each) => sum + each, 0), dead };
  };
  await countedOnce({ kind: 'bullmq', where: redis.path, left });
});

async function answersOnce(kind: Place['kind'], where: string, open: () => NotificationStore): Promise<void> {
  let inbox: ReturnType<typeof openInbox> | undefined;
  const left = async () => {
    inbox ??= openInbox(open());
    const { waiting, running, dead } = await inbox.stats();
    return { left: waiting + running, dead };
  };
  onTestFinished(async () => inbox?.close());
  await countedOnce({ kind, where, left });
}

async function countedOnce(place: Place): Promise<void> {
  const answering = new Answering(await bundled('tests/kills/reply-process.ts'), place);
  onTestFinished(() => answering.close());
  const found = await answering.run(kills);
  console.log(place.kind, JSON.stringify(found));
  expect(found).toEqual({ ...found, kills, doubled: 0, unanswered: 0, dead: 0 });
  expect(found.questions).toBeGreaterThan(kills);
}

const words = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
