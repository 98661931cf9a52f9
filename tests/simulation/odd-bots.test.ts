import { exit as capturedExit } from 'node:process';
import { join } from 'node:path';
import { ConfigurationError, hasStatus } from 'marketplace-seller-sdk';
import { createInbox, fetchHandler } from 'marketplace-seller-sdk/inbox';
import { sqliteStore } from 'marketplace-seller-sdk/stores';
import type { InboxOptions } from 'marketplace-seller-sdk/inbox';
import { checks, simulate } from 'marketplace-seller-sdk/simulation';
import type { Bot, Check, SimulationOptions, World, SimulationError } from 'marketplace-seller-sdk/simulation';
import { expect, test } from 'vitest';

const answering: NonNullable<InboxOptions['on']> = {
  questions: async (_, { read, client }) => {
    const question = await read();
    if (hasStatus(question, 'UNANSWERED')) await client.questions.answer({ question_id: question.id, text: 'Yes.' });
  },
};
const inboxOf = (world: World, options: InboxOptions) =>
  createInbox({ clientFor: (user_id) => world.client(user_id), ...options });
const questions = { questions: 4, sales: 0, messages: 0, cancellations: 0, byHand: 0 };

async function traceOf(options: Omit<SimulationOptions, 'seeds' | 'checks'>): Promise<string> {
  const traces: string[] = [];
  await simulate({ load: questions, ...options, seeds: [1], checks: [({ trace }) => (traces.push(...trace), [])] });
  return traces.join('\n');
}

test.each([
  ['of the global', (code?: number) => process.exit(code)],
  ['that was imported', (code?: number) => capturedExit(code)],
])('`process.exit` %s ends the simulated process alone', async (_, exit) => {
  const bot = (world: World): Bot => {
    if (world.start === 1) setTimeout(() => void exit(3), 1000);
    if (world.start === 1) setTimeout(() => world.log('it goes on'), 1001);
    return { stop: () => Promise.resolve().then(() => exit()) };
  };
  const trace = await traceOf({ bot, faults: { stops: 3 } });
  expect(trace).toContain('00:00:01.000  the bot ends with process.exit(3)');
  expect(trace).toContain('00:00:06.000  start 2 of the bot');
  expect(trace).not.toContain('it goes on');
  expect(trace).not.toContain('process.exit(0)');
  expect(trace).toMatch(/the bot is stopped[^]*start 3 of the bot/);
});

test('what a timer throws ends the process', async () => {
  const bot = (world: World): Bot => {
    if (world.start < 3)
      setTimeout(() => {
        throw new RangeError(`start ${world.start}`);
      }, 1000);
    return {};
  };
  const failing = simulate({ seeds: 1, bot, faults: 'none', load: questions, checks: [checks.noUnhandledError] });
  const error = await failing.catch((reason: unknown) => reason as SimulationError);
  expect(error).toMatchObject({
    violations: [1, 2].map(
      (start) => `start ${start} ended with an error that nobody handled: RangeError: start ${start}`,
    ),
  });
});

test('a `stop` that fails is an error that nobody handled', async () => {
  const bot = (): Bot => ({ stop: () => Promise.reject(new TypeError('no such table')) });
  const failing = simulate({ seeds: 1, bot, faults: { stops: 3 }, load: questions, checks: [checks.noUnhandledError] });
  await expect(failing).rejects.toThrow(/start 1 ended with .* stop\(\) failed: TypeError: no such table/);
});

test('a process is told to stop once', async () => {
  const stopped = new Map<number, number>();
  const bot = ({ start }: World): Bot => ({
    stop: async () => {
      stopped.set(start, (stopped.get(start) ?? 0) + 1);
      await new Promise((resolve) => setTimeout(resolve, 9_000));
    },
  });
  await simulate({ seeds: 1, bot, faults: { stops: 2_000 }, load: questions, checks: [] });
  expect(stopped.size).toBeGreaterThan(500);
  expect(new Set(stopped.values())).toEqual(new Set([1]));
});

test('of two inboxes with one file, one may accept what the other handles', async () => {
  const bot = (world: World): Bot => {
    const path = join(world.folder, 'inbox.db');
    const web = inboxOf(world, { store: sqliteStore(path), handle: false });
    const worker = inboxOf(world, { store: sqliteStore(path), on: answering });
    worker.start();
    return { callback: fetchHandler(web), stop: () => Promise.all([web.close(), worker.close()]) };
  };
  await simulate({ seeds: 3, bot, faults: 'none', load: questions });
});

