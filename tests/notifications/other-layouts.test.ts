import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { createInbox } from 'marketplace-seller-sdk/inbox';
import { sqliteStore } from 'marketplace-seller-sdk/stores';
import { createOutbox } from 'marketplace-seller-sdk/outbox';
import { describe, expect, test, vi } from 'vitest';
import { about, deliver } from '../support/deliveries.ts';
import { newFiles } from '../support/new-files.ts';

// A file that this version cannot read: who starts on it is told at once, who only receives answers 503 and says it once a minute.

const newFile = newFiles();

const damaged = 'a text that is long enough to be read as the header of a database, and is none. '.repeat(20);
/** Makes files of other layouts, and says what is said of each. */
const layouts: Readonly<Record<string, readonly [(path: string) => void, string]>> = {
  'another program': [made('CREATE TABLE orders (id INTEGER)'), 'belongs to another program'],
  'a later version': [
    made('CREATE TABLE seller_work (key TEXT); PRAGMA application_id = 0x4d53494e; PRAGMA user_version = 99'),
    'use that version, and keep the file: without its keys, what was sent is sent again',
  ],
  'no database': [(path) => writeFileSync(path, damaged), 'restore it from a backup'],
};

function made(sql: string): (path: string) => void {
  return (path) => {
    const file = new DatabaseSync(path);
    file.exec(sql);
    file.close();
  };
}

function fileOf(layout: string): string {
  const path = newFile();
  layouts[layout]?.[0](path);
  return path;
}

function logged() {
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line);
  return { lines, logger: { error: write, warn: write, info: write, debug: write } };
}

describe.each(Object.keys(layouts))('a file of %s', (layout) => {
  const [, reason] = layouts[layout]!;

  test('rejects start(), and nothing runs on', async () => {
    const store = sqliteStore(fileOf(layout));
    const { lines, logger } = logged();
    const inbox = createInbox({ store, logger, fallback: () => undefined });
    const outbox = createOutbox({ store, logger, clientFor: () => undefined });
    for (const part of [inbox, outbox, inbox]) {
      const started = Promise.resolve(part.start());
      await expect(started).rejects.toMatchObject({
        name: 'ConfigurationError',
        message: expect.stringContaining(reason) as string,
      });
    }
    expect(lines).toEqual([]);
    await Promise.all([inbox.close(), outbox.close()]);
  });

  test('gives 503 to deliveries, and says why once a minute', async () => {
    vi.useFakeTimers();
    const { lines, logger } = logged();
    const inbox = createInbox({ store: sqliteStore(fileOf(layout)), logger, fallback: () => undefined });
    for (let minute = 0; minute < 3; minute += 1) {
      for (let second = 0; second < 12; second += 1) {
        expect(await deliver(inbox, about(second))).toBe(503);
        await vi.advanceTimersByTimeAsync(5_000);
      }
      expect(lines).toHaveLength(minute + 1);
    }
    expect(lines.every((line) => line.includes(reason))).toBe(true);
    expect(lines[1]).toContain('(12 times since it was said last)');
    await inbox.close();
    vi.useRealTimers();
  });

  test('is left as it is by what only adds, which is told each time', async () => {
    const outbox = createOutbox({ store: sqliteStore(fileOf(layout)), clientFor: () => undefined });
    const job = { key: 'one', user_id: 7, contact: { pack_id: 1, user_id: 7, text: 'Yes.' } };
    for (let times = 0; times < 2; times += 1) await expect(outbox.add(job)).rejects.toThrow(reason);
    await outbox.close();
  });
});

test('a store that is away for now does not reject start()', async () => {
  const path = newFile('later/seller.db');
  const { lines, logger } = logged();
  const outbox = createOutbox({ store: sqliteStore(path), logger, clientFor: () => undefined });
  await outbox.start();
  await expect.poll(() => lines.length).toBe(1);
  expect(lines[0]).toContain('its folder must exist and be writable');
  await outbox.close();
});
