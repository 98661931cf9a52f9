import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import type { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listEndpoints } from '../../src/endpoints.js';
import { createMarketplace } from '../support/marketplace.ts';
import { running } from '../support/serving.ts';

interface Ended {
  readonly code: number;
  readonly out: readonly string[];
  readonly err: string;
}

/** A marketplace on a port, and the program that calls it as its seller. */
async function served(): Promise<
  ReturnType<typeof createMarketplace> & { call: (...args: string[]) => Promise<Ended>; url: string }
> {
  const all = createMarketplace();
  const { url, close } = await all.marketplace.listen();
  onTestFinished(close);
  const token = all.marketplace.tokenFor(all.seller);
  return { ...all, url, call: (...args) => ended('call', ...args, '--base-url', url, '--token', token) };
}

async function ended(...args: string[]): Promise<Ended> {
  const program = running(...args);
  return { code: await program.code, out: program.printed, err: program.errors.join('\n') };
}

const sent = (marketplace: FakeMarketplace) => marketplace.requests.all.map(({ method, path }) => `${method} ${path}`);

describe('call', () => {
  test('prints a list as one line of JSON per entry, and the rest of the response on stderr', async () => {
    const { call, marketplace, buyer, item_id } = await served();
    marketplace.ask({ from: buyer, item_id, text: 'And in blue?\nOr red?' });
    const { code, out, err } = await call(
      'questions.search',
      '--seller_id',
      '7',
      '--sort_fields',
      'date_created',
      '--sort_types',
      'ASC',
    );
    expect(code).toBe(0);
    expect(out.map((line) => (JSON.parse(line) as { text: string }).text)).toEqual([
      'Is there stock?',
      'And in blue?\nOr red?',
    ]);
    expect(JSON.parse(err)).toMatchObject({ total: 2 });
    const bare = await call('currencies.list');
    expect(bare.out.length).toBeGreaterThan(1);
    for (const line of bare.out) expect(JSON.parse(line)).toHaveProperty('id');
  });

  test('prints an object as JSON', async () => {
    const { call, question_id } = await served();
    const { code, out, err } = await call('questions.get', '--question_id', String(question_id));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out.join('\n'))).toMatchObject({ id: question_id, text: 'Is there stock?' });
  });

  test('sends what changes something only with --yes, and shows the exact request before', async () => {
    const { call, marketplace, question_id } = await served();
    const args = ['questions.answer', '--question_id', String(question_id), '--text', 'Yes, "two".'] as const;
    const shown = await call(...args);
    expect(shown.code).toBe(2);
    expect(shown.err).toContain('POST /answers');
    expect(shown.err).toContain(JSON.stringify({ question_id, text: 'Yes, "two".' }));
    expect(shown.err).toContain('Question: «Is there stock?»');
    expect(sent(marketplace)).toEqual([`GET /questions/${question_id}`]);
    expect((await call(...args, '--yes')).code).toBe(0);
    expect(marketplace.questions.get(question_id)?.answer?.text).toBe('Yes, "two".');
  });

  test('every operation that changes something needs --yes, and no other has it', async () => {
    for (const { name, retry } of listEndpoints(endpoints)) {
      const help = await ended('call', name, '--help');
      expect(help.code).toBe(0);
      expect(help.out.join('\n').includes('--yes'), name).toBe(retry !== 'safe');
    }
  });

  test('reads messages without marking them as read, unless it is told to', async () => {
    const { call, marketplace, seller_id, buyer_id } = await served();
    const pack = marketplace.addPack({ seller_id, buyer_id });
    marketplace.buyerWrites({ pack, text: 'Where is it?' });
    const args = ['messages.conversation', '--pack_id', String(pack.pack_id), '--user_id', '7'];
    const { out, err } = await call(...args);
    expect(out).toHaveLength(1);
    expect(err).toContain('conversation_status');
    expect(marketplace.requests.all[0]?.query).toMatchObject({ mark_as_read: 'false' });
    await call(...args, '--mark_as_read', 'true');
    expect(marketplace.requests.all[1]?.query).toMatchObject({ mark_as_read: 'true' });
  });

  test('fills fields of objects, lists and records', async () => {
    const { call, marketplace, seller_id, buyer_id } = await served();
    const { pack_id } = marketplace.addPack({ seller_id, buyer_id });
    const whose = ['--pack_id', String(pack_id), '--user_id', '7'];
    const { err } = await call(
      'messages.send',
      ...whose,
      '--to.user_id',
      '31',
      '--text',
      'Hi',
      '--attachments',
      'a',
      '--attachments',
      'b',
    );
    expect(err).toContain('"to":{"user_id":31}');
    expect(err).toContain('"attachments":["a","b"]');
    await call('questions.search', '--seller_id', '7', '--filters', 'status=ANSWERED', '--limit', '5');
    expect(marketplace.requests.all.at(-1)?.query).toMatchObject({ status: 'ANSWERED', limit: '5' });
    await call('questions.search', '--seller_id', '7', '--filters', 'label=a=b', '--filters', 'none=');
    expect(marketplace.requests.all.at(-1)?.query).toMatchObject({ label: 'a=b', none: '' });
    const ranges = await call(
      'flex.setDelivery',
      '--site_id',
      'MLA',
      '--user_id',
      '7',
      '--service_id',
      '1',
      '--delivery_ranges.week',
      '{"from":9,"to":13,"capacity":2,"cutoff":8}',
    );
    expect(ranges.err).toContain('"delivery_ranges":{"week":[{"from":9,"to":13,"capacity":2,"cutoff":8}]}');
  });

  test('--help says of each field whether it is required', async () => {
    const { out } = await ended('call', 'messages.send', '--help');
    const needOf = (field: string): string | undefined =>
      new RegExp(`--${field} .*?(required|optional);`).exec(out.join('\n').replace(/\s+/g, ' '))?.[1];
    expect(['pack_id', 'to.user_id', 'text', 'attachments', 'client_id'].map(needOf)).toEqual([
      ...['required', 'required', 'required', 'optional', 'optional'],
    ]);
  });

  test('uploads a file and saves it', async () => {
    const { call } = await served();
    const folder = mkdtempSync(join(tmpdir(), 'call-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'a.txt'), 'Invoice 7');
    const stored = await call(
      'messages.upload',
      '--site_id',
      'MLA',
      '--file',
      join(folder, 'a.txt'),
      '--filename',
      'a.txt',
      '--yes',
    );
    expect(stored.err).toBe('');
    const { id } = JSON.parse(stored.out.join('\n')) as { id: string };
    const place = ['messages.download', '--site_id', 'MLA', '--attachment_id', id];
    expect(await call(...place)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--save is missing') as string,
    });
    expect((await call(...place, '--save', join(folder, 'b.txt'))).code).toBe(0);
    expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('Invoice 7');
  });

  test.each([
    [['questions.serch'], 'There is no operation "questions.serch"; did you mean questions.search?'],
    [['nothing.at.all'], 'There is no operation "nothing.at.all"; "call --help" lists the operations'],
    [['questions.search', '--seler_id', '7'], "Unknown option '--seler_id'; did you mean --seller_id?"],
    [
      ['questions.search', '--filters.status', 'ANSWERED'],
      "Unknown option '--filters.status'; did you mean --filters status=VALUE?",
    ],
    [['messages.send', '--to', '31'], "Unknown option '--to'; did you mean --to.user_id?"],
    [['messages.send', '--pack_id', '1', '--user_id', '7', '--text', 'a'], '`to` is missing'],
    [['messages.send', '--pack_id', '1', '--user_id', '7', '--text', 'a'], '; give --to.user_id'],
    [['questions.search', '--seller_id', 'x y'], '`seller_id`'],
    [['questions.search'], 'exactly one of `seller_id`'],
    [['questions.search', '--seller_id', '7', '--limit', 'many'], '`limit` takes an integer'],
    [['questions.search', '--seller_id', '7', '--offset', ' '], '`offset` takes an integer'],
    [['questions.search', '--seller_id', '7', '--filters', 'status'], '--filters takes NAME=VALUE'],
    [['questions.get', '42'], 'call questions.get takes no arguments'],
    [
      ['flex.addZones', '--site_id', 'MLA', '--user_id', '7', '--service_id', '1', '--zones', '{'],
      '--zones takes JSON',
    ],
  ])('a wrong command line is one sentence and exit code 2: %j', async (args, message) => {
    const { call, marketplace } = await served();
    const { code, out, err } = await call(...args);
    expect({ code, out }).toEqual({ code: 2, out: [] });
    expect(err).toContain(message);
    expect(sent(marketplace)).toEqual([]);
  });

  test('a wrong token is exit code 2, a rejected call 1, an unknown outcome 3', async () => {
    const { call, marketplace, question_id, url } = await served();
    const wrong = await ended('call', 'questions.search', '--seller_id', '7', '--base-url', url, '--token', 'nobody-s');
    expect(wrong.code).toBe(2);
    expect(wrong.err).not.toContain('nobody-s');
    const missing = await call('questions.get', '--question_id', '999');
    expect(missing).toMatchObject({
      code: 1,
      err: expect.stringContaining('GET /questions/999 failed with 404') as string,
    });
    marketplace.faults.inject({ endpoint: 'questions.hide', reset: 'after' });
    const unknown = await call('questions.hide', '--question_id', String(question_id), '--yes');
    expect(unknown).toMatchObject({ code: 3, err: expect.stringContaining('Do not repeat it') as string });
  });

  test('names what it needs', async () => {
    expect(await ended('call')).toMatchObject({ code: 2, err: expect.stringContaining('OPERATION') as string });
    const help = (await ended('call', '--help')).out.join('\n');
    for (const { name } of listEndpoints(endpoints)) expect(help).toContain(`  ${name} `);
    const ofOne = (await ended('call', 'messages.send', '--help')).out.join('\n');
    expect(ofOne).toMatch(/--to\.user_id NUMBER +required; The buyer/);
    expect(ofOne).toMatch(/--text TEXT +required; 1 to 350 characters/);
  });

  test('--fake tries it without an account', async () => {
    const { code, out } = await ended('call', 'questions.search', '--seller_id', '1001', '--fake');
    expect(code).toBe(0);
    expect(out).toHaveLength(6);
  });
});
