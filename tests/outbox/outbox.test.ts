import { writeFileSync } from 'node:fs';
import { InvalidInputError } from 'marketplace-seller-sdk';
import type { ClientOptions } from 'marketplace-seller-sdk';
import { createOutbox, openOutbox } from 'marketplace-seller-sdk/outbox';
import { memoryStore, sqliteStore } from 'marketplace-seller-sdk/stores';
import type { Outbox, OutboxOptions } from 'marketplace-seller-sdk/outbox';
import type { InnerStore as Store } from '../../src/work/store.js';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { running } from '../support/serving.ts';
import { advanceBetweenRequests, fakeTimersOfInbox, loadClientFirst } from '../support/fake-time.ts';
import { storeKinds } from '../support/inbox-stores.ts';
import { createSale } from '../support/marketplace.ts';
import { newFiles } from '../support/new-files.ts';
import { untilEnded } from '../support/until-ended.ts';
import { silentLogger } from '../support/silent.ts';
import { receiving } from '../support/stubs.ts';

const newFile = newFiles();
const [file, empty] = [newFile('invoice.pdf'), newFile('empty.pdf')];

let inFlight = 0;
const advanceUntilSettled = <T>(work: Promise<T>): Promise<T> => advanceBetweenRequests(work, () => inFlight);

beforeAll(() => writeFileSync(file, '%PDF-1.7 an invoice'));
beforeAll(() => writeFileSync(empty, ''));
loadClientFirst();
fakeTimersOfInbox();

type WriteEnd = 'carried out' | 'response lost' | 'request lost';

/** A seller with a buyer who has written, whose writes meet these ends, one after the other. */
function shop(
  ends: WriteEnd[] = [],
  { hasWritten = true, ...options }: Partial<ClientOptions> & { hasWritten?: boolean } = {},
) {
  const sale = createSale(hasWritten ? 'Could I have an invoice?' : undefined);
  const { marketplace, seller, buyer, user_id, pack } = sale;
  const sent: string[] = [];
  const client = marketplace.clientFor(seller, {
    maxRetries: 0,
    ...options,
    fetch: receiving(async (request) => {
      const isWrite = request.method === 'POST';
      if (isWrite) sent.push(new URL(request.url).pathname.replace(/\d{5,}/g, '#'));
      const end = isWrite ? (ends.shift() ?? 'carried out') : 'carried out';
      if (end === 'request lost') throw new TypeError('fetch failed');
      inFlight += 1;
      const response = await marketplace.fetch(request).finally(() => (inFlight -= 1));
      if (end === 'response lost') throw new TypeError('fetch failed');
      return response;
    }),
  });
  const message = (text: string) => ({ ...sale.message, text });
  const job = (key: string, text = key) => ({
    key,
    user_id,
    endpoint: endpoints.messages.send,
    input: message(text),
  });
  /** Another process sends, or none. */
  const openUnstarted = (store: Store, more: Partial<OutboxOptions> = {}): Outbox =>
    createOutbox({ store, clientFor: () => client, logger: silentLogger, ...more });
  const open = (...args: Parameters<typeof openUnstarted>): Outbox => {
    const outbox = openUnstarted(...args);
    void outbox.start();
    return outbox;
  };
  return {
    marketplace,
    seller,
    buyer,
    pack,
    pack_id: pack.pack_id!,
    user_id,
    sent,
    messages: sale.sent,
    message,
    job,
    open,
    openUnstarted,
  };
}

const done = (outbox: Outbox): Promise<void> => advanceUntilSettled(untilEnded(outbox));

