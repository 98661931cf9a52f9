import { renameSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { createInbox } from 'marketplace-seller-sdk/inbox';
import { memoryStore, sqliteStore } from 'marketplace-seller-sdk/stores';
import type { InboxOptions } from 'marketplace-seller-sdk/inbox';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Reporter } from '../../src/notifications/context.js';
import { about, deliver } from '../support/deliveries.ts';
import { loadClientFirst } from '../support/fake-time.ts';
import { newFiles } from '../support/new-files.ts';

// Lines that a person can sleep by.

loadClientFirst();
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const silent = (): void => {};

/** The lines of a logger, with their level. */
function logged() {
  const lines: string[] = [];
  const at = (level: string) => (line: string) => void lines.push(`${level} ${line}`);
  return { lines, logger: { debug: silent, info: at('info'), warn: at('warn'), error: at('error') } };
}

const newFile = newFiles();
/** An inbox with a file of its own. */
function inFile(options: InboxOptions) {
  const path = newFile();
  return { path, inbox: createInbox({ store: sqliteStore(path), ...options }) };
}

test.each([
  ['a full disk', (): void => void vi.spyOn(DatabaseSync.prototype, 'exec'), /full/],
  ['a missing file', undefined, /was deleted or moved/],
])('%s is one line a minute, with the number of the others', async (_, spy, says) => {
  const { lines, logger } = logged();
  spy?.();
  const { path, inbox } = inFile({ logger, on: { questions: silent } });
  inbox.start();
  expect(await deliver(inbox, about(1))).toBe(200);
  await inbox.idle();
  if (spy) (vi.mocked(DatabaseSync.prototype.exec).mock.contexts[0] as DatabaseSync).exec('PRAGMA max_page_count = 1');
  else renameSync(path, `${path}.away`);
  for (let id = 2; id < 102; id += 1) {
    expect(await deliver(inbox, about(id, { padding: 'x'.repeat(9_000) }))).toBe(503);
    await vi.advanceTimersByTimeAsync(80);
  }
  const failed = lines.filter((line) => says.test(line));
  expect(failed).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await deliver(inbox, about(200, { padding: 'x'.repeat(9_000) }))).toBe(503);
  const [, second = ''] = lines.filter((line) => says.test(line));
  expect(Number(/\((\d+) times since it was said last\)/.exec(second)?.[1])).toBeGreaterThanOrEqual(99);
  expect(lines.filter((line) => says.test(line)).length).toBeLessThanOrEqual(3);
  if (!spy) renameSync(`${path}.away`, path);
  await inbox.close();
  vi.restoreAllMocks();
});

test('dead letters are no repetition: each has its line', async () => {
  const { lines, logger } = logged();
  const questions = (): never => {
    throw new Error('no stock');
  };
  const inbox = createInbox({ store: memoryStore(), logger, retry: { maxRetries: 0 }, on: { questions } });
  for (let id = 1; id <= 5; id += 1) await deliver(inbox, about(id));
  await inbox.idle();
  expect(lines.filter((line) => line.startsWith('error') && line.includes('no stock'))).toHaveLength(5);
  await inbox.close();
});

test('what is not shown is said once per seller', () => {
  const { lines, logger } = logged();
  const reporter = new Reporter({ logger } as never);
  for (const user_id of [7, 8, 7, 8]) reporter.notShown(user_id);
  expect(lines).toHaveLength(2);
});

test('that a write of an earlier run may still be carried out is said once, as information', async () => {
  const { lines, logger } = logged();
  const marketplace = new FakeMarketplace();
  const seller = marketplace.addUser({ user_id: 7 });
  const { item_id } = marketplace.addItem({ seller_id: 7 });
  const client = marketplace.clientFor(seller, { maxRetries: 0 });
  marketplace.faults.inject({ endpoint: 'questions.answer', reset: 'before', times: 3 });
  const inbox = createInbox({
    clientFor: () => client,
    logger,
    on: {
      questions: async ({ question_id }, { client: of }) =>
        void (await of.questions.answer({ question_id, text: 'Yes.' })),
    },
  });
  const ids = [1, 2, 3].map(() => marketplace.ask({ from: marketplace.addUser(), item_id, text: 'New?' }).id);
  for (const id of ids) await deliver(inbox, about(id));
  await vi.advanceTimersByTimeAsync(600_000);
  expect(marketplace.questions.all.every(({ answer }) => answer)).toBe(true);
  const said = lines.filter((line) => line.includes('was sent by an earlier run'));
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/^info POST \/answers was sent by an earlier run and may still be carried out/);
  await inbox.close();
});
