import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInbox } from 'marketplace-seller-sdk/inbox';
import { sqliteStore } from 'marketplace-seller-sdk/stores';
import type { InnerStore as Store } from '../../src/work/store.js';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { about, deliver, deliverUntilAccepted } from '../support/deliveries.ts';
import { silentLogger } from '../support/silent.ts';
import { untilEnded } from '../support/until-ended.ts';

/** A store whose space can be taken away. */
interface LimitedStore {
  readonly store: Store;
  fill(): Promise<void>;
  free(): Promise<void>;
}

async function limitedSqlite(): Promise<LimitedStore> {
  const folder = mkdtempSync(join(tmpdir(), 'full-'));
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
  const store = sqliteStore(join(folder, 'inbox.db'));
  await store.counts([]);
  const [database] = exec.mock.contexts as DatabaseSync[];
  onTestFinished(async () => {
    await store.close?.();
    rmSync(folder, { recursive: true });
  });
  // SQLite itself reports a full disk from this size on.
  const limitTo = (pages: number): Promise<void> => Promise.resolve(database?.exec(`PRAGMA max_page_count = ${pages}`));
  return { store, fill: () => limitTo(1), free: () => limitTo(1_000_000) };
}

describe('an inbox in SQLite without space', () => {
  test('it acknowledges nothing that it cannot keep, and recovers with all it acknowledged', async () => {
    const { store, fill, free } = await limitedSqlite();
    const handled: number[] = [];
    let running = 0;
    const handling = Promise.withResolvers<undefined>();
    const inbox = createInbox({
      store,
      logger: silentLogger,
      on: { questions: async ({ question_id }) => {
        running += 1;
        await handling.promise;
        handled.push(question_id);
      } },
    }); // prettier-ignore
    const acknowledged: number[] = [];
    const deliverAll = async (ids: readonly number[], how = deliverUntilAccepted): Promise<void> => {
      const deliverOne = async (id: number): Promise<void> => {
        const status = await how(inbox, about(id, { padding: 'x'.repeat(2_000) }));
        expect([200, 503]).toContain(status);
        if (status === 200) acknowledged.push(id);
      };
      await Promise.all(ids.map(deliverOne));
    };
    const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
    await deliverAll(range(0, 100));
    expect(acknowledged).toHaveLength(100);
    await expect.poll(() => running).toBe(32);
    await fill();
    await deliverAll(range(100, 300), deliver);
    expect(acknowledged.length).toBeLessThan(250);
    // Results are stored, or kept until they can be.
    handling.resolve(undefined);
    await expect.poll(() => handled.length).toBeGreaterThanOrEqual(32);
    await free();
    await deliverAll(range(300, 350));
    await untilEnded(inbox);
    expect(handled.sort((a, b) => a - b)).toEqual(acknowledged.sort((a, b) => a - b));
    expect(acknowledged.length).toBeGreaterThanOrEqual(150);
    await inbox.close();
  });
});
