import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInbox } from 'marketplace-seller-sdk/inbox';
import { sqliteStore } from 'marketplace-seller-sdk/stores';
import type { ReviewItem } from 'marketplace-seller-sdk/inbox';
import { sqliteTokens } from 'marketplace-seller-sdk/oauth';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { running } from '../support/serving.ts';
import { silentLogger } from '../support/silent.ts';

let folder: string;
const at = (name: string): string => join(folder, name);
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'review-'))));
afterEach(() => rmSync(folder, { recursive: true }));

async function review(...args: string[]): Promise<{ code: number; text: string; error: string }> {
  const { code, printed, errors } = running('review', ...args);
  return { code: await code, text: printed.join('\n'), error: errors.join('\n') };
}

/** A store with a question that failed for good and one that is tried again, and the tokens of two sellers, one of them revoked. */
async function filled(): Promise<void> {
  const inbox = createInbox({
    store: sqliteStore(at('team.db')),
    logger: silentLogger,
    retry: { firstDelayMs: 600_000 },
    on: {
      questions: ({ question_id }) => {
        const error = new RangeError(`no answer fits\u001b[2J ${question_id}`);
        throw question_id === 1 ? Object.assign(error, { isLasting: true }) : error;
      },
    },
  });
  for (const id of [1, 2]) await inbox.add({ user_id: 7, topic: 'questions', resource: `/questions/${id}` });
  await inbox.idle();
  const [first] = await inbox.waiting.list();
  await inbox.waiting.retryNow(first?.entry.key ?? '');
  await inbox.idle();
  await inbox.close();
  const tokens = sqliteTokens(at('tokens.db'));
  for (const user_id of [7, 8]) await tokens.save(user_id, { accessToken: 'secret-a', refreshToken: 'secret-r' });
  await tokens.revoke(8, { accessToken: 'secret-a', refreshToken: 'secret-r' });
  await tokens.close?.();
}

test('prints one table of what a person has to look at, on lines that nobody outside controls', async () => {
  await filled();
  const { code, text } = await review(at('team.db'), '--sellers', at('tokens.db'));
  expect(code).toBe(0);
  const [head, ...lines] = text.split('\n');
  expect(head).toMatch(/^state +of +user id +about +since +reason +key$/);
  expect(lines.map((line) => line.split(/ {2,}/).slice(0, 4).join(' '))).toEqual([
    'revoked sellers 8 authorisation',
    'failed inbox 7 /questions/1',
    'held inbox 7 /questions/2',
  ]);
  expect(text).not.toMatch(/secret|\u001b/);
  // The logs of open files are beside them.
  expect(readdirSync(folder)).toEqual(['team.db', 'tokens.db']);
});

test('lists as JSON, only of a state, and without sellers', async () => {
  await filled();
  const json = async (...args: string[]): Promise<ReviewItem[]> =>
    JSON.parse((await review(at('team.db'), ...args, '--json')).text) as ReviewItem[];
  expect(await json()).toMatchObject([{ state: 'failed' }, { state: 'held', of: 'inbox' }]);
  expect(await json('--limit', '1')).toHaveLength(1);
  expect(await json('--state', 'held')).toMatchObject([{ about: '/questions/2' }]);
  expect((await review(at('team.db'), '--state', 'rejected')).text).toBe('none');
});

test('takes a module with a store of tokens', async () => {
  await filled();
  writeFileSync(at('package.json'), '{ "type": "module" }');
  writeFileSync(at('tokens.js'), `export const tokens = { list: async () => [{ user_id: 9, state: 'revoked' }] };`);
  writeFileSync(at('none.js'), 'export const tokens = {};');
  const { text } = await review(at('team.db'), '--sellers', at('tokens.js'), '--state', 'revoked', '--json');
  expect(JSON.parse(text)).toMatchObject([{ state: 'revoked', user_id: 9 }]);
  expect((await review(at('team.db'), '--sellers', at('none.js'))).error).toContain('exports no store of tokens');
});

test.each([
  [['--state', 'dead'], 2, '--state must be revoked, failed, unsure, rejected, held, not "dead"'],
  [['--limit', '0'], 2, '--limit must be a number'],
  [['--sellers', 'none.db'], 1, 'the file none.db does not exist'],
  [[], 1, 'none-there.db'],
])('%j is a sentence, and creates no file', async (args, code, message) => {
  const result = await review(at('none-there.db'), ...args);
  expect(result).toMatchObject({ code });
  expect(result.error).toContain(message);
  expect([at('none-there.db'), 'none.db'].filter((path) => existsSync(path))).toEqual([]);
});
