import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { sqliteTokens } from 'marketplace-seller-sdk/oauth';
import { createTools } from 'marketplace-seller-sdk/tools';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createServer } from '../../src/cli/commands/mcp.js';
import type { Offer } from '../../src/cli/commands/mcp.js';
import { createMarketplace } from '../support/marketplace.ts';
import { bundled } from '../support/program.ts';
import { running } from '../support/serving.ts';

type Decision = 'accept' | 'decline' | 'cancel';
type Decide = (message: string) => Decision | Promise<Decision>;

/** How a host can ask its person. */
type Elicitation = Readonly<Record<string, Record<string, unknown>>>;

/** A host's program; `decide` is its person, without whom it cannot ask. */
function hostOf(decide?: Decide, elicitation: Elicitation = {}): Client {
  const capabilities = decide ? { elicitation } : {};
  const host = new Client({ name: 'host', version: '1.0.0' }, { capabilities });
  if (decide)
    host.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({
      action: await decide(params.message),
      content: {},
    }));
  onTestFinished(() => host.close());
  return host;
}

const hourMs = 3_600_000;

/** Connects a host's program with a server over a marketplace. */
async function served(offer: Partial<Offer> = {}, decide?: Decide, elicitation?: Elicitation) {
  const all = createMarketplace();
  const tools = createTools(all.sellerClient);
  const server = await createServer({ tools, allowed: [], baseUrl: 'https://api.test', seller: '7', ...offer });
  const [ofServer, ofHost] = InMemoryTransport.createLinkedPair();
  const host = hostOf(decide, elicitation);
  await Promise.all([server.connect(ofServer), host.connect(ofHost)]);
  const use = async (name: string, args: Record<string, unknown>) => {
    const { content, isError } = await host.callTool({ name, arguments: args }, undefined, { timeout: 2 * hourMs });
    const [{ text } = { text: '' }] = content as { text: string }[];
    return { isError, ...(JSON.parse(text) as { result?: unknown; error?: Record<string, unknown> }) };
  };
  const writes = () => all.marketplace.requests.all.filter(({ method }) => method !== 'GET').length;
  return { ...all, host, use, writes };
}