describe.for(storeKinds())('an outbox in $name', ({ create }) => {
  test.for<[WriteEnd[]]>([
    [[]],
    [['response lost']],
    [['request lost']],
    [['request lost', 'request lost', 'response lost']],
    [['response lost', 'response lost', 'response lost']],
  ])('sends each of three equal messages once when writes end as %j', async ([ends]) => {
    const { job, messages, open } = shop([...ends]);
    const outbox = open(create()());
    for (const key of ['one', 'two', 'three']) await outbox.add(job(key, 'Thank you!'));
    await done(outbox);
    expect(messages()).toHaveLength(3);
    expect(await outbox.stats()).toEqual({ waiting: 0, running: 0, dead: 0, accepted: 3, rejected: 0 });
    await outbox.close();
  });

  test('sends a key once, however often it is added and flushed at the same time', async () => {
    const { job, messages, open } = shop();
    const outbox = open(create()());
    await Promise.all(['a', 'b', 'c', 'a', 'b'].map(async (key) => outbox.add(job(key))));
    await advanceUntilSettled(Promise.all([outbox.idle(), outbox.idle(), outbox.idle()]));
    await outbox.add(job('a'));
    await done(outbox);
    expect(messages().map(({ text }) => text).toSorted()).toEqual(['a', 'b', 'c']); // prettier-ignore
    expect(await outbox.get('a')).toMatchObject({ state: 'accepted', failures: 0, outputs: [{ text: 'a' }] });
    expect(await outbox.get('d')).toBeUndefined();
    await outbox.close();
  });

  test('two processes share the jobs, and none is sent twice', async () => {
    const { job, messages, open } = shop();
    const store = create();
    const [first, second] = [open(store()), open(store())];
    await Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 ? first : second).add(job(`job ${index}`))));
    await Promise.all([done(first), done(second)]);
    expect(messages()).toHaveLength(20);
    await first.close();
    await second.close();
  });

  test('a known key with another input is rejected, and says so', async () => {
    const { job, messages, open } = shop();
    const outbox = open(create()());
    await outbox.add(job('one', 'It leaves today.'));
    const added = outbox.add(job('one', 'It leaves tomorrow.'));
    await expect(added).rejects.toThrow(
      /Not added: the key one was added before with another input, and is (?:waiting|running); use another key for another job/,
    );
    await expect(added).rejects.toBeInstanceOf(InvalidInputError);
    await done(outbox);
    expect(messages().map(({ text }) => text)).toEqual(['It leaves today.']);
    await outbox.close();
  });

  test('the order of the fields of a job is no other input', async () => {
    const { job, message, user_id, messages, open } = shop();
    const outbox = open(create()());
    const { key, endpoint, input } = job('one');
    await outbox.add({ key, user_id, endpoint, input });
    const turned = (fields: typeof input) => Object.fromEntries(Object.entries(fields).toReversed()) as typeof input;
    await outbox.add({ input: turned(input), endpoint, user_id, key });
    const step = { endpoint, input: message('two') };
    await outbox.add({ key: 'two', user_id, steps: [step, { contact: input }] });
    const turnedSteps = [{ input: turned(step.input), endpoint }, { contact: turned(input) }] as const;
    await outbox.add({ steps: turnedSteps, user_id, key: 'two' });
    await done(outbox);
    const ended = await outbox.add({ input: turned(input), endpoint, user_id, key });
    expect(ended).toMatchObject({ state: 'accepted', outputs: [{ text: 'one' }] });
    await done(outbox);
    expect(messages()).toHaveLength(3);
    await outbox.close();
  });

  test('a message that moderation judges later is followed until it is accepted', async () => {
    const { job, marketplace, open } = shop();
    marketplace.messages.moderation = 'later';
    const succeeded: string[] = [];
    const outbox = open(create()(), { onSuccess: ({ entry }) => succeeded.push(entry.key) });
    await outbox.add(job('one'));
    await advanceUntilSettled(outbox.idle());
    expect(await outbox.get('one')).toMatchObject({ state: 'waiting', outputs: [] });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(succeeded).toEqual([]);
    marketplace.messages.moderate();
    await done(outbox);
    expect(await outbox.get('one')).toMatchObject({ state: 'accepted', outputs: [{ status: 'available' }] });
    expect(succeeded).toEqual(['one']);
    await outbox.close();
  });

  test.for(['atOnce', 'later'] as const)(
    'a message that moderation rejects %s is rejected, with its reason',
    async (when) => {
      const { job, message, user_id, marketplace, messages, open } = shop();
      marketplace.messages.moderation = when;
      const rejected: unknown[] = [];
      const outbox = open(create()(), { onRejection: ({ entry, reason }) => rejected.push([entry.key, reason]) });
      const text = 'Call me at +54 11 4321-5678';
      const next = { endpoint: endpoints.messages.send, input: message('It leaves today.') };
      await outbox.add({
        key: 'one',
        user_id,
        steps: [{ endpoint: endpoints.messages.send, input: message(text) }, next],
      });
      await outbox.add(job('two'));
      await advanceUntilSettled(outbox.idle());
      marketplace.messages.moderate();
      await done(outbox);
      expect(rejected).toEqual([['one', 'PERSONAL_DATA']]);
      expect(await outbox.list({ state: 'rejected' })).toMatchObject([
        { entry: { key: 'one' }, reason: 'PERSONAL_DATA' },
      ]);
      expect(await outbox.stats()).toMatchObject({ accepted: 1, rejected: 1, dead: 0 });
      expect(messages().map((each) => each.text)).not.toContain('It leaves today.');
      await outbox.close();
    },
  );

  test('a message that moderation never judges goes to a person after a day', async () => {
    const { job, messages, marketplace, open } = shop();
    marketplace.messages.moderation = 'later';
    const store = create();
    const first = open(store());
    await first.add(job('one'));
    await advanceUntilSettled(first.idle());
    await first.close();
    const hour = 3_600_000;
    await vi.advanceTimersByTimeAsync(23 * hour);
    const second = open(store());
    await advanceUntilSettled(second.idle());
    expect(await second.get('one')).toMatchObject({ state: 'waiting', failures: 0 });
    await second.close();
    await vi.advanceTimersByTimeAsync(hour);
    const outbox = open(store());
    await advanceUntilSettled(outbox.idle());
    const [letter] = await outbox.deadLetters.list();
    expect(letter).toMatchObject({
      entry: { key: 'one' },
      failure: expect.stringContaining('within 24 hours') as string,
    });
    // It is followed as long again.
    expect(await outbox.deadLetters.replay('one')).toBe(true);
    await advanceUntilSettled(outbox.idle());
    expect(await outbox.get('one')).toMatchObject({ state: 'waiting' });
    marketplace.messages.moderate();
    await done(outbox);
    expect(await outbox.get('one')).toMatchObject({ state: 'accepted' });
    expect(messages()).toHaveLength(1);
    await outbox.close();
  });

  test('a file is uploaded before the message that has it, and once although the message is tried again', async () => {
    const { message, user_id, sent, messages, open } = shop(['carried out', 'request lost', 'response lost']);
    const outbox = open(create()());
    const upload = { endpoint: endpoints.messages.upload, input: { site_id: 'MLA', file } };
    const send = { endpoint: endpoints.messages.send, input: message('Here is your invoice.') };
    await outbox.add({ key: 'invoice-42', user_id, steps: [upload, send] });
    await done(outbox);
    expect(sent.filter((path) => path.endsWith('/attachments'))).toHaveLength(1);
    expect(messages()).toMatchObject([{ files: [{}] }]);
    expect((await outbox.get('invoice-42'))?.outputs).toMatchObject([{ id: expect.any(String) as string }, {}]);
    await outbox.close();
  });

  test('each of three messages of a job has only the files that were uploaded for it, behind those that it names', async () => {
    const { marketplace, seller, message, user_id, sent, messages, open } = shop();
    const outbox = open(create()());
    const bytes = new TextEncoder().encode('%PDF-1.7');
    const named = marketplace.attachments.add({ owner: user_id, site_id: seller.site_id, filename: 'named.pdf', type: '', bytes }).id; // prettier-ignore
    const upload = { endpoint: endpoints.messages.upload, input: { site_id: 'MLA', file } };
    const send = (text: string, attachments?: string[]) => {
      return { endpoint: endpoints.messages.send, input: { ...message(text), ...(attachments && { attachments }) } };
    };
    const steps = [upload, send('One.'), upload, upload, send('Two.', [named]), upload, send('Three.'), send('Four.')];
    await outbox.add({ key: 'several', user_id, steps });
    await done(outbox);
    expect(sent.filter((path) => path.endsWith('/attachments'))).toHaveLength(4);
    const files = messages().map((each) => each.files.map(({ id }) => id));
    expect(files.map(({ length }) => length)).toEqual([1, 3, 1, 0]);
    expect(files[1]![0]).toBe(named);
    expect(new Set(files.flat()).size).toBe(5);
    await outbox.close();
  });

  test('files are uploaded again when the oldest of them may have been deleted', async () => {
    const { marketplace, message, user_id, sent, messages, open } = shop(['carried out', 'request lost']);
    const hour = 3_600_000;
    const store = create();
    const uploads = (): number => sent.filter((path) => path.endsWith('/attachments')).length;
    /** A process that does what is due, once, and ends. */
    const run = async (add?: (outbox: Outbox) => Promise<unknown>): Promise<number> => {
      const outbox = open(store(), { retry: { maxRetries: 8, firstDelayMs: hour, maxDelayMs: hour } });
      await add?.(outbox);
      await advanceUntilSettled(outbox.idle());
      await outbox.close();
      return uploads();
    };
    const upload = { endpoint: endpoints.messages.upload, input: { site_id: 'MLA', file } };
    const send = { endpoint: endpoints.messages.send, input: message('Here are your invoices.') };
    expect(await run((outbox) => outbox.add({ key: 'old', user_id, steps: [upload, upload, send] }))).toBe(2);
    marketplace.faults.inject({ endpoint: endpoints.messages.send, status: 429, times: 1 });
    await vi.advanceTimersByTimeAsync(20 * hour);
    expect(await run()).toBe(3);
    await vi.advanceTimersByTimeAsync(5 * hour);
    expect(await run()).toBe(5);
    expect(messages()).toMatchObject([{ files: [{}, {}] }]);
  });

  test.for<WriteEnd>(['carried out', 'response lost', 'request lost'])(
    'a contact goes once through whatever is open when its first write ends as %s and the buyer writes meanwhile',
    async (end) => {
      const { user_id, pack_id, pack, marketplace, messages, open } = shop([end], { hasWritten: false });
      const outbox = open(create()());
      await outbox.add({ key: 'leaves', user_id, contact: { pack_id, user_id, text: 'It leaves today.' } });
      await advanceUntilSettled(outbox.idle());
      marketplace.buyerWrites({ pack, text: 'When does it leave?' });
      await done(outbox);
      expect(messages().map(({ text }) => text)).toEqual(['It leaves today.']);
      expect(await outbox.get('leaves')).toMatchObject({ state: 'accepted' });
      await outbox.close();
    },
  );

  test.for<[WriteEnd, 'atOnce' | 'later']>([
    ['carried out', 'atOnce'],
    ['carried out', 'later'],
    ['response lost', 'atOnce'],
    ['request lost', 'atOnce'],
  ])(
    'a contact of an excepted case goes once when its message ends as %s and is judged %s, also if the case is none any more',
    async ([end, judged]) => {
      // The option is rejected first.
      const ends: WriteEnd[] = ['carried out', end];
      const { user_id, pack_id, pack, buyer, marketplace, messages, open, sent } = shop(ends, { hasWritten: false });
      marketplace.packs.change(pack, { exceptedCase: true });
      marketplace.messages.moderation = judged;
      const outbox = open(create()());
      const contact = { pack_id, user_id, to: { user_id: buyer.user_id }, text: 'It leaves today.' };
      await outbox.add({ key: 'leaves', user_id, contact });
      await advanceUntilSettled(outbox.idle());
      expect(sent).toEqual(['/messages/action_guide/packs/#/option', `/messages/packs/#/sellers/${user_id}`]);
      marketplace.packs.change(pack, { exceptedCase: false });
      marketplace.messages.moderate();
      await done(outbox);
      // What was not carried out goes to a person: the conversation takes no message any more.
      if (end === 'request lost') {
        expect(messages()).toEqual([]);
        expect(await outbox.deadLetters.replay('leaves')).toBe(true);
        await done(outbox);
      }
      expect(messages().map(({ text }) => text)).toEqual(['It leaves today.']);
      expect(await outbox.get('leaves')).toMatchObject({ state: 'accepted' });
      await outbox.close();
    },
  );

  test('what the service rejects goes to a person at once, and can be replayed', async () => {
    const { job, marketplace, messages, sent, open } = shop();
    marketplace.faults.inject({ endpoint: endpoints.messages.send, status: 403, times: 1 });
    const failures: unknown[] = [];
    const outbox = open(create()(), { onFailure: ({ attempt, dead }) => failures.push({ attempt, dead }) });
    await outbox.add(job('one'));
    await done(outbox);
    expect(failures).toEqual([{ attempt: 1, dead: true }]);
    expect(sent).toHaveLength(1);
    expect(await outbox.deadLetters.replayAll()).toBe(1);
    await done(outbox);
    expect(messages()).toHaveLength(1);
    expect(await outbox.deadLetters.remove('one')).toBe(false);
    await outbox.close();
  });

  test('a service that is down is tried again, and becomes a dead letter after the last attempt', async () => {
    const { job, marketplace, sent, open } = shop();
    marketplace.faults.inject({ endpoint: endpoints.messages.send, status: 503, times: 3 });
    const outbox = open(create()(), { retry: { maxRetries: 2 } });
    await outbox.add(job('one'));
    // What has not ended is neither removed nor forgotten.
    expect([await outbox.forget('one'), await outbox.remove('one')]).toEqual([false, false]);
    await done(outbox);
    expect(await outbox.get('one')).toMatchObject({ state: 'dead', failures: 3 });
    expect(sent).toHaveLength(3);
    expect(await outbox.deadLetters.remove('one')).toBe(true);
    expect(await outbox.add(job('one'))).toMatchObject({ state: 'dead', isReduced: true, entry: { steps: [] } });
    expect(await outbox.forget('one')).toBe(true);
    expect(await outbox.get('one')).toBeUndefined();
    await outbox.close();
  });

  test('a seller without a client waits', async () => {
    const { job, messages, marketplace, seller, open } = shop();
    const found: { client?: ReturnType<typeof marketplace.clientFor> } = {};
    const outbox = open(create()(), { clientFor: () => found.client });
    await outbox.add(job('one'));
    await advanceUntilSettled(outbox.idle());
    expect(await outbox.get('one')).toMatchObject({ state: 'waiting', reason: expect.stringContaining('clientFor') as string }); // prettier-ignore
    found.client = marketplace.clientFor(seller);
    await done(outbox);
    expect(messages()).toHaveLength(1);
    await outbox.close();
  });
});

