import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SellerClient } from 'marketplace-seller-sdk';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { run } from '../../src/cli/program.ts';
import { TapeWriter } from '../../src/testing/tape/tape.js';
import { running } from '../support/serving.ts';

const folder = mkdtempSync(join(tmpdir(), 'tapes-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts `fake record`; `end` stops it. */
async function recording(
  upstream: string,
  tape: string,
  ...args: string[]
): Promise<{ url: string; end: () => Promise<number> }> {
  const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
  const { promise: opened, resolve: open } = Promise.withResolvers<string>();
  const out = (text: string): void => open(/ at (http:\S+) /.exec(text)?.[1] ?? '');
  const io = { out, err: console.error, ended: () => ended };
  const code = run(['fake', 'record', '--upstream', upstream, '--port', '0', '--tape', tape, ...args], io);
  return {
    url: await opened,
    end: () => {
      end(undefined);
      return code;
    },
  };
}

async function verify(tape: string, ...args: string[]): Promise<{ code: number; printed: string; errors: string }> {
  const [printed, errors]: [string[], string[]] = [[], []];
  const io = { out: (text: string) => void printed.push(text), err: (text: string) => void errors.push(text) };
  const code = await run(['fake', 'verify', tape, ...args], { ...io, ended: () => Promise.resolve() });
  return { code, printed: printed.join('\n'), errors: errors.join('\n') };
}

/** Records a session of a seller and a buyer with a fake that has these arguments. */
function record(...args: string[]): Promise<string> {
  return recordWith([], ...args);
}

/** The same, with these arguments of the recorder. */
async function recordWith(ofRecorder: readonly string[], ...args: string[]): Promise<string> {
  const tape = join(folder, `${crypto.randomUUID()}.jsonl`);
  const serving = running('fake', '--port', '0', '--quiet', '--now', '2030-01-01T00:00:00Z', ...args);
  const recorder = await recording(await serving.url(), tape, ...ofRecorder);
  onTestFinished(async () => {
    await serving.end();
  });
  const client = (accessToken: string): SellerClient =>
    new SellerClient({ baseUrl: recorder.url, accessToken, maxRetries: 0, responseValidation: 'report' });
  const [seller, buyer] = [client('SELLER-TOKEN'), client('BUYER-TOKEN')];
  await seller.questions.search({ seller_id: 1001 }).toArray();
  const asked = await buyer.questions.ask({
    item_id: 'MLA600000001',
    text: 'Write to ana@example.com or +54 11 5555-4444',
  });
  const question_id = Number(asked?.id);
  await seller.questions.answer({ question_id, text: 'My secret answer.' });
  await seller.questions.answer({ question_id, text: 'Again.' }).catch(() => undefined);
  await seller.messages.conversation({ pack_id: 2_000_000_000_000_001, user_id: 1001 }).toArray();
  await seller.flex.subscriptions({ site_id: 'MLA', user_id: 1001 }).catch(() => undefined);
  await seller.questions.get({ question_id: 1 }).catch(() => undefined);
  expect(await recorder.end()).toBe(0);
  return tape;
}

test('a tape has no token, no text of a person, no address and no phone number', async () => {
  const text = readFileSync(await record(), 'utf8');
  // Seven exchanges, and the end.
  expect(text.trim().split('\n')).toHaveLength(8);
  for (const secret of [
    'SELLER-TOKEN',
    'BUYER-TOKEN',
    'Bearer',
    'ana@',
    '5555',
    'secret answer',
    'Córdoba',
    'last round',
    'MLA600000001',
  ])
    expect(text).not.toContain(secret);
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines[1]).toMatchObject({
    method: 'POST',
    path: '/questions',
    endpoint: 'questions.ask',
    caller: 'user 2',
    status: 201,
    request: { kind: 'json', value: { text: expect.stringMatching(/^[Xx0@.+\s-]+$/) as unknown } },
  });
});

test('ids stay on a tape if that is asked for', async () => {
  expect(readFileSync(await record(), 'utf8')).not.toContain('"seller_id":1001');
  expect(readFileSync(await recordWith(['--keep-ids']), 'utf8')).toContain('"seller_id":1001');
});

test('a tape of the same fake is the same, and has the fields of one with other content', async () => {
  const tape = await record();
  expect(await verify(tape, '--now', '2030-01-01T00:00:00Z')).toMatchObject({ code: 0 });
  const seed = join(folder, 'other.json');
  writeFileSync(
    seed,
    JSON.stringify({
      users: [{ user_id: 77 }, { user_id: 88 }, { user_id: 99 }],
      items: [
        { item_id: 'MLA5001', seller_id: 77, flex: true },
        { item_id: 'MLA5002', seller_id: 77 },
      ],
      questions: [
        { item_id: 'MLA5001', from: 99, text: 'A?', answer: 'B.' },
        { item_id: 'MLA5002', from: 99, text: 'C?' },
      ],
      packs: [
        { pack_id: 4000, seller_id: 77, buyer_id: 88, shipping: 'flex', messages: [{ from: 'buyer', text: 'D' }] },
      ],
      flex: { subscriptions: [{ user_id: 77 }] },
    }),
  );
  const { code, printed } = await verify(tape, '--seed', seed, '--types-only');
  expect([code, printed]).toEqual([0, expect.stringContaining('7 of 7 exchanges are the same.')]);
});

test('a fake with other settings differs in fields and codes, by endpoint, and the exit code is 1', async () => {
  const tape = await record();
  const { code, printed } = await verify(tape, '--follow', 'documents');
  expect(code).toBe(1);
  expect(printed).toMatch(/differs {2}flex\.subscriptions +0\/1\n(.*\n)*? {2}missing \[\]\.origin/);
  expect(printed).toMatch(
    /differs {2}questions\.answer +0\/2\n(.*\n)*? {2}code invalid_question, not not_unanswered_question/,
  );
  expect(printed).toMatch(/same {5}questions\.get +1\/1/);
});

test('extra and retyped fields and another status are named', async () => {
  const tape = await record('--odd', 'kinds=["text-ids"]');
  const retyped = (await verify(tape)).printed;
  expect(retyped).toMatch(/retyped questions\[\]\.id: number, not string/);
  const unknown = await verify(await record('--odd', 'kinds=["unknown-fields"]'));
  expect(unknown.printed).toContain('missing questions[].xxx_xxxxx');
  const extra = await verify(await record('--follow', 'documents'));
  expect(extra.printed).toContain('extra [].origin');
  const failing = await verify(await record('--faults', 'status=500 endpoint=flex.subscriptions'));
  expect(failing.printed).toContain('status 200, not 500');
});

test('a tape feeds the odd responses of a fake: its fields and its types', async () => {
  const tape = await record('--odd', 'kinds=["unknown-fields"]');
  const serving = running('fake', '--port', '0', '--quiet', '--odd-tape', tape, '--odd', 'kinds=["recorded"]');
  onTestFinished(async () => {
    await serving.end();
  });
  const headers = { authorization: 'Bearer SELLER-TOKEN' };
  const response = await fetch(`${await serving.url()}/questions/search?seller_id=1001`, { headers });
  expect(await response.json()).toMatchObject({
    total: 3,
    xxx_xxxxx: { xxxxx: 1111 },
    questions: [{ xxx_xxxxx: {} }, { xxx_xxxxx: {} }, { xxx_xxxxx: {} }],
  });
});

test('only successful responses of endpoints feed the odd responses', async () => {
  const tape = join(folder, 'mixed.jsonl');
  const writer = new TapeWriter();
  const none = { kind: 'none', value: null };
  const base = { at: '2030-01-01T00:00:00.000Z', method: 'GET', path: '/currencies', endpoint: 'currencies.list' };
  const more = { caller: null, user: null, token: null, headers: {}, responseHeaders: {}, request: none };
  const lines = [
    { ...base, ...more, status: 200, response: { kind: 'json', value: [{ id: 'ARS', own_field: 1 }] } },
    { ...base, ...more, status: 300, response: { kind: 'json', value: [{ id: 'ARS', other_field: 1 }] } },
    { ...base, ...more, path: '/nowhere', endpoint: null, status: 200, response: { kind: 'json', value: {} } },
  ];
  writeFileSync(tape, lines.map((line) => writer.line(line)).join('') + writer.end());
  const serving = running('fake', '--port', '0', '--quiet', '--odd-tape', tape, '--odd', 'kinds=["recorded"]');
  onTestFinished(async () => {
    await serving.end();
  });
  const [first] = (await (await fetch(`${await serving.url()}/currencies`)).json()) as object[];
  expect(first).toHaveProperty('own_field');
  expect(first).not.toHaveProperty('other_field');
});

test('a recording says how much it wrote, and verifying prints JSON', async () => {
  const tape = join(folder, 'counted.jsonl');
  const service = running('fake', '--port', '0', '--quiet');
  const upstream = await service.url();
  const recorder = running('fake', 'record', '--upstream', upstream, '--port', '0', '--tape', tape);
  await expect.poll(() => recorder.printed.length).toBe(1);
  const url = / at (http:\S+) /.exec(recorder.printed[0]!)?.[1] ?? '';
  expect(recorder.printed[0]).toBe(`Recording ${upstream} at ${url} to ${tape}\nPress Ctrl+C to stop.`);
  const second = running('fake', 'record', '--upstream', upstream, '--port', new URL(url).port, '--tape', `${tape}2`);
  expect(await second.code).toBe(1);
  expect(second.errors.join()).toContain(`port ${new URL(url).port} is in use`);
  for (const path of ['/currencies', '/currencies/ARS']) await (await fetch(url + path)).text();
  expect(await recorder.end()).toBe(0);
  await service.end();
  expect(recorder.printed[1]).toBe(`2 exchanges are on ${tape}`);
  const { printed } = await verify(tape, '--json');
  expect(JSON.parse(printed)).toMatchObject([{ endpoint: 'currencies.list' }, { endpoint: 'currencies.get' }]);
});

test.each([
  [['fake', 'record', '--upstream', 'http://['], 2, '--upstream must be the base URL'],
  [['fake', 'record', '--upstream', 'ftp+http://a.test'], 2, '--upstream must be the base URL'],
  [
    ['fake', 'record', '--upstream', 'http://a.test', '--tape', '/nowhere/at/all/tape.jsonl'],
    1,
    'cannot write /nowhere/at/all/tape.jsonl: ENOENT',
  ],
  [['fake', 'record'], 2, '--upstream must be the base URL'],
  [['fake', 'record', '--upstream', 'here'], 2, '--upstream must be the base URL'],
  [['fake', 'verify'], 2, 'fake verify takes one argument, TAPE'],
  [['fake', 'verify', 'nothing.jsonl'], 1, 'cannot read nothing.jsonl: ENOENT'],
])('a wrong command line is rejected: %j', async (args, code, message) => {
  const errors: string[] = [];
  const io = { out: () => undefined, err: (text: string) => void errors.push(text), ended: () => Promise.resolve() };
  expect(await run(args, io)).toBe(code);
  expect(errors.join()).toContain(message);
});

test('a tape that was edited, or is of an earlier version, is rejected', async () => {
  const tape = await record();
  writeFileSync(tape, readFileSync(tape, 'utf8').replace('"status":201', '"status":200'));
  expect((await verify(tape)).errors).toContain('line 2 of the tape was edited');
  writeFileSync(tape, '{"method":"GET","path":"/currencies","status":200,"response":[]}\n');
  const { code, errors } = await verify(tape);
  expect([code, errors]).toEqual([1, expect.stringContaining('record the tape again with `fake record`')]);
});

describe('a verification with a baseline', () => {
  async function baselineOf(tape: string, ...args: string[]): Promise<string> {
    const file = join(folder, `${crypto.randomUUID()}.json`);
    writeFileSync(file, (await verify(tape, '--json', ...args)).printed);
    return file;
  }

  test('fails only for new differences, and tells which are gone', async () => {
    const tape = await record();
    const other = ['--follow', 'documents'];
    const baseline = await baselineOf(tape, ...other);
    const known = await verify(tape, '--baseline', baseline, ...other);
    expect([known.code, known.printed]).toEqual([
      0,
      expect.stringMatching(/known {4}flex\.subscriptions .*\n {2}missing/),
    ]);
    const gone = await verify(tape, '--baseline', baseline);
    expect(gone.code).toBe(0);
    expect(gone.printed).toMatch(/^gone {5}flex\.subscriptions {2}\[\]\.origin: missing$/m);
    const onEqual = await baselineOf(tape);
    const fresh = await verify(tape, '--baseline', onEqual, ...other);
    expect([fresh.code, fresh.printed]).toEqual([1, expect.stringMatching(/^differs {2}flex\.subscriptions/m)]);
    const json = await verify(tape, '--json', '--baseline', baseline);
    expect(json.errors).toContain('gone: flex.subscriptions  [].origin: missing');
  });

  test('knows a difference whose values have changed', async () => {
    const tape = await record();
    const baseline = await baselineOf(tape, '--follow', 'documents');
    const results = JSON.parse(readFileSync(baseline, 'utf8')) as {
      differences: { path: string; expected: string }[];
    }[];
    const changed = results.map((each) => ({
      ...each,
      differences: each.differences.map((one) => (one.path === 'paging.limit' ? { ...one, expected: '77' } : one)),
    }));
    expect(JSON.stringify(changed)).toContain('"77"');
    writeFileSync(baseline, JSON.stringify(changed));
    expect((await verify(tape, '--baseline', baseline, '--follow', 'documents')).code).toBe(0);
  });

  test('allows the differences of a pattern, and tells which pattern fits none', async () => {
    const tape = await record();
    const all = ['flex.*', 'questions.search', 'questions.a* *', 'messages.conversation *'].flatMap((each) => [
      '--allow',
      each,
    ]);
    const { code, printed } = await verify(tape, '--follow', 'documents', ...all, '--allow', 'contacts.* total');
    expect([code, printed]).toEqual([0, expect.stringMatching(/^allowed {2}questions\.search/m)]);
    expect(printed).toContain("unused   --allow 'contacts.* total'");
    const one = await verify(tape, '--follow', 'documents', ...all.slice(2));
    expect([one.code, one.printed]).toEqual([1, expect.stringMatching(/^differs {2}flex\.subscriptions/m)]);
  });

  test.each([
    ['{"a":1}', /takes an array/],
    ['[{"endpoint":1}]', /endpoint/],
    ['oops', /is not valid JSON/],
  ])('that is none is named: %s', async (content, reason) => {
    const file = join(folder, 'no-baseline.json');
    writeFileSync(file, content);
    const { code, errors } = await verify(await record(), '--baseline', file);
    expect([code, errors]).toEqual([1, expect.stringMatching(reason)]);
  });
});
