import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SellerClient } from 'marketplace-seller-sdk';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { Values } from '../../src/cli/command.js';
import { run } from '../../src/cli/program.js';
import { running } from '../support/serving.ts';
import type { Serving } from '../support/serving.ts';

const folder = mkdtempSync(join(tmpdir(), 'seeds-'));
const open: Serving[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.end();
});
afterAll(() => rmSync(folder, { recursive: true }));

function fake(...args: string[]): Serving {
  const serving = running('fake', '--port', '0', ...args);
  open.push(serving);
  return serving;
}

function fileOf(content: unknown): string {
  const path = join(folder, `${crypto.randomUUID()}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

describe('the CLI', () => {
  test('an outbox takes the options of an inbox without the topic', async () => {
    const optionsOf = async (command: string) => {
      const program = running(command, '--help');
      await program.code;
      return [...program.printed.join().matchAll(/^ {2}(--[\w-]+)/gm)].map(([, option]) => option);
    };
    const ofInbox = await optionsOf('inbox');
    expect(ofInbox).toContain('--topic');
    expect(await optionsOf('outbox')).toEqual(ofInbox.filter((option) => option !== '--topic'));
  });

  test('fake --help prints only the options of fake', async () => {
    const program = running('fake', '--help');
    expect(await program.code).toBe(0);
    expect(program.printed.join().match(/^Usage: .*$/gm)).toEqual(['Usage: npx marketplace-seller-sdk fake [options]']);
  });

  test('the help of a command has its argument, and a table of its options with their values and defaults', async () => {
    const inbox = running('inbox', '--help');
    await inbox.code;
    expect(inbox.printed.join().split('\n')[0]).toMatch(/^Usage: npx marketplace-seller-sdk inbox FILE \[stats \| /);
    const program = running('fake', '--help');
    await program.code;
    const lines = program.printed.join('\n').split('\n');
    expect(lines.slice(0, 2)).toEqual(['Usage: npx marketplace-seller-sdk fake [options]', '']);
    expect(lines.slice(lines.indexOf('') + 3, lines.indexOf('') + 9)).toEqual([
      '',
      '  --port NUMBER          port to listen on; 0 picks a free port (default: 4010)',
      '  --host ADDRESS         address to listen on; 0.0.0.0 accepts connections from',
      '                         other machines (default: 127.0.0.1)',
      '  --seed FILE            initial content: a .json file, or a .js or .ts module',
      '                         with a default export, with settings, users, items,',
    ]);
    expect(lines).toContain('  --callback URL         post notifications to this URL; repeatable');
  });

  test('--help lists the commands first, and fits a terminal of 80 by 24', async () => {
    const program = running('--help');
    expect(await program.code).toBe(0);
    const lines = program.printed.join('\n').split('\n');
    expect(lines.length).toBeLessThan(24);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    const commands = lines.slice(2).flatMap((line) => /^ {2}([a-z]+) {2,}\S/.exec(line)?.[1] ?? []);
    expect(commands).toEqual(['check', 'fake', 'review', 'inbox', 'outbox', 'mcp', 'call']);
    expect(lines.slice(0, 3)).toEqual([
      'Usage: npx marketplace-seller-sdk COMMAND [options]',
      '',
      expect.stringMatching(/^ {2}check/),
    ]);
  });

  test.each(['check', 'fake', 'inbox', 'outbox', 'mcp', 'call', 'call messages.send', 'call flex.setDelivery'])(
    'no line of the help of %s is longer than 80 characters',
    async (command) => {
      const program = running(...command.split(' '), '--help');
      await program.code;
      const lines = program.printed.join('\n').split('\n');
      // What cannot be broken: the usage, and the name of an option or operation.
      expect(lines.filter((line) => line.length > 80 && !/^(?: {2}--\S{20,}| {2}[a-zA-Z.]{30,} )/.test(line))).toEqual(
        [],
      );
    },
  );

  test.each([
    [['serch'], 'the commands are check, fake, review, inbox, outbox, mcp, call'],
    [['chekc'], 'did you mean check?'],
    [['inbxo'], 'did you mean inbox?'],
  ])('a wrong command is named, with the one that was meant: %j', async (args, message) => {
    const program = running(...args);
    expect(await program.code).toBe(2);
    expect(program.errors.join()).toContain(`Unknown command "${args[0]}"; ${message}`);
  });

  test.each(['--help', '-h'])('%s prints the usage', async (flag) => {
    const program = running(flag);
    expect(await program.code).toBe(0);
    expect(program.printed.join()).toContain('Usage: npx marketplace-seller-sdk COMMAND [options]');
  });

  test('--version prints the version of the package', async () => {
    const program = running('--version');
    expect(await program.code).toBe(0);
    expect(program.printed).toEqual([manifest.version]);
  });

  test.each(['0', '1', '4010', '65534', '65535'])('%s is a port', (port) => {
    expect(new Values({ port }, '').number('port', 0, 65_535)).toBe(Number(port));
  });

  test.each([
    [['fake', '--faults=a=b'], '--faults'],
    [['fake', '--faults=status=5=0'], '`status`'],
    [['fake', '--', '--xyz'], 'fake takes no arguments'],
    [['fake', '--port', '--', '--xyz'], '--port'],
  ])('what is behind the first equals sign, or behind --, is no option: %j', async (args, message) => {
    const program = running(...args);
    expect(await program.code).not.toBe(0);
    expect(program.errors.join()).toContain(message);
    expect(program.errors.join()).not.toContain('Unknown option');
  });

  test.each([
    [['real'], 'Unknown command "real"; the commands are check, fake, review, inbox, outbox, mcp, call'],
    [['fake', 'now'], 'fake takes no arguments, only options\n'],
    [['fake', 'record', '--upstream', 'http://a.test'], 'Unknown command "fake record"; "check" tells whether the'],
    [['fake', 'verify', 'a.jsonl'], 'Unknown command "fake verify"; "check" tells whether the'],
    [['fake', 'seed-from', 'a.jsonl'], 'Unknown command "fake seed-from"; "fake --seed FILE" takes the'],
    [['fake', '--odd', 'share=0.3'], "Unknown option '--odd'"],
    [['fake', '--port', 'many'], '--port must be a number from 0 to 65535, not "many"'],
    [['fake', '--port', '65536'], '--port must be a number from 0 to 65535'],
    [['fake', '--port', '1x'], '--port must be a number from 0 to 65535, not "1x"'],
    [['fake', '--port', '0x10'], '--port must be a number from 0 to 65535, not "0x10"'],
    [['fake', '--port', '1e3'], '--port must be a number from 0 to 65535, not "1e3"'],
    [['fake', '--port=-1'], '--port must be a number from 0 to 65535, not "-1"'],
    [['fake', '--port', 'x1'], '--port must be a number from 0 to 65535, not "x1"'],
    [['fake', '--', '--loud'], 'fake takes no arguments, only options\n'],
    [['fake', '--xyzzyx'], "Unknown option '--xyzzyx'\n"],
    [['fake', '--control-token', 'short'], '--control-token must have 16 or more letters, digits, - and _'],
    [['fake', '--follow'], "Option '--follow <value>' argument missing"],
    [['fake', '--loud'], "Unknown option '--loud'"],
    [['fake', '--prot', '1'], "Unknown option '--prot'; did you mean --port?"],
    [['fake', '--callbakc=x'], "Unknown option '--callbakc'; did you mean --callback?"],
  ])('wrong arguments exit with 2: %j', async (args, message) => {
    const program = running(...args);
    expect(await program.code).toBe(2);
    expect(program.errors.join()).toContain(message);
    expect(program.printed).toEqual([]);
  });
});

describe('the command fake', () => {
  test('the banner shows the base URL, the tokens and a curl command', async () => {
    const serving = fake('--quiet');
    const url = await serving.url();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(serving.printed[0]).toMatch(/MATE_AND_CO +seller +user_id 1001 +token SELLER-TOKEN/);
    expect(serving.printed[0]).toContain(
      `curl -H 'Authorization: Bearer SELLER-TOKEN' '${url}/questions/search?seller_id=1001'`,
    );
    expect(serving.printed[0]).not.toContain('Other machines');
  });

  test('neither the banner nor a request shows what could control the terminal', async () => {
    const nickname = 'A\u001b[2J\n\u202eB\u009b';
    const serving = fake('--seed', fileOf({ users: [{ user_id: 5, nickname, token: 'ana-token' }] }));
    const url = await serving.url();
    expect(serving.printed[0]).toContain('A\\u001b[2J\\u000a\\u202eB\\u009b  buyer   user_id 5');
    await fetch(`${url}/currencies`, { headers: { authorization: 'Bearer ana-token' } });
    await expect.poll(() => serving.printed.length).toBe(2);
    expect(serving.printed.join('').replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  test('the banner lists each user with a token, in columns, and calls as the first one who sells', async () => {
    const users = [
      { user_id: 5, nickname: 'ANA', token: 'ana-token' },
      { user_id: 6, nickname: 'A_LONG_NAME', token: 'shop-token' },
      { user_id: 7, nickname: 'SHOP', token: 'other-token' },
    ];
    const seed = fileOf({ users, items: [{ seller_id: 6 }, { seller_id: 7 }] });
    const serving = fake('--quiet', '--seed', seed, '--control-token', 'a-control-token-of-the-test');
    const url = await serving.url();
    expect(serving.printed[0]!.split('\n')).toEqual([
      `Fake marketplace at ${url}  (open it in a browser for the dashboard)`,
      '',
      '  ANA          buyer   user_id 5  token ana-token',
      '  A_LONG_NAME  seller  user_id 6  token shop-token',
      '  SHOP         seller  user_id 7  token other-token',
      '  controls     x-fake-token a-control-token-of-the-test',
      '',
      `  curl -H 'Authorization: Bearer shop-token' '${url}/questions/search?seller_id=6'`,
      '',
      'Press Ctrl+C to stop.',
    ]);
  });

  test.each<[string, object, (url: string) => string]>([
    [
      'nobody sells',
      { users: [{ user_id: 5, token: 'ana-token' }] },
      (url) => `curl -H 'Authorization: Bearer ana-token' '${url}/questions/search?seller_id=5'`,
    ],
    ['nobody is there', {}, (url) => `curl ${url}/currencies`],
  ])('the banner has a call also where %s', async (_, content, call) => {
    const serving = fake('--quiet', '--seed', fileOf(content));
    const url = await serving.url();
    expect(serving.printed[0]!.split('\n').at(-3)).toBe(`  ${call(url)}`);
  });

  test('the line of a request names its user, and a connection that breaks', async () => {
    const serving = fake('--faults', 'reset=before endpoint=currencies.list');
    const url = await serving.url();
    const headers = { authorization: 'Bearer SELLER-TOKEN' };
    await (await fetch(`${url}/currencies/ARS`, { headers })).text();
    await fetch(`${url}/currencies`).catch(() => undefined);
    await serving.end();
    expect(serving.printed[1]).toMatch(/ GET {4}200 \/currencies\/ARS [\d.]+ ms MATE_AND_CO$/);
    expect(serving.printed[2]).toMatch(/ GET {4}broken \/currencies [\d.]+ ms$/);
  });

  test('the marketplace starts with sample data', async () => {
    const client = new SellerClient({ baseUrl: await fake('--quiet').url(), accessToken: 'SELLER-TOKEN' });
    const questions = await client.questions.search({ seller_id: 1001 }).toArray();
    expect(questions.map(({ status }) => status).sort()).toEqual(['ANSWERED', ...Array<string>(5).fill('UNANSWERED')]);
    const conversation = client.messages.conversation({ pack_id: 2_000_000_000_000_001, user_id: 1001 });
    expect((await conversation.first())?.text).toContain('last round');
    expect(await client.flex.items.isEnabled({ site_id: 'MLA', item_id: 'MLA600000001' })).toBe(true);
  });

  test('each request prints one line, unless --quiet is given', async () => {
    const [verbose, quiet] = [fake(), fake('--quiet')];
    for (const serving of [verbose, quiet]) {
      await (await fetch(`${await serving.url()}/currencies/ARS`)).text();
      await serving.end();
    }
    expect(verbose.printed[1]).toMatch(/^\d\d:\d\d:\d\d GET {4}200 \/currencies\/ARS [\d.]+ ms$/);
    expect(quiet.printed).toHaveLength(1);
  });

  test.each<[string, string[], string]>([
    ['with a response', [], '404'],
    ['with a fault', ['--faults', 'status=503 times=2'], '503'],
    ['without a response', ['--faults', 'reset=before times=2'], 'broken'],
  ])('each of two requests %s prints one line, though its body is known later', async (_, faults, outcome) => {
    const control = 'a-control-token-of-the-test';
    const serving = fake('--control-token', control, ...faults);
    const url = await serving.url();
    const form = new FormData();
    form.append('file', new Blob(['%PDF']), 'invoice.pdf');
    for (const path of ['/one', '/two'])
      await fetch(url + path, { method: 'POST', body: form }).then(
        (response) => response.text(),
        () => undefined,
      );
    const logged = async (): Promise<unknown> => {
      const response = await fetch(`${url}/__fake/requests`, { headers: { 'x-fake-token': control } });
      return ((await response.json()) as { requests: unknown }).requests;
    };
    const files = [{ filename: 'invoice.pdf' }];
    await expect.poll(logged).toMatchObject([{ files }, { files }]);
    const lines = serving.printed.slice(1).map((line) => / POST {3}(\w+ \/\w+) /.exec(line)?.[1]);
    expect(lines).toEqual([`${outcome} /one`, `${outcome} /two`]);
  });

  test('the banner names the host when other machines can connect', async () => {
    const serving = fake('--host', '0.0.0.0', '--quiet');
    await serving.url();
    expect(serving.printed[0]).toContain('Other machines can connect to it and open its dashboard.');
  });

  test('--fault injects a fault from the start', async () => {
    const url = await fake('--quiet', '--faults', 'status=503 times=2', '--faults', 'status=418,times=1').url();
    const statuses = [];
    for (let call = 0; call < 4; call += 1) statuses.push((await fetch(`${url}/currencies`)).status);
    expect(statuses).toEqual([503, 503, 418, 200]);
  });

  test('a fault may match requests, and its fields may be apart by more than a blank', async () => {
    const url = await fake('--quiet', '--faults', ' status=418,  match.path=/currencies/ARS  times=9 ').url();
    const statuses = [];
    for (const path of ['/currencies', '/currencies/ARS', '/currencies/BRL', '/currencies/ARS'])
      statuses.push((await fetch(url + path)).status);
    expect(statuses).toEqual([200, 418, 200, 418]);
  });

  test.each([
    ['status=abc', '`status` takes an integer'],
    ['', 'a field is missing'],
    ['times=2', 'a fault needs `status`'],
    ['speed=slow', '`speed` is not a field here'],
    ['status=700', '`status` is from 200 to 599'],
    ['status=503 reset=after', 'only one of `status`, `reset`, `stall` and `truncate`'],
    ['stall endpoint=questions.fly', 'there is no endpoint "questions.fly"; the endpoints are actionGuide.caps'],
  ])('a fault that cannot be parsed exits with 2: %s', async (text, message) => {
    const serving = fake('--faults', text);
    expect(await serving.code).toBe(1);
    expect(serving.errors.join()).toContain(`--faults '${text}'`);
    expect(serving.errors.join()).toContain(message);
  });

  test('a port in use is reported', async () => {
    const { port } = new URL(await fake('--quiet').url());
    const second = running('fake', '--port', port);
    expect(await second.code).toBe(1);
    expect(second.errors).toEqual([`marketplace-seller-sdk: port ${port} is in use; --port 0 picks a free one`]);
  });

  test('a host that cannot be bound is reported', async () => {
    const serving = fake('--host', '203.0.113.1');
    expect(await serving.code).toBe(1);
    expect(serving.errors.join()).toContain('cannot listen on 203.0.113.1');
  });
});

test('Ctrl+C right after the line that says where it listens ends it in order', async () => {
  const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
  let isListened = false;
  const listened: boolean[] = [];
  const out = (): void => {
    listened.push(isListened);
    end(undefined);
  };
  const io = { out, err: () => {}, ended: () => ((isListened = true), ended) };
  expect(await run(['fake', '--port', '0'], io)).toBe(0);
  expect(new Set(listened)).toEqual(new Set([true]));
});

describe('the start of the marketplace', () => {
  const control = 'a-control-token-of-the-test';
  const ask = async (url: string, method: string, name: string, body?: object): Promise<Record<string, unknown>> => {
    const headers = { 'x-fake-token': control };
    const response = await fetch(`${url}/__fake/${name}`, {
      method,
      headers,
      body: body ? JSON.stringify(body) : null,
    });
    return (await response.json()) as Record<string, unknown>;
  };

  test('--follow, --settings, --now, --limit and --cors are part of it, and reset returns to them', async () => {
    const settings = fileOf({ capPerOption: 3, messageShape: 'legacy' });
    const seed = fileOf({ settings: { capPerOption: 2, maxIds: 7 }, users: [{ user_id: 1, token: 'seller' }] });
    const args = ['--follow', 'documents', '--settings', settings, '--seed', seed, '--now', '2030-01-01T00:00:00Z'];
    const limit = ['--limit', 'perMinute=900 per=user retryAfter', '--cors', '--control-token', control];
    const begun = ['--callback', 'http://127.0.0.1:1/', '--faults', 'status=503 endpoint=sites.search'];
    const url = await fake('--quiet', ...args, ...limit, ...begun).url();
    const { callbacks, faults } = await ask(url, 'GET', 'state');
    const expected = {
      settings: {
        capPerOption: 3,
        maxIds: 7,
        messageShape: 'legacy',
        cors: true,
        itemStatusShape: 'bare',
      },
      limit: { perMinute: 900, per: 'user', retryAfter: true },
    };
    expect(await ask(url, 'GET', 'settings')).toMatchObject(expected);
    expect(await ask(url, 'GET', 'clock')).toEqual({ now: '2030-01-01T00:00:00.000Z', running: false });
    await ask(url, 'POST', 'settings', { capPerOption: 9, messageShape: 'current', cors: false });
    await ask(url, 'POST', 'limit', {});
    for (const list of ['notifications', 'faults']) await ask(url, 'DELETE', list);
    await ask(url, 'POST', 'clock', { set: '2031-01-01T00:00:00Z', running: true });
    await ask(url, 'POST', 'reset');
    expect(await ask(url, 'GET', 'settings')).toMatchObject(expected);
    expect([callbacks, faults]).toMatchObject([[{ id: 1 }], [{ status: 503 }]]);
    expect(await ask(url, 'GET', 'state')).toMatchObject({ callbacks, faults });
    expect(await ask(url, 'GET', 'clock')).toEqual({ now: '2030-01-01T00:00:00.000Z', running: false });
  });

  test.each([
    [['--follow', 'dead'], "`follow` is 'live' or 'documents', not dead"],
    [['--now', 'noon'], 'the clock takes a Date, an ISO 8601 string or milliseconds, not noon'],
    [['--limit', 'perSecond=0'], '`perSecond`: an integer from 1 to 10000'],
    [['--limit', 'perSecond=2 per=token'], '`per` takes "application" or "user"'],
    [['--limit', 'often'], '`often` is not a field here'],
    [['--settings', 'nothing.json'], 'the settings file nothing.json does not exist'],
    [['--settings', fileOf({ maxIds: 'x' })], '`maxIds`'],
    [['--settings', fileOf({ maxIdss: 1 })], '`maxIdss` is not a field here'],
  ])('a wrong start exits with 1: %j', async (args, message) => {
    const serving = fake(...args);
    expect(await serving.code).toBe(1);
    expect(serving.errors.join()).toContain(message);
    // What is wrong is said after its place, and without the name of a class.
    expect(serving.errors.join()).toMatch(/^marketplace-seller-sdk: (?:`|the |a rate |--|\S+\.json: `)/);
    expect(serving.errors.join()).not.toContain('FakeMarketplace');
  });

  test('a failure is scripted over HTTP, once, and a wrong one is rejected with its field', async () => {
    const url = await fake('--quiet', '--control-token', control).url();
    const failure = { endpoint: 'currencies.list', status: 409, code: 'conflict', message: 'Busy', cause: ['lock'] };
    await ask(url, 'POST', 'failures', failure);
    const responses = [await fetch(`${url}/currencies`), await fetch(`${url}/currencies`)];
    expect(responses.map(({ status }) => status)).toEqual([409, 200]);
    expect(await responses[0]?.json()).toEqual({ message: 'Busy', error: 'conflict', status: 409, cause: ['lock'] });
    expect(await ask(url, 'POST', 'failures', { ...failure, endpoint: 'currencies.lst' })).toEqual({
      message: expect.stringContaining('`endpoint`: there is no endpoint "currencies.lst"') as unknown,
    });
    expect(await ask(url, 'POST', 'failures', { ...failure, status: 200 })).toEqual({
      message: expect.stringContaining('`status`') as unknown,
    });
  });
});

describe('the options of fake', () => {
  test('a bare call prints the usage and exits with 2', async () => {
    const program = running();
    expect(await program.code).toBe(2);
    expect(program.errors.join()).toContain('Usage: npx marketplace-seller-sdk COMMAND');
  });

  test('--allow-host is not case-sensitive', async () => {
    const url = await fake('--quiet', '--allow-host', 'Fake.Test').url();
    expect(await statusUnder(`${url}/`, 'fake.test')).toBe(200);
  });

  test('a request with a body prints one line', async () => {
    const serving = fake();
    const url = await serving.url();
    const headers = { authorization: 'Bearer BUYER-TOKEN', 'content-type': 'application/json' };
    const body = JSON.stringify({ item_id: 'MLA600000001', text: 'Is it heavy?' });
    await (await fetch(`${url}/questions`, { method: 'POST', headers, body })).text();
    await serving.end();
    expect(serving.printed.filter((line) => line.includes('POST'))).toHaveLength(1);
  });

  test('--faults takes several fields of a match, and a value with an equals sign', async () => {
    const url = await fake('--quiet', '--faults', 'status=418,  match.method=POST match.body=a=b').url();
    const statusOf = async (method: string): Promise<number> =>
      (await fetch(`${url}/answers`, { method, body: '{"text":"a=b"}' })).status;
    expect(await statusOf('PUT')).not.toBe(418);
    expect(await statusOf('POST')).toBe(418);
  });

  test('--callback posts notifications, late and twice with --callback-faults', async () => {
    const received: string[] = [];
    const server = createServer((request, response) => {
      request.setEncoding('utf8').on('data', (text: string) => received.push(text));
      // Not before it is read: `flush` waits for this response.
      request.on('end', () => response.end());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const callback = ['--callback', `http://127.0.0.1:${port}/`, '--callback-faults', 'twice=1'];
    const url = await fake('--quiet', '--control-token', 'a-control-token-of-the-test', ...callback).url();
    const headers = { 'x-fake-token': 'a-control-token-of-the-test' };
    const body = JSON.stringify({ from: 1002, item_id: 'MLA600000002', text: 'Is it new?' });
    await fetch(`${url}/__fake/questions`, { method: 'POST', headers, body });
    await fetch(`${url}/__fake/flush`, { method: 'POST', headers });
    server.closeAllConnections();
    server.close();
    const resources = received.map((text) => (JSON.parse(text) as { resource: string }).resource);
    expect(resources).toContain('/questions/5000000007');
    expect(resources.filter((resource) => resource === '/questions/5000000007')).toHaveLength(2);
  });

  test.each([
    [['--callback', 'here'], '--callback here: a callback is a URL'],
    [['--callback', 'http://127.0.0.1:1/', '--callback-faults', 'often=1'], '`often` is not a field here'],
    [['--callback', 'http://127.0.0.1:1/', '--callback-faults', 'late=2'], 'a share is from 0 to 1'],
  ])('an invalid callback exits with 1: %j', async (args, message) => {
    const serving = fake(...args);
    expect(await serving.code).toBe(1);
    expect(serving.errors.join()).toContain(message);
  });
});