test('a write that nothing shows is looked for three times, and then goes to a person', async () => {
  const { user_id, sent, open } = shop(['response lost']);
  const { confirm: _, ...unseen } = endpoints.questions.answer;
  const mine = { ...unseen, name: 'mine.answer' };
  const outbox = open(memoryStore(), { endpoints: [mine], retry: { firstDelayMs: 1, maxDelayMs: 1 } });
  await outbox.add({ key: 'one', user_id, endpoint: mine, input: { question_id: 1, text: 'Yes.' } });
  const startedAt = Date.now();
  await done(outbox);
  // After 2, 10 and 40 seconds.
  expect(Math.round((Date.now() - startedAt) / 1_000)).toBe(52);
  expect(sent).toHaveLength(1);
  expect(await outbox.get('one')).toMatchObject({
    state: 'dead',
    reason: expect.stringContaining('a person') as string,
  });
  await outbox.close();
});

test('a process that has lost its job after the first step does not begin the second', async () => {
  const { user_id, message, sent, open } = shop();
  const store = memoryStore();
  const note = store.note.bind(store);
  store.note = async (lease, notes) => !Array.isArray(notes.outputs) && note(lease, notes);
  const outbox = open(store, { retry: { maxRetries: 0 } });
  const steps = ['One.', 'Two.'].map((text) => ({ endpoint: endpoints.messages.send, input: message(text) }));
  await outbox.add({ key: 'two', user_id, steps });
  await done(outbox);
  expect(sent).toHaveLength(1);
  expect(await outbox.get('two')).toMatchObject({ state: 'dead', outputs: [{ text: 'One.' }] });
  await outbox.close();
});

