import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SellerClient } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { runSnippet, snippetsIn } from '../tools/snippets.ts';
import { entries } from './support/entries.ts';

const root = join(import.meta.dirname, '..');
const guides = readdirSync(join(root, 'docs/guide')).map((name) => `docs/guide/${name}`);
const documents = ['README.md', ...guides];
/** The programs that answer a list of open questions, as they stand. */
const programs = documents
  .flatMap((path) => snippetsIn(path, readFileSync(join(root, path), 'utf8')))
  .filter(({ code }) => code.includes("status: 'UNANSWERED'") && code.includes('questions.answer('));

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

/** A seller whose list of open questions holds some that no answer reaches, between others. */
function shop(): { marketplace: FakeMarketplace; answerable: number[]; paused: number } {
  const marketplace = new FakeMarketplace();
  marketplace.addUser({ user_id: 7 });
  const from = marketplace.addUser();
  const { item_id } = marketplace.addItem({ seller_id: 7 });
  const { item_id: pausedItem } = marketplace.addItem({ seller_id: 7, status: 'paused' });
  const ask = (text: string, more: object = {}): number => marketplace.ask({ from, item_id, text, ...more }).id;
  const first = ask('Is it new?');
  ask('Is it yours?', { hold: true });
  const second = ask('Is it blue?');
  const paused = ask('Is it red?', { item_id: pausedItem });
  ask('Is it big?', { deleted_from_listing: true });
  const third = ask('Is it heavy?');
  return { marketplace, answerable: [first, second, third], paused };
}

describe('a program that answers the open questions', () => {
  test('stands in the README, and in the guides that begin, of questions and of lists', () => {
    const names = new Set(programs.map(({ at }) => at.replace(/:.*/, '')));
    expect([...names].toSorted()).toEqual(
      [
        'README.md',
        'docs/guide/pagination.md',
        'docs/guide/primeiros-passos.md',
        'docs/guide/primeros-pasos.md',
        'docs/guide/questions.md',
      ].toSorted(),
    );
  });

  test.each(programs)('goes on past what no answer reaches, and names it: $at', async (snippet) => {
    const { marketplace, answerable, paused } = shop();
    const told: string[] = [];
    const tell = (...values: unknown[]): void => void told.push(values.map(String).join(' '));
    vi.spyOn(console, 'log').mockImplementation(tell);
    vi.spyOn(console, 'error').mockImplementation(tell);
    vi.stubGlobal('fetch', marketplace.fetch);
    const accessToken = marketplace.tokenFor({ user_id: 7 });
    vi.stubEnv('SELLER_TOKEN', accessToken);
    const seller = new SellerClient({ baseUrl: marketplace.baseUrl, accessToken, fetch: marketplace.fetch });
    const answered = (): number[] => marketplace.questions.all.filter(({ answer }) => answer).map(({ id }) => id);

    // Also when it is run again, and the item is active by then.
    await runSnippet(snippet, entries, { seller, marketplace });
    expect(answered()).toEqual(answerable);
    expect(told.filter((line) => line.includes(String(paused)))).toHaveLength(1);
    marketplace.items.change(marketplace.questions.getOrThrow(paused).item_id, { status: 'active' });
    await runSnippet(snippet, entries, { seller, marketplace });
    expect(answered().toSorted()).toEqual([...answerable, paused].toSorted());
    const rejected = marketplace.requests
      .filter({ endpoint: 'questions.answer' })
      .filter((each) => each.response?.status === 400);
    expect(rejected).toHaveLength(1);
  });
});