describe('the server of tools', () => {
  test('reads without asking, and tells the model whose tools they are', async () => {
    const { host, use, question_id } = await served({}, () => 'decline');
    expect(host.getInstructions()).toContain('The seller is the user 7');
    expect(await use('questions_get', { question_id })).toMatchObject({
      isError: false,
      result: { id: String(question_id) },
    });
    const { tools } = await host.listTools();
    expect(tools.length).toBeGreaterThan(30);
    // Each conversation pays for the list: four characters are about a token.
    expect(JSON.stringify(tools).length / 4 / tools.length).toBeLessThanOrEqual(146);
    const reading = tools.filter(({ annotations }) => annotations?.readOnlyHint === true);
    expect(reading.map(({ name }) => name)).toContain('questions_search');
    expect(reading.map(({ name }) => name)).not.toContain('questions_answer');
  });

  test('a write shows the person what it is about and the exact request, and is sent once when the person agrees', async () => {
    const shown: string[] = [];
    const { use, question_id, marketplace, writes } = await served({}, (message) => {
      shown.push(message);
      return 'accept';
    });
    const text = 'Yes, there is.';
    expect(await use('questions_answer', { question_id, text })).toMatchObject({ isError: false });
    expect(shown.join()).toMatch(/^Answer the question of buyer 31 about MLA100\?\n/);
    expect(shown.join()).toContain('Question: «Is there stock?»');
    expect(shown.join()).toContain('https://api.test');
    expect(shown.join()).toContain(`POST /answers\n`);
    expect(shown.join()).toContain(JSON.stringify({ question_id, text }));
    expect(marketplace.questions.get(question_id)?.answer?.text).toBe(text);
    expect(writes()).toBe(1);
  });

  test.each(['decline', 'cancel'] as const)('nothing is sent when the person does not agree: %s', async (decision) => {
    const { use, question_id, writes } = await served({}, () => decision);
    const { isError, error } = await use('questions_answer', { question_id, text: 'Yes.' });
    expect({ isError, error }).toMatchObject({ isError: true, error: { class: 'NotSent', isLasting: true } });
    expect(writes()).toBe(0);
  });

  test('nothing is sent when the person cannot be asked', async () => {
    const { use, question_id, writes } = await served({}, () => {
      throw new Error('no window');
    });
    const { isError, error } = await use('questions_answer', { question_id, text: 'Yes.' });
    expect({ isError, error }).toMatchObject({ isError: true, error: { class: 'NotSent', outcomeUnknown: false } });
    expect(error?.message).toMatch(/^The person could not be asked \(.*no window.*\), so nothing was sent$/);
    expect(writes()).toBe(0);
  });

  test('a wrong input is rejected before a person is asked', async () => {
    const { use, question_id } = await served({}, () => {
      throw new Error('asked');
    });
    const { error } = await use('questions_answer', { question_id });
    expect(error).toMatchObject({ class: 'InvalidInputError' });
  });

  test('marking messages as read needs a person, too', async () => {
    const { seller_id, buyer_id, marketplace, use } = await served({}, () => 'decline');
    const { pack_id } = marketplace.addPack({ seller_id, buyer_id });
    const whose = { pack_id, user_id: seller_id };
    expect(await use('messages_conversation', whose)).toMatchObject({ isError: false });
    expect(await use('messages_conversation', { ...whose, mark_as_read: true })).toMatchObject({ isError: true });
    const without = await served();
    const unsent = await without.use('messages_conversation', { ...whose, mark_as_read: true });
    expect(unsent.error).toMatchObject({ class: 'NotSent' });
    expect(without.marketplace.requests.all).toEqual([]);
  });

  test('nothing is marked as read where nothing may be changed', async () => {
    const { seller_id, buyer_id, marketplace, use } = await served({ isReadOnly: true }, () => 'accept');
    const { pack_id } = marketplace.addPack({ seller_id, buyer_id });
    const marking = { pack_id, user_id: seller_id, mark_as_read: true };
    expect((await use('messages_conversation', marking)).error).toMatchObject({ class: 'NotSent' });
    expect(marketplace.requests.all).toEqual([]);
  });

  test('a host that cannot ask a person has only the writes that are allowed', async () => {
    const { host, use, question_id, writes } = await served({ allowed: ['questions.hide', 'questions.answer'] });
    const { tools } = await host.listTools();
    const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint === false).map(({ name }) => name);
    expect(writing.sort()).toEqual(['questions_answer', 'questions_hide']);
    expect(await use('questions_delete', { question_id })).toMatchObject({
      isError: true,
      error: {
        class: 'NotSent',
        message: expect.stringContaining('cannot ask a person') as string,
        whatToDo: expect.stringContaining('`--allow questions.delete`') as string,
      },
    });
    expect(writes()).toBe(0);
    expect(await use('questions_answer', { question_id, text: 'Yes.' })).toMatchObject({ isError: false });
    expect(writes()).toBe(1);
  });

  test('a host that cannot ask a person, and its person, are told which tools are missing and what adds them', async () => {
    const warned: string[] = [];
    const { host } = await served({ warn: (text) => warned.push(text), allowed: ['questions.hide'] });
    await host.ping();
    for (const told of [host.getInstructions(), warned.join()]) {
      expect(told).toContain('messages_send');
      expect(told).not.toContain('questions_hide');
      expect(told).toMatch(/`--allow [a-zA-Z.]+` in the arguments of the server/);
    }
    expect(host.getInstructions()).toContain('--allow questions.answer');
    const asking = await served({ warn: (text) => warned.push(text) }, () => 'accept');
    await asking.host.ping();
    expect(warned).toHaveLength(1);
    const reading = await served({ tools: createTools(createMarketplace().sellerClient, { only: ['currencies'] }) });
    expect(reading.host.getInstructions()).not.toContain('--allow');
  });

  test.each([
    [{ form: {} }, true],
    [{ form: {}, url: {} }, true],
    // It opens a page for its person, and shows no question.
    [{ url: {} }, false],
  ])('a host with %j can ask a person: %s', async (elicitation, canAsk) => {
    const { use, question_id, writes } = await served({}, () => 'accept', elicitation);
    expect(await use('questions_answer', { question_id, text: 'Yes.' })).toMatchObject({ isError: !canAsk });
    expect(writes()).toBe(canAsk ? 1 : 0);
  });

  test('a person who takes an hour to agree is waited for', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { use, question_id, writes } = await served({}, async (): Promise<Decision> => {
      await vi.advanceTimersByTimeAsync(hourMs);
      return 'accept';
    });
    expect(await use('questions_answer', { question_id, text: 'Yes.' })).toMatchObject({ isError: false });
    expect(writes()).toBe(1);
  });

  test('an allowed write is asked about where a person can be asked', async () => {
    const { use, question_id, writes } = await served({ allowed: ['questions.answer'] }, () => 'decline');
    expect(await use('questions_answer', { question_id, text: 'Yes.' })).toMatchObject({ isError: true });
    expect(writes()).toBe(0);
  });

  test('a lost response is read back, and the write is not repeated', async () => {
    const { use, question_id, marketplace, writes } = await served({}, () => 'accept');
    marketplace.faults.inject({ endpoint: 'questions.hide', reset: 'after', times: 9 });
    for (let times = 0; times < 2; times += 1)
      expect((await use('questions_hide', { question_id })).error).toMatchObject({ outcomeUnknown: true });
    expect(writes()).toBe(1);
  });
});