describe('a job is checked when it is added', () => {
  const { user_id, pack_id, message } = shop();
  const call = { endpoint: endpoints.messages.send, input: message('It leaves today.') };
  const upload = { endpoint: endpoints.messages.upload, input: { site_id: 'MLA', file } };
  const withFiles = (count: number) => ({
    ...call,
    input: { ...call.input, attachments: Array.from({ length: count }, (_, index) => `${index}.pdf`) },
  });
  test.for<[object, string]>([
    [{ user_id, ...call }, 'Not added: `key` takes a text'],
    [{}, 'Not added: `key` takes a text'],
    [{ user_id, ...call, inputs: {} }, 'Not added: `key` takes a text'],
    [{ key: 'a\0b', user_id, ...call }, 'without the character U+0000'],
    [{ key: '', user_id, ...call }, '`key` takes a text'],
    [{ key: 'k', ...call }, '`user_id` takes the id of the seller'],
    [{ key: 'k', user_id: '7', ...call }, '`user_id` takes the id of the seller'],
    [{ key: 'k', user_id, ...call, input: { ...call.input, text: 'x'.repeat(351) } }, '`text` has 351 characters'],
    [{ key: 'k', user_id, ...call, input: { ...call.input, user_id: 1 } }, 'the job is of the seller'],
    [{ key: 'k', user_id, ...call, inputs: {} }, 'a job has no field `inputs`'],
    [{ key: 'k', user_id, endpoint: endpoints.questions.get, input: { question_id: 1 } }, 'questions.get only reads'],
    [{ key: 'k', user_id, endpoint: 'questions.answer', input: {} }, 'Not added: the endpoint is given by its name'],
    [{ key: 'k', user_id, endpoint: { ...call.endpoint, name: 'mine' }, input: call.input }, 'name it in `endpoints`'],
    [{ key: 'k', user_id, contact: { pack_id, user_id, text: '' } }, 'text'],
    [{ key: 'k', user_id, contact: call.input, ...call }, '`contact` stands in place'],
    [{ key: 'k', user_id, contact: call.input, input: call.input }, '`contact` stands in place'],
    [{ key: 'k', user_id, contact: call.input, endpoint: call.endpoint }, '`contact` stands in place'],
    [{ key: 'k'.repeat(501), user_id, ...call }, '`key` takes a text of 1 to 500 characters'],
    [{ key: 'k', user_id, steps: [] }, '`steps` takes a list'],
    [{ key: 'k', user_id, steps: call }, '`steps` takes a list'],
    [{ key: 'k', user_id, steps: [call], endpoint: call.endpoint }, '`steps` stands in place'],
    [{ key: 'k', user_id, steps: [call], contact: call.input }, '`steps` stands in place'],
    [
      { key: 'k', user_id, endpoint: { ...call.endpoint, method: 'PUT' }, input: call.input },
      'no endpoint of this package',
    ],
    [{ key: 'k', user_id, steps: [upload, withFiles(25)] }, '26 files'],
    [{ key: 'k', user_id, steps: [upload, upload, withFiles(24)] }, '26 files'],
    [{ key: 'k', user_id, steps: [upload, call, upload] }, 'used by no message'],
    [{ key: 'k', user_id, ...upload, input: { site_id: 'MLA', file: empty } }, 'an empty one'],
    [{ key: 'k', user_id, steps: [call, { ...call, input: {} }] }, 'steps[1]: '],
    [{ key: 'k', user_id, steps: [upload, { endpoint: endpoints.questions.hide, input: { question_id: 1 } }] }, 'used by no message'], // prettier-ignore
    [{ key: 'k', user_id, ...upload, input: { site_id: 'MLA', file: new Uint8Array(3) } }, 'the path of a file'],
    [{ key: 'k', user_id, ...upload, input: { site_id: 'MLA', file: '/none.pdf' } }, 'names no file'],
  ])('%j: %s', async ([job, problem]) => {
    const outbox = createOutbox({ store: memoryStore(), clientFor: () => undefined });
    await expect(outbox.add(job as never)).rejects.toThrow(problem);
    expect(await outbox.stats()).toMatchObject({ waiting: 0 });
  });

  test.for<[string, object]>([
    ['the longest key', { key: 'k'.repeat(500), ...call }],
    ['the seller as a text', { key: 'k', ...call, input: { ...call.input, user_id: String(user_id) } }],
    ['one step', { key: 'k', steps: [call] }],
    [
      'steps, and fields that are undefined',
      { key: 'k', steps: [{ ...call, contact: undefined }], contact: undefined, endpoint: undefined },
    ],
    ['a file alone', { key: 'k', ...upload }],
    ['as many files as fit into a message', { key: 'k', steps: [upload, withFiles(24)] }],
    ['a file for the first of two messages', { key: 'k', steps: [upload, call, withFiles(25)] }],
    ['a file for a contact', { key: 'k', steps: [upload, { contact: call.input }] }],
    ['an id as a bigint', { key: 'k', endpoint: endpoints.questions.hide, input: { question_id: 5n } }],
  ])('%s is right', async ([, job]) => {
    const path = newFile();
    const outbox = createOutbox({ store: sqliteStore(path), clientFor: () => undefined });
    expect(await outbox.add({ user_id, ...job } as never)).toMatchObject({ state: 'waiting' });
    await outbox.close();
  });
});

