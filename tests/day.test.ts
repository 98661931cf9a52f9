import { stripVTControlCharacters } from 'node:util';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import type { Listening } from 'marketplace-seller-sdk/testing';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { chapters } from '../examples/day/chapters.ts';
import { Narrator } from '../examples/day/narrator.ts';
import { main } from '../examples/day/program.ts';
import { overSockets } from './support/fake-time.ts';

/** Begins the colours of a terminal. */
const escape = '\u001b[';

interface Run {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

async function run(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  columns?: number,
): Promise<Run> {
  const written = { out: '', errors: '' };
  const isTTY = columns !== undefined;
  const out = { isTTY, ...(isTTY && { columns }), write: (text: string) => (written.out += text) };
  const code = await overSockets(() => main(args, env, out, { write: (text: string) => (written.errors += text) }));
  return { code, ...written };
}

/** What the whole day printed with `--wire` to a pipe, and what its chapters told the narrator. */
let day: Run;
/** The same without the requests and responses. */
let told: string;
let calls: readonly ((say: Narrator) => void)[];

beforeAll(async () => {
  const found: ((say: Narrator) => void)[] = [];
  let depth = 0;
  for (const name of [
    'title',
    'heading',
    'line',
    'code',
    'quote',
    'good',
    'bad',
    'error',
    'chart',
    'progress',
    'end',
  ] as const) {
    const method = Narrator.prototype[name] as (...args: unknown[]) => void;
    vi.spyOn(Narrator.prototype, name).mockImplementation(function (this: Narrator, ...args: unknown[]) {
      // One method calls another.
      if (depth === 0) found.push((say) => method.apply(say, args));
      depth += 1;
      method.apply(this, args);
      depth -= 1;
    });
  }
  day = await run(['--wire']);
  vi.restoreAllMocks();
  calls = found;
  told = day.out.replaceAll(/^ +[→←] .*\n/gm, '');
});

/** The day as a terminal shows it. */
function onTerminal(columns: number, color: boolean): string {
  let text = '';
  const out = { isTTY: true, columns, write: (part: string) => (text += part) };
  const say = new Narrator(out, { color, wire: false });
  for (const call of calls) call(say);
  return text;
}

describe("a seller's day", () => {
  test('the program runs every chapter', () => {
    const { code, errors } = day;
    const out = told;
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    for (const { title } of chapters) expect(out).toContain(title);
    expect(out).toContain('5 questions answered while the list got shorter; none is left.');
    expect(out).toContain('✗ QuestionNotOpenError: POST /answers failed with 400');
    expect(out).toContain('✓ 6 deliveries for 4 events; each event was handled once.');
    expect(out).toContain('✗ POST /questions failed with 403 (forbidden): ');
    expect(out).toMatch(/working hours {2}3 h 10 min .*\n[^]*working hours {2}\d+ min\n/);
    expect(out).toMatch(/✓ .* faster than the day before\./);
  });

  test('each chapter prints the results of its calls', () => {
    const out = told;
    expect(out).toMatch(/DELIVERY_PROMISE +a template +1 left/);
    expect(out).toMatch(
      /Channel: the option OTHER[^]*Channel: the conversation[^]*rejected the message: PERSONAL_DATA/,
    );
    expect(out).toMatch(/sent +█{32} 3\.0 of 3\.0 MB\n[^]*received +█{32} 3\.0 of 3\.0 MB\n.*It is identical/);
    expect(out).toContain('error.reason: blocked_by_cancelled_order');
    expect(out).toMatch(/week +9 to 18 h, 50 parcels\n[^]*week +9 to 20 h, 80 parcels\n/);
    expect(out).toMatch(/✗ AlreadyInFlexError:[^]*✗ DriverNotFoundError:[^]*driver 345/);
    expect(out.match(/POST \/questions\/\d+ {2}200/g)).toHaveLength(6);
    expect(out.match(/\(a duplicate\)/g)).toHaveLength(2);
    expect(out).toMatch(/✗ OutcomeUnknownError:[^]*✓ The answer was saved/);
    expect(out).toMatch(/2026-02-28 █{32} 21\n/);
    const [, badDay = ''] = /\n( +\d\d:\d\d +A bad day, seed 17\n[^]*?)\n\n/.exec(out) ?? [];
    expect(badDay).toMatch(/✗ The bot fails with seed 17\.[^]* is not answered at the end\n[^]*✓ On the same day/);
    expect(badDay.split('\n').length).toBeLessThanOrEqual(10);
  });

  test('a pipe gets long lines as they are', () => {
    expect(told).toMatch(/^ +✗ DriverNotFoundError: .* failed with 404 \(not_found\): .*$/m);
  });

  test.each([
    [50, 50],
    [200, 80],
    [0, 80],
  ])('on a terminal of %i columns no line has more than %i characters', (columns, width) => {
    const lines = onTerminal(columns, false).split(/[\n\r]/);
    expect(lines.filter(({ length }) => length > width)).toEqual([]);
    expect(Math.max(...lines.map(({ length }) => length))).toBeGreaterThan(width - 10);
  });

  test('the colours of a terminal do not change where lines wrap', () => {
    const coloured = onTerminal(50, true);
    expect(coloured).toContain(escape);
    expect(stripVTControlCharacters(coloured)).toBe(onTerminal(50, false));
  });

  test('the chapters are in the order of their time', () => {
    const hours = chapters.map(({ at }) => Date.parse(at));
    expect(hours).toEqual([...hours].sort((a, b) => a - b));
  });

  test('--wire prints the requests without the token', () => {
    const { out } = day;
    expect(out).toMatch(/→ POST \/answers \{"question_id":\d+,"text":/);
    expect(out).toMatch(/← 200 \{"id":/);
    expect(out).toMatch(/→ POST \/messages\/attachments\S* \(a file\)\n/);
    expect(out).not.toMatch(/APP_USR|Bearer/);
  });

  test('--short begins with the lost write, and has at most forty lines; --stay keeps the address alive, until it is ended', async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
    const { promise: stays, resolve: say } = Promise.withResolvers<RegExpExecArray>();
    let text = '';
    const write = (part: string): void => {
      text += part;
      const found = /^([^]*)The marketplace stays at (http:\S+):[^]*token\s+(\S+)\. Ctrl/.exec(text);
      if (found) say(found);
    };
    const code = overSockets(() => main(['--short', '--stay'], {}, { write }, { write }, () => ended));
    const [, out = '', url = '', token = ''] = await stays;
    expect(out.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
    expect(out.match(/\n {2}\d\d:\d\d {2}.*/g)?.[0]).toContain('A connection breaks after a write was sent');
    expect(out).toMatch(/✓ The answer was saved[^]*each event was handled once[^]*✗ The bot fails with seed 17/);
    expect(out).not.toContain('→ POST');
    const me = await fetch(`${url}/users/me`, { headers: { authorization: `Bearer ${token}` } });
    expect(await me.json()).toMatchObject({ nickname: 'Casa Norte' });
    expect((await fetch(url)).headers.get('content-type')).toContain('text/html');
    end(undefined);
    expect(await code).toBe(0);
    await expect(fetch(url)).rejects.toThrow();
  });

  test('the outbox chapter shows two sellers in at most twenty lines, each message once', () => {
    const [, chapter = ''] = /\n( +18:45 +An outbox[^]*?)\n\n/.exec(told) ?? [];
    expect(chapter).toMatch(/Casa Norte accepted, 1 message\n[^]*Casa Sur +accepted, 1 message\n/);
    expect(chapter.split('\n').length).toBeLessThanOrEqual(20);
  });

  test('the bad day says why a topic was switched off', () => {
    expect(told).toMatch(/switched off the topic questions: three notifications in a row got no 200/);
  });

  test('an unknown option exits with an error', async () => {
    expect(await run(['--wires'])).toEqual({
      code: 1,
      out: '',
      errors:
        'There is no option --wires. `npm start -- --wire` also shows requests and responses, `--short` plays three chapters, `--stay` keeps the address alive.\n',
    });
  });
});

describe('against a service', () => {
  let server: Listening | undefined;
  afterEach(() => server?.close());

  async function service(): Promise<{ marketplace: FakeMarketplace; env: Record<string, string>; item_id: string }> {
    const marketplace = new FakeMarketplace();
    const seller = marketplace.addUser();
    const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
    server = await marketplace.listen();
    const env = { SELLER_BASE_URL: server.url, SELLER_ACCESS_TOKEN: marketplace.tokenFor(seller) };
    return { marketplace, env, item_id };
  }

  test('the program reads open questions and the response time, and changes nothing', async () => {
    const { marketplace, env, item_id } = await service();
    const changes: unknown[] = [];
    marketplace.ask({ from: marketplace.addUser(), item_id, text: 'Is there stock?' });
    marketplace.events.on((event) => changes.push(event));
    const { code, out } = await run([], env);
    expect(code).toBe(0);
    expect(out).toMatch(/1002 +MLA600000001 +Is there stock\?\n +✓ 1\./);
    expect(out).toMatch(/total +0 min/);
    expect(changes).toEqual([]);
  });

  test('the program reads phone views, and the Flex subscriptions of the named site', async () => {
    const { marketplace, env, item_id } = await service();
    marketplace.viewPhone({ item_id }, { times: 4 });
    const without = await run([], env);
    expect(without.out).toMatch(/█{32} 4\n/);
    expect(without.out).toContain('Set SELLER_SITE_ID');
    expect((await run([], { ...env, SELLER_SITE_ID: 'MLA' })).out).toContain('There are no subscriptions.');
    marketplace.flex.subscribe({ user_id: marketplace.items.getOrThrow(item_id).seller_id });
    const named = await run([], { ...env, SELLER_SITE_ID: 'MLA' });
    expect(named.out).toMatch(/FLEX +status in, service \d+/);
  });

  test('the output is coloured on a terminal only, and never with NO_COLOR', async () => {
    const { env } = await service();
    expect((await run([], env)).out).not.toContain(escape);
    expect((await run([], env, 50)).out).toContain(escape);
    expect((await run([], { ...env, NO_COLOR: '1' }, 50)).out).not.toContain(escape);
    expect(told).not.toContain(escape);
  });

  test('prints an error response and continues', async () => {
    const { marketplace, env } = await service();
    const endpoint = endpoints.contacts.phoneViews.windowOfUser;
    marketplace.faults.inject({ endpoint, status: 403, body: { message: 'Not for you' } });
    const { code, out } = await run([], env);
    expect(code).toBe(0);
    expect(out).toMatch(/✗ GET .*phone_views\/time_window failed with 403: Not for you\n[^]*Flex subscriptions/);
  });

  test('the program reports that there are no questions', async () => {
    const { env } = await service();
    const { code, out } = await run([], env);
    expect(code).toBe(0);
    expect(out).toContain('✓ None.');
    expect(out).toContain('There were no questions yet, so there is no response time.');
  });

  test.each([
    [{ SELLER_BASE_URL: 'https://api.example.com' }, 'SELLER_BASE_URL is set and SELLER_ACCESS_TOKEN is not'],
    [{ SELLER_ACCESS_TOKEN: 'token' }, 'SELLER_ACCESS_TOKEN is set and SELLER_BASE_URL is not'],
    [{ SELLER_BASE_URL: 'https://api.example.com', SELLER_ACCESS_TOKEN: 'token' }, 'Set SELLER_USER_ID'],
    [{ SELLER_BASE_URL: 'http://api.example.com', SELLER_ACCESS_TOKEN: 'token-7' }, '`baseUrl` is http:'],
    [
      { SELLER_BASE_URL: 'http://127.0.0.1:1', SELLER_ACCESS_TOKEN: 'token-7' },
      'GET /questions/search got no response',
    ],
  ])('a wrong setting is reported in one sentence: %j', async (env, sentence) => {
    const { code, errors } = await run([], env);
    expect(code).toBe(1);
    expect(errors).toContain(sentence);
    expect(errors.trim()).not.toContain('\n');
  });

  test('an invalid token ends the program', async () => {
    const { env } = await service();
    const { code, errors } = await run([], { ...env, SELLER_ACCESS_TOKEN: 'never-7' });
    expect(code).toBe(1);
    expect(errors).toBe('GET /questions/search failed with 401 (invalid_token): The access token is not valid\n');
  });
});