describe('the command mcp', () => {
  test('serves a fake marketplace over stdio, and ends with its host', async () => {
    const host = hostOf(() => 'accept');
    const args = [await bundled('src/cli/main.ts'), 'mcp', '--fake'];
    const transport = new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' });
    await host.connect(transport);
    const search = await host.callTool({
      name: 'questions_search',
      arguments: { seller_id: 1001, filters: { status: 'UNANSWERED' } },
    });
    const [{ text } = { text: '' }] = search.content as { text: string }[];
    const { questions } = (JSON.parse(text) as { result: { questions: { id: number }[] } }).result;
    const answered = await host.callTool({
      name: 'questions_answer',
      arguments: { question_id: questions[0]?.id, text: 'Yes.' },
    });
    expect(answered.isError).toBe(false);
    const ended = Promise.withResolvers<undefined>();
    transport.onclose = () => ended.resolve(undefined);
    await host.close();
    await ended.promise;
  });

  test('serves the sellers in a file, with the operations that are chosen', async () => {
    const { marketplace, seller, seller_id } = createMarketplace();
    const { url, close } = await marketplace.listen();
    onTestFinished(close);
    const folder = mkdtempSync(join(tmpdir(), 'mcp-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'tokens.db');
    const tokens = sqliteTokens(path);
    await tokens.save(seller_id, { accessToken: marketplace.tokenFor(seller), refreshToken: 'r' });
    await tokens.close?.();
    const host = hostOf(() => 'accept');
    const args = [
      await bundled('src/cli/main.ts'),
      'mcp',
      '--sellers',
      path,
      '--base-url',
      url,
      '--tools',
      'questions, currencies.list',
    ];
    // The first versions of Node.js 22 have SQLite only with an option.
    const env = { ...getDefaultEnvironment(), NODE_OPTIONS: process.env.NODE_OPTIONS ?? '' };
    const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: 'pipe' });
    await host.connect(transport);
    expect(host.getInstructions()).toContain(`takes \`seller\`, one of ${seller_id}`);
    const { tools } = await host.listTools();
    expect(new Set(tools.map(({ name }) => name.split('_')[0]))).toEqual(new Set(['questions', 'currencies']));
    const found = await host.callTool({
      name: 'questions_search',
      arguments: { seller: String(seller_id), seller_id },
    });
    expect(found.isError).toBe(false);
    const ended = Promise.withResolvers<undefined>();
    transport.onclose = () => ended.resolve(undefined);
    // `host.close()` would kill it after some seconds.
    process.kill(transport.pid!, 'SIGTERM');
    await ended.promise;
    // What was refreshed is stored: the file is closed.
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  test.each([
    [
      ['--fake', '--tools', 'questions,mesages'],
      '--tools names no operation and no group with "mesages"; did you mean messages?',
    ],
    [['--sellers', 'none.db', '--base-url', 'http://127.0.0.1:1'], 'the file none.db does not exist'],
    [['--sellers', 'none.db', '--fake'], '--sellers and --fake contradict each other'],
    [['--fake', '--allow', 'questions.anwser'], 'did you mean questions.answer?'],
    [['--fake', '--allow', 'questions.search'], 'there is no operation "questions.search" that changes something'],
    [['--fake', '--allow', 'questions.answer', '--read-only'], 'contradict each other'],
    [['--fake', '--seller', 'me'], '--seller must be the user id of the seller'],
    [['--token', 'x', '--base-url', 'nowhere'], '--base-url or --token is invalid'],
    [['--base-url', 'https://api.example.com', '--token', ''], '--token, or the environment variable SELLER_TOKEN'],
  ])('a wrong command line exits with 2: %j', async (args, message) => {
    const program = running('mcp', ...args);
    expect(await program.code).toBe(2);
    expect(program.errors.join()).toContain(message);
    expect(program.printed).toEqual([]);
  });
});