describe('options', () => {
  test.for<[object, string]>([
    [{}, '`store` is missing; `clientFor` is missing'],
    [{ store: 'seller.db', clientFor: () => undefined }, 'sqliteStore(path) for a file'],
    [{ store: { query: () => [] }, clientFor: () => undefined }, 'a pool becomes one by postgresStore({ pool })'],
    [
      { store: { load: () => undefined, save: () => undefined }, clientFor: () => undefined },
      'this is a store of tokens',
    ],
    [
      { store: memoryStore(), clientFor: () => undefined, moderationTimeoutMs: 1 },
      'there is no option `moderationTimeoutMs`',
    ],
    [
      { store: memoryStore(), clientFor: () => undefined, retry: { attempts: 3 } },
      'there is no option `retry.attempts`',
    ],
    [
      { store: {}, clientFor: () => undefined },
      '`store` takes what sqliteStore, postgresStore, memoryStore or bullmq returns',
    ],
    [{ store: memoryStore(), clientFor: () => undefined, retry: { maxRetries: -1 } }, '`retry.maxRetries`'],
    [{ store: memoryStore(), clientFor: () => undefined, stores: 1 }, 'there is no option `stores`'],
    [
      { store: memoryStore(), clientFor: () => undefined, endpoints: [endpoints.messages.send] },
      'there is an endpoint messages.send already',
    ],
  ])('%j: %s', ([options, problem]) => {
    expect(() => createOutbox(options as never)).toThrow(problem);
  });

  test('has at most eleven', () => {
    expect(() => createOutbox({ none: 1 } as never)).toThrow(/the options are (?:\w+, ){10}\w+$/);
  });

  test('openOutbox takes a store too', () => {
    expect(() => openOutbox('seller.db' as never)).toThrow('openOutbox takes what sqliteStore');
  });

  test('sqliteStore takes a path', () => {
    expect(() => sqliteStore('')).toThrow('sqliteStore takes the name of a file');
  });
});

