import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { createInbox, parseNotification } from 'marketplace-seller-sdk/inbox';
import { memoryStore, sqliteStore } from 'marketplace-seller-sdk/stores';
import type { Inbox } from 'marketplace-seller-sdk/inbox';
import type { InnerStore as Store } from '../../src/work/store.js';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { newEntry } from '../../src/notifications/notification.js';
import { about, deliver } from '../support/deliveries.ts';
import { untilEnded } from '../support/until-ended.ts';

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] }),
);
afterEach(() => void vi.useRealTimers());

describe('close()', () => {
  test('close() waits for the running handlers, and closes the store after them', async () => {
    const order: string[] = [];
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const store = Object.assign(memoryStore(), { close: () => Promise.resolve(void order.push('store closed')) });
    const inbox = createInbox({
      store,
      on: {
        questions: async () => {
          await promise;
          order.push('handled');
        },
      },
    });
    await deliver(inbox, about(1));
    await vi.advanceTimersByTimeAsync(0);
    const closing = inbox.close().then(() => order.push('closed'));
    await vi.advanceTimersByTimeAsync(5000);
    expect(order).toEqual([]);
    resolve(undefined);
    await closing;
    expect(order).toEqual(['handled', 'store closed', 'closed']);
  });
});

describe('a handler that runs longer than its lease', () => {
  /** An inbox whose handler takes 20 seconds with a lease of 3. */
  function createSlow(store: Store, runs: string[], name: string): Inbox {
    const slow = async (): Promise<void> => {
      runs.push(name);
      await new Promise((resolve) => setTimeout(resolve, 20_000));
    };
    return createInbox({ store, leaseMs: 3000, handlerTimeoutMs: 60_000, on: { questions: slow } });
  }

  test('a handler that runs longer than its lease runs once, although other workers look for work', async () => {
    const runs: string[] = [];
    const store = memoryStore();
    const [first, second] = [createSlow(store, runs, 'first'), createSlow(store, runs, 'second')];
    await deliver(first, about(1));
    for (let seconds = 0; seconds < 25; seconds += 1) {
      await vi.advanceTimersByTimeAsync(1000);
      // A delivery makes the other worker poll the store.
      if (seconds < 19) await deliver(second, about(1));
    }
    await Promise.all([untilEnded(first), untilEnded(second)]);
    expect(runs).toEqual(['first']);
  });

  test('the heartbeat ends with the last handler and leaves no timer behind', async () => {
    const inbox = createSlow(memoryStore(), [], 'only');
    await deliver(inbox, about(1));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(vi.getTimerCount()).toBeGreaterThan(1);
    await vi.advanceTimersByTimeAsync(10_000);
    await untilEnded(inbox);
    // Without a handler, the next beat is the last one.
    await vi.advanceTimersByTimeAsync(1000);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the limit of a body', () => {
  const request = (body: unknown) => ({ method: 'POST', header: () => null, body: () => Promise.resolve(body) });
  const text = JSON.stringify(about(1));
  const bytes = new TextEncoder().encode(text);

  test.each<[string, (length: number) => unknown]>([
    ['bytes', (length) => pad(bytes, length)],
    ['an ArrayBuffer', (length) => pad(bytes, length).buffer],
    ['text', (length) => text.padEnd(length, ' ')],
  ])('a body given as %s is accepted up to the limit, and gets 413 above it', async (_, bodyOf) => {
    const handled: number[] = [];
    const on = { questions: ({ question_id }: { question_id: number }) => void handled.push(question_id) };
    const inbox = createInbox({ on, maxBodyBytes: 500 });
    expect((await inbox.receive(request(bodyOf(501)))).status).toBe(413);
    expect((await inbox.receive(request(bodyOf(500)))).status).toBe(200);
    await untilEnded(inbox);
    expect(handled).toEqual([1]);
  });
});

describe('the keys of handled notifications', () => {
  const dayMs = 86_400_000;

  /** Handles notification 1, and notification 2 a day after the first. */
  async function handleTwo(store: Store): Promise<void> {
    const inbox = createInbox({ store, on: { questions: () => undefined } });
    await deliver(inbox, about(1));
    await untilEnded(inbox);
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.now() + dayMs + 1 });
    vi.advanceTimersByTime(dayMs);
    await deliver(inbox, about(2));
    await untilEnded(inbox);
    await inbox.close();
  }

  test('SQLite deletes the key of a handled notification after a day', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'promises-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'inbox.db');
    await handleTwo(sqliteStore(path));
    const stored = contentOf(path);
    expect(stored).toContain(await keyOf(2));
    expect(stored).not.toContain(await keyOf(1));
  });
});

function pad(bytes: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const padded = new Uint8Array(length).fill(32);
  padded.set(bytes);
  return padded;
}

async function keyOf(question_id: number): Promise<string> {
  return (await newEntry(parseNotification(about(question_id)), Date.now())).key;
}

/** Every row of every table of a database, as text. */
function contentOf(path: string): string {
  const { DatabaseSync: Database } = createRequire(import.meta.url)('node:sqlite') as {
    DatabaseSync: typeof DatabaseSync;
  };
  const database = new Database(path);
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const rows = tables.map(({ name }) => database.prepare(`SELECT * FROM ${String(name)}`).all());
  database.close();
  return JSON.stringify(rows);
}