/** The status of a request with another `Host`, which `fetch` does not allow. */
async function statusUnder(url: string, host: string): Promise<number | undefined> {
  const [response] = (await once(get(url, { headers: { host }, agent: false }), 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

describe('a seed file', () => {
  test('a seed file can hold every kind of entity', async () => {
    const seed = fileOf({
      now: '2026-03-02T12:00:00Z',
      users: [
        { user_id: 7, nickname: 'SHOP', site_id: 'MLB', token: 'shop-token', application_id: 42 },
        { user_id: 8 },
      ],
      items: [
        { item_id: 'MLB1', seller_id: 7, title: 'A lamp', flex: true },
        { item_id: 'MLB2', seller_id: 7, status: 'paused' },
      ],
      questions: [
        { item_id: 'MLB1', from: 8, text: 'Is it bright?', asked_at: '2026-03-01T10:00:00Z', answer: 'Very.' },
        { item_id: 'MLB1', from: 8, text: 'And blue?' },
      ],
      blacklist: [{ seller_id: 7, user_id: 8 }],
      packs: [
        { pack_id: 900, seller_id: 7, buyer_id: 8, messages: [{ from: 'buyer', text: 'Thanks!' }] },
        { pack_id: 901, seller_id: 7, buyer_id: 8, blockedBy: 'blocked_by_time' },
      ],
      flex: { subscriptions: [{ user_id: 7 }], shipments: [{ user_id: 7, driver_id: 55 }] },
      contacts: [{ kind: 'phone_view', item_id: 'MLB1', at: '2026-03-01T00:00:00Z', times: 3 }],
      faults: [{ status: 429, headers: { 'retry-after': 0 }, endpoint: 'currencies.list' }],
    });
    const serving = fake('--quiet', '--seed', seed);
    const url = await serving.url();
    const client = new SellerClient({ baseUrl: url, accessToken: 'shop-token', maxRetries: 0 });
    const questions = await client.questions.search({ seller_id: 7 }).toArray();
    expect(questions.map(({ text, answer }) => [text, answer?.text])).toEqual(
      expect.arrayContaining([
        ['Is it bright?', 'Very.'],
        ['And blue?', undefined],
      ]),
    );
    expect(await client.questions.blacklist.list({ seller_id: 7 }).toArray()).toMatchObject([{ id: 8 }]);
    expect((await client.messages.conversation({ pack_id: 900, user_id: 7 }).first())?.text).toBe('Thanks!');
    expect(await client.flex.driver({ site_id: 'MLB', shipment_id: 40_000_000_001 })).toEqual({ driver_id: 55 });
    const seen = { item_id: 'MLB1', date_from: '2026-02-28', date_to: '2026-03-02' };
    expect((await client.contacts.phoneViews.ofItem(seen)).total).toBe(3);
    await expect(client.currencies.list()).rejects.toThrow('429');
    await expect(client.currencies.list()).resolves.toBeInstanceOf(Array);
  });

  test('the seed file of the guide is valid', async () => {
    const guide = readFileSync(join(import.meta.dirname, '../../docs/guide/testing.md'), 'utf8');
    const shown = /```json\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
    const url = await fake('--quiet', '--seed', fileOf(shown)).url();
    const client = new SellerClient({ baseUrl: url, accessToken: 'shop-token' });
    expect(await client.questions.search({ seller_id: 7 }).toArray()).toHaveLength(2);
  });

  test.each([
    ['{"users": [', ' is not valid JSON: '],
    [{ items: [{ title: 'X' }] }, '`items.0.seller_id` is missing; it takes an integer'],
    [{ user: [] }, '`user` is not a field here'],
    [{ now: 'noon' }, '`now`: a time is an ISO 8601 string'],
    [{ users: [{ user_id: 1, token: 'a b' }] }, '`users.0.token`: a token has only letters, digits'],
    [{ users: [{ user_id: 1 }, { user_id: 1 }] }, '`users.1`: user 1 already exists'],
    [
      {
        users: [
          { user_id: 1, token: 'a' },
          { user_id: 2, token: 'a' },
        ],
      },
      '`users.1`: the token of user 2 is already in use',
    ],
    [{ items: [{ item_id: 'MLA1', seller_id: 9 }] }, '`items.0`: there is no user 9'],
    [
      { users: [{ user_id: 1 }], questions: [{ item_id: 'MLA1', from: 1, text: '?' }] },
      '`questions.0`: there is no item',
    ],
    [{ questions: [{ item_id: 'MLA1', from: 1, text: 'x'.repeat(2001) }] }, 'at most 2000 characters'],
    [{ packs: [{ seller_id: 1, buyer_id: 2, shipping: 'pigeon' }] }, '`packs.0.shipping` takes "flex" or'],
    [{ flex: { subscriptions: [{ user_id: 5 }] } }, '`flex.subscriptions.0`: there is no user 5'],
  ])('an invalid seed file is rejected with the place of the mistake: %j', async (content, message) => {
    const path = fileOf(content);
    const serving = fake('--seed', path);
    expect(await serving.code).toBe(1);
    expect(serving.errors.join()).toContain(path);
    expect(serving.errors.join()).toContain(message);
  });

  test('all mistakes of a seed file are reported at once', async () => {
    const serving = fake('--seed', fileOf({ users: [{ user_id: 'x' }], items: [{ item_id: 1, seller_id: 1 }] }));
    await serving.code;
    expect(serving.errors.join()).toMatch(/`users\.0\.user_id`.*\n.*`items\.0\.item_id`/);
  });

  test('a seed file that does not exist is named', async () => {
    const serving = fake('--seed', join(folder, 'nothing.json'));
    expect(await serving.code).toBe(1);
    expect(serving.errors.join()).toContain(`the seed file ${join(folder, 'nothing.json')} does not exist`);
    const unreadable = fake('--seed', folder);
    expect(await unreadable.code).toBe(1);
    expect(unreadable.errors.join()).toContain(`cannot read ${folder}: EISDIR`);
  });

  test('a byte order mark is ignored', async () => {
    const seed = fileOf(`\uFEFF${JSON.stringify({ users: [{ user_id: 7, nickname: 'SHOP' }] })}`);
    const serving = fake('--quiet', '--seed', seed);
    await serving.url();
    expect(serving.printed[0]).toContain('SHOP');
  });

  describe('operations of your own', () => {
    const zod = import.meta.resolve('zod');
    const visits = `import * as z from '${zod}';
      const endpoint = {
        ...{ name: 'visits.ofItem', method: 'GET', path: '/items/{item_id}/visits', retry: 'safe', errors: [] },
        input: z.object({ item_id: z.string() }),
        output: z.looseObject({ total_visits: z.number() }),
      };
      const handle = ({ input: { item_id } }, { items, records }) =>
        items.get(item_id) && { total_visits: records.of('visits').get(item_id) ?? 0 };`;
    const moduleOf = (code: string): string => {
      const path = join(folder, `${crypto.randomUUID()}.mjs`);
      writeFileSync(path, visits + code);
      return path;
    };
    const control = 'a-control-token-of-the-test';
    const visitsOf = async (url: string): Promise<unknown> => {
      const headers = { authorization: 'Bearer SELLER-TOKEN' };
      const response = await fetch(`${url}/items/MLA600000001/visits`, { headers });
      return response.status === 200 ? response.json() : response.status;
    };
    const call = (url: string, path: string, body: object = {}): Promise<Response> =>
      fetch(`${url}/__fake/${path}`, {
        method: 'POST',
        headers: { 'x-fake-token': control },
        body: JSON.stringify(body),
      });

    test.each([
      ['--operations', 'export const operations = [{ endpoint, handle }];'],
      ['--operations', 'export default [{ endpoint, handle }];'],
      [
        '--seed',
        `export default { operations: [{ endpoint, handle }, { method: 'GET', path: '/sites', body: [] }],
          users: [{ user_id: 1, token: 'SELLER-TOKEN' }], items: [{ item_id: 'MLA600000001', seller_id: 1 }] };`,
      ],
    ])('of %s have the state, the controls and a reset: %s', async (option, code) => {
      const url = await fake('--quiet', '--control-token', control, option, moduleOf(code)).url();
      expect(await visitsOf(url)).toEqual({ total_visits: 0 });
      await call(url, 'seed', { records: { visits: { MLA600000001: 12 } } });
      expect(await visitsOf(url)).toEqual({ total_visits: 12 });
      await call(url, 'faults', { endpoint: 'visits.ofItem', status: 503 });
      expect(await visitsOf(url)).toBe(503);
      await call(url, 'reset');
      expect(await visitsOf(url)).toEqual({ total_visits: 0 });
    });

    test.each([
      ['export default [{ endpoint }];', 'the operation visits.ofItem needs a function `handle`'],
      ['export default 7;', 'takes an array'],
      ['', 'takes an array'],
    ])('that are wrong are named: %s', async (code, message) => {
      const path = moduleOf(code);
      const serving = fake('--operations', path);
      expect(await serving.code).toBe(1);
      expect(serving.errors.join()).toContain(`${path}:`);
      expect(serving.errors.join()).toContain(message);
    });
  });

  test.each(['mjs', 'ts'])('a module with a default export is a seed: .%s', async (extension) => {
    const path = join(folder, `seed.${extension}`);
    writeFileSync(path, "export default { users: [{ user_id: 7, nickname: 'MODULE' }] };");
    const serving = fake('--quiet', '--seed', path);
    await serving.url();
    expect(serving.printed[0]).toContain('MODULE');
  });
});