test('an operator looks at a file while others send, and a mistyped path is an error', async () => {
  const { job, marketplace, open } = shop();
  marketplace.faults.inject({ endpoint: endpoints.messages.send, status: 400 });
  const path = newFile();
  const outbox = open(sqliteStore(path));
  await outbox.add(job('one'));
  await done(outbox);
  const stored = openOutbox(sqliteStore(path));
  expect(await stored.stats()).toMatchObject({ dead: 1 });
  expect(await stored.deadLetters.list()).toMatchObject([{ entry: { key: 'one' }, attempts: 1 }]);
  expect(await stored.deadLetters.replay('one')).toBe(true);
  await stored.close();
  expect(await outbox.get('one')).toMatchObject({ state: 'waiting', failures: 0 });
  await outbox.close();
  await expect(openOutbox(sqliteStore(newFile('none.db'))).stats()).rejects.toThrow('there is no file');
});

test('the command line shows, replays and removes the jobs of a file', async () => {
  const { job, pack_id, marketplace, open, openUnstarted } = shop();
  marketplace.faults.inject({ endpoint: endpoints.messages.send, status: 400, times: 2 });
  const path = newFile();
  const outbox = open(sqliteStore(path));
  for (const key of ['one', 'two']) await outbox.add(job(key));
  await done(outbox);
  await outbox.close();
  const adding = openUnstarted(sqliteStore(path));
  await adding.add(job('three'));
  vi.useRealTimers();
  const command = async (...args: string[]): Promise<unknown> => {
    const { code, printed, errors } = running('outbox', path, ...args, '--json');
    expect([await code, errors]).toEqual([0, []]);
    return JSON.parse(printed.join('\n'));
  };
  expect(await command()).toMatchObject({ waiting: 1, dead: 2 });
  expect(await command('dead', '--key', 'one')).toMatchObject([
    { key: 'one', sends: 'messages.send', pack_id, attempts: 1 },
  ]);
  expect(await command('replay', '--key', 'one')).toEqual({ replayed: 1 });
  expect(await command('remove', '--state', 'dead', '--key', 'two')).toEqual({ removed: 1 });
  expect(await command('waiting')).toMatchObject([{ key: 'one' }, { key: 'three', attempts: 0 }]);
  expect(await command('retry-now', '--key', 'three')).toEqual({ retried: 1 });
  expect(await command('remove', '--state', 'waiting', '--key', 'three')).toEqual({ removed: 1 });
  expect(await adding.waiting.list()).toMatchObject([{ entry: { key: 'one' } }]);
  await adding.close();
});