test('a fault of a call to another service belongs to what its text is about', async () => {
  const bot = (world: World): Bot => ({
    callback: async (request) => {
      const { resource, user_id } = (await request.json()) as { resource: string; user_id: number };
      const question_id = Number(resource.replace('/questions/', ''));
      const { text } = await world.client(user_id).questions.get({ question_id });
      await fetch('https://model.example.com/', { method: 'POST', body: JSON.stringify({ text }) }).catch(
        () => undefined,
      );
      return new Response();
    },
  });
  const failing = simulate({
    seeds: 1,
    bot,
    load: { ...questions, questions: 12 },
    faults: { responseLost: 0.2 },
    outside: () => new Response(),
    checks: [({ calls }) => calls.filter(({ name, fault }) => name.includes('model') && fault).map(({ name }) => name)],
  });
  const error = await failing.catch((reason: unknown) => reason as SimulationError);
  expect(error).toMatchObject({ only: [/^q\d+$/, /^POST model\.example\.com q\d+#1: response lost$/].map((each) => expect.stringMatching(each) as string) }); // prettier-ignore
});

test('what `only` names is planned, or a fault that may occur', async () => {
  const bot = (): Bot => ({});
  const run = (only: string[]) => simulate({ seeds: [1, 2], bot, load: { ...questions, byHand: 4 }, checks: [], only });
  await run(['q1', 'q2', 'kill 1']);
  // A bot that was mended does not make the call any more, and a person does not answer what it has answered.
  await run(['q1', 'answer by hand 1', 'POST /answers q1#2: response lost', 'notification q1#2: late']);
  for (const only of [['q1', 'q99', 'nothing'], ['POST /answers q1#1: broken'], ['twice']])
    await expect(run(only)).rejects.toThrow(ConfigurationError);
  await expect(run(['q1', 'q99', 'nothing'])).rejects.toThrow(
    '`only` names what no seed of these plans, with these options: q99, nothing',
  );
});

test('a line that replays a failure passes once the bot is mended', async () => {
  const options = { seeds: [17], load: questions, checks: [checks.noUnhandledError] };
  const naive = (world: World): Bot => {
    const { user_id } = world.sellers[0]!;
    const { questions: own } = world.client(user_id, { maxRetries: 0 });
    setInterval(() => void own.search({ seller_id: user_id }).first(), 3_600_000);
    return {};
  };
  const error = await simulate({ ...options, bot: naive, faults: { failedBefore: 0.9 } }).catch(
    (reason: unknown) => reason,
  );
  const { only } = error as SimulationError;
  expect(only).toEqual([expect.stringMatching(/^GET .*#1: failed before$/)]);
  await simulate({ ...options, bot: () => ({}), only });
});

test.each([
  [{ requestLost: 1.5 }, /requestLost.* takes a number from 0 to 1/],
  [{ kills: -1 }, /kills.* at least 0/],
  ['good', /takes 'badDay', 'none' or an object of shares/],
])('the faults %j are rejected', async (faults, says) => {
  await expect(simulate({ seeds: 1, bot: () => ({}), faults: faults as never })).rejects.toThrow(says);
  await simulate({ seeds: 1, bot: () => ({}), faults: { requestLost: 1, kills: 3 }, load: questions, checks: [] });
});

test('ten things that are wrong are printed, and the field has all', async () => {
  const wrong = Array.from({ length: 30 }, (_, index) => `${'abcdefghijklmnopqrstuvwxyzABCD'[index]!} is wrong`);
  const failing = simulate({ seeds: 1, bot: () => ({}), faults: 'none', load: questions, checks: [() => wrong] });
  const error = (await failing.catch((reason: unknown) => reason)) as SimulationError;
  expect(error.message).toMatch(/ {2}j is wrong\n {2}\(20 more lines are in `violations`\)\nTrace:/);
  expect(error.violations).toEqual(wrong);
});

test('a bot that works by a timer is killed within its writes', async () => {
  const bot = (world: World): Bot => {
    const look = async (): Promise<void> => {
      const { user_id } = world.sellers[0]!;
      const { questions: own } = world.client(user_id);
      for await (const { id } of own.search({ seller_id: user_id })) {
        if (world.lasting.has(String(id))) continue;
        // After a kill, what was answered is rejected each time, and nothing behind it is answered.
        await own.answer({ question_id: id, text: 'Yes.' });
        world.lasting.set(String(id), true);
      }
    };
    setInterval(() => void look().catch(() => undefined), 600_000);
    return {};
  };
  const load = { ...questions, questions: 20 };
  const found: string[] = [];
  const check: Check = (history) => [...(found.push(...history.trace, ...checks.answered(history)), [])];
  await simulate({ seeds: [3], sellers: 1, bot, load, faults: { kills: 8 }, checks: [check] });
  expect(found.join('\n')).toMatch(
    /killed during its next write[^]*the bot is killed[^]*q\d+ is not answered at the end/,
  );
});
