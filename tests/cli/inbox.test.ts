import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createInbox } from 'marketplace-seller-sdk/inbox';
import { sqliteStore } from 'marketplace-seller-sdk/stores';
import type { Inbox } from 'marketplace-seller-sdk/inbox';
import { createOutbox } from 'marketplace-seller-sdk/outbox';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { about, deliver } from '../support/deliveries.ts';
import { running } from '../support/serving.ts';

let path: string;
let inboxes: Inbox[] = [];
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'inbox-')), 'inbox.db');
});
afterEach(async () => {
  for (const each of inboxes) await each.close();
  inboxes = [];
  rmSync(join(path, '..'), { recursive: true });
});

interface Row {
  readonly key: string;
  readonly topic: string;
  readonly resource: string;
  readonly attempts: number;
  readonly error: string | null;
  readonly nextInMs?: number | null;
}

async function inbox(...args: string[]): Promise<{ code: number; text: string; error: string }> {
  const { code, printed, errors } = running('inbox', ...args);
  return { code: await code, text: printed.join('\n'), error: errors.join('\n') };
}

async function rows(...args: string[]): Promise<readonly Row[]> {
  const { text } = await inbox(path, ...args, '--json');
  return JSON.parse(text) as Row[];
}

/** An inbox of four questions: one waits for its second attempt, one is dead; and of two items that nobody handles. */
async function filled(): Promise<void> {
  const opened = createInbox({
    store: sqliteStore(path),
    retry: { maxRetries: 1, firstDelayMs: 600_000 },
    logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    on: {
      questions: ({ question_id }, { attempt }) => {
        if (question_id === 1) throw new Error('the stock is away');
        if (question_id === 2 && attempt < 2) throw new RangeError('no answer fits');
        if (question_id === 3) throw Object.assign(new Error('a bug'), { isLasting: true });
      },
    },
  });
  inboxes.push(opened);
  for (const id of [1, 2, 3]) expect(await deliver(opened, about(id))).toBe(200);
  for (const id of [8, 9]) expect(await deliver(opened, { user_id: 7, topic: 'items', resource: `/items/${id}` })).toBe(200); // prettier-ignore
  await expect.poll(async () => (await opened.waiting.list()).filter(({ attempts }) => attempts > 0).length).toBe(3);
  const [, , third] = await opened.waiting.list();
  await opened.waiting.retryNow(third?.entry.key ?? '');
  await expect.poll(async () => (await opened.stats()).dead).toBe(1);
}

async function expectFailure(message: string, ...args: string[]): Promise<void> {
  const { code, error } = await inbox(...args);
  expect(code).toBe(1);
  expect(error).toContain(message);
}