test('the command line lists what moderation rejected in the order in which it was decided, and removes it', async () => {
  const { job, pack_id, marketplace, open } = shop();
  const path = newFile();
  marketplace.messages.moderation = 'later';
  const outbox = open(sqliteStore(path));
  await outbox.add(job('late', 'Call me at +54 11 4321-5678'));
  await advanceUntilSettled(outbox.idle());
  marketplace.messages.moderation = 'atOnce';
  await outbox.add(job('early', 'Call me at +54 11 8765-4321'));
  await advanceUntilSettled(outbox.idle());
  marketplace.messages.moderate();
  await done(outbox);
  vi.useRealTimers();
  const command = async (...args: string[]): Promise<unknown> => {
    const { code, printed } = running('outbox', path, ...args, '--json');
    expect(await code).toBe(0);
    return JSON.parse(printed.join('\n'));
  };
  const row = { sends: 'messages.send', pack_id, reason: 'PERSONAL_DATA', rejectedAt: expect.any(Number) as number };
  expect(await command('rejected')).toMatchObject([
    { key: 'early', ...row },
    { key: 'late', ...row },
  ]);
  expect(await command('rejected', '--error', 'PERSONAL')).toHaveLength(2);
  expect(await command('remove', '--state', 'rejected', '--key', 'early')).toEqual({ removed: 1 });
  expect((await outbox.rejected.list()).map(({ entry }) => entry.key)).toEqual(['late']);
  expect(await outbox.rejected.remove('late')).toBe(true);
  expect(await outbox.list()).toEqual([]);
  await outbox.close();
});

test('of two outboxes on one store, the last one that closes closes it', async () => {
  const { job, messages, open, openUnstarted } = shop();
  const store = sqliteStore(newFile());
  const closing = vi.spyOn(store, 'close');
  const [first, second] = [openUnstarted(store), open(store)];
  const looking = openOutbox(store);
  await first.add(job('one'));
  await first.close();
  await looking.close();
  await looking.close();
  await done(second);
  expect(messages()).toHaveLength(1);
  expect(closing).not.toHaveBeenCalled();
  await second.close();
  expect(closing).toHaveBeenCalledTimes(1);
});

test('an endpoint of the application is known by its name after a restart', async () => {
  const { user_id, message, messages, open, openUnstarted } = shop();
  const mine = { ...endpoints.messages.send, name: 'mine.send' };
  const path = newFile();
  const first = openUnstarted(sqliteStore(path), { endpoints: [mine] });
  await first.add({ key: 'one', user_id, endpoint: mine, input: message('It leaves today.') });
  await first.close();
  const second = open(sqliteStore(path), { endpoints: [mine] });
  await done(second);
  expect(messages()).toHaveLength(1);
  await second.close();
});