describe('npx marketplace-seller-sdk inbox FILE', () => {
  test('stats counts what waits and what is dead, and is what it does without an action', async () => {
    await filled();
    const { code, text } = await inbox(path);
    expect(code).toBe(0);
    expect(text).toMatch(/^waiting +4\nrunning +0\ndead +1\n/);
    expect(JSON.parse((await inbox(path, 'stats', '--json')).text)).toMatchObject({ waiting: 4, dead: 1 });
  });

  test('waiting lists each resource with its attempts, its last error and its next attempt', async () => {
    await filled();
    const [first, second, ...items] = await rows('waiting');
    expect(first).toMatchObject({ resource: '/questions/1', attempts: 1, error: 'Error: the stock is away' });
    expect(first?.nextInMs).toBeGreaterThan(200_000);
    expect(second).toMatchObject({ resource: '/questions/2', error: 'RangeError: no answer fits' });
    expect(items).toMatchObject(['/items/8', '/items/9'].map((resource) => ({ resource, attempts: 0, error: null })));
    expect((await inbox(path, 'waiting', '--limit', '1')).text).toMatch(
      /\n.*\/questions\/1 +1 +\d+ min.*stock is away$/,
    );
  });

  test('dead lists what was given up, and a filter means those for which all of it is true', async () => {
    await filled();
    expect(await rows('dead')).toMatchObject([{ resource: '/questions/3', attempts: 2, error: 'Error: a bug' }]);
    expect(await rows('dead', '--topic', 'Questions', '--error', 'bug', '--since', '1h')).toHaveLength(1);
    for (const other of [
      ['--topic', 'items'],
      ['--error', 'stock'],
      ['--since', '2090-01-01T00:00:00Z'],
      ['--key', 'a'],
    ])
      expect(await rows('dead', ...other)).toEqual([]);
    expect((await inbox(path, 'dead', '--topic', 'items')).text).toBe('none');
  });

  test('replay has what was given up handled again, all or those that are meant', async () => {
    await filled();
    expect((await inbox(path, 'replay', '--error', 'stock')).text).toMatch(/^replayed +0$/);
    expect((await inbox(path, 'replay', '--topic', 'questions', '--since', '1h')).text).toMatch(/^replayed +1$/);
    await expect.poll(async () => rows('dead')).toEqual([]);
  });

  test('retry-now ends the delay of what waits', async () => {
    await filled();
    expect((await inbox(path, 'retry-now', '--error', 'no answer fits')).text).toMatch(/^retried +1$/);
    await expect
      .poll(async () => (await rows('waiting')).map(({ resource }) => resource))
      .not.toContain('/questions/2');
    expect((await rows('waiting')).map(({ resource }) => resource)).toContain('/questions/1');
  });

  test('remove deletes what waits or what is dead: only what is meant', async () => {
    await filled();
    expect((await inbox(path, 'remove', '--state', 'waiting', '--topic', 'items')).text).toMatch(/^removed +2$/);
    expect((await rows('waiting')).map(({ topic }) => topic)).toEqual(['questions', 'questions']);
    const [dead] = await rows('dead');
    expect((await inbox(path, 'remove', '--state', 'dead', '--key', dead?.key ?? '')).text).toMatch(/^removed +1$/);
    expect(await rows('dead')).toEqual([]);
  });

  test('a module may export the store instead', async () => {
    await filled();
    const module = join(path, '../store.mjs');
    writeFileSync(module, 'export const store = globalThis.storeOfThisTest;');
    Object.assign(globalThis, { storeOfThisTest: sqliteStore(path) });
    expect((await inbox(module, 'stats')).text).toMatch(/^waiting +4$/m);
    writeFileSync(join(path, '../nothing.mjs'), 'export const inbox = 1;');
    await expectFailure('exports no store', join(path, '../nothing.mjs'));
  });

  test('a path that was mistyped creates nothing, and a file of another program is not changed', async () => {
    for (const action of ['stats', 'waiting', 'dead', 'replay', 'retry-now']) {
      await expectFailure('there is no file', path, action);
      expect(existsSync(path)).toBe(false);
    }
    const db = new DatabaseSync(path);
    db.exec('CREATE TABLE sales (id)');
    await expectFailure('belongs to another program', path);
    expect(db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'delete' });
    db.close();
  });

  test('one file holds an inbox and an outbox, and each command shows its own', async () => {
    const outbox = createOutbox({ store: sqliteStore(path), clientFor: () => undefined });
    const codeOf = async (action: string): Promise<number> => running('outbox', path, action).code;
    const input = { question_id: 1, text: 'Yes.' };
    await outbox.add({ key: 'a', user_id: 7, endpoint: endpoints.questions.answer, input });
    expect((await inbox(path)).text).toMatch(/^waiting +0$/m);
    await filled();
    expect((await inbox(path)).text).toMatch(/^waiting +4$/m);
    expect((await inbox(path, 'remove', '--state', 'waiting', '--since', '1h')).text).toMatch(/^removed +4$/);
    const { code, printed } = running('outbox', path);
    expect([await code, printed.join('\n')]).toEqual([0, expect.stringMatching(/^waiting +1$/m)]);
    await outbox.close();
    for (const action of ['stats', 'waiting', 'dead', 'rejected', 'replay', 'retry-now'])
      expect([action, await codeOf(action), (await inbox(path, action)).code]).toEqual([action, 0, 0]);
  });

  test('each command has a help of its own: an outbox has no topics', async () => {
    const helpOf = async (name: string): Promise<string> => {
      const { code, printed } = running(name, '--help');
      expect(await code).toBe(0);
      return printed.join('\n');
    };
    expect(await helpOf('inbox')).toContain('--topic TOPIC');
    const text = await helpOf('outbox');
    expect(text).not.toContain('topic');
    expect(text).not.toContain('notification');
    const { code, errors } = running('outbox', path, 'waiting', '--topic', 'questions');
    expect([await code, errors.join()]).toEqual([2, expect.stringContaining("Unknown option '--topic'")]);
  });

  test.each([
    [[], 'inbox takes FILE, then an action (default: stats)'],
    [['a.db', 'stats', 'more'], 'inbox takes FILE, then an action (default: stats)'],
    [['a.db', 'list'], 'has no action "list"'],
    [['a.db', 'remove'], 'remove needs --state waiting, --state dead or --state rejected'],
    [
      ['a.db', 'remove', '--state', 'all', '--key', 'a'],
      'remove needs --state waiting, --state dead or --state rejected',
    ],
    [['a.db', 'remove', '--state', 'dead'], 'remove needs --key, --topic, --since or --error'],
    [['a.db', 'dead', '--since', 'yesterday'], '--since must be a time'],
    [['a.db', 'waiting', '--limit', '0'], '--limit must be a number'],
  ])('%j is an invalid command line', async (args, message) => {
    const { code, error } = await inbox(...args);
    expect(code).toBe(2);
    expect(error).toContain(message);
  });

  test('the text of strangers cannot control the terminal', async () => {
    const store = sqliteStore(path);
    const notification = { known: false, user_id: 7, topic: 'a\u001b[2J', resource: '/a\n\u202eb' } as const;
    const data = { key: 'k', groupId: 'g', sentAt: 1, arrivedAt: 1, notification };
    await store.add({ key: 'k', kind: '*', group: 'g', owner: '7', sentAt: 1, data });
    await store.close?.();
    expect((await inbox(path, 'waiting')).text).toContain('a\\u001b[2J  7        /a\\u000a\\u202eb');
  });
});
