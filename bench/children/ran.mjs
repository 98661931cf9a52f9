// In a process of its own: prints which functions of `src` run for each journey of an application, found by V8's precise coverage.
// Each journey is made twice over HTTP: the second one is that of an application that is at work. `src` is loaded as it is written,
// without a build, and the fake marketplace runs in another process.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const [, , src = new URL('../../src/', import.meta.url).href] = process.argv;

registerHooks({
  resolve: (specifier, context, next) => {
    if (specifier === '#platform') return next(new URL('core/transport/platform-node.ts', src).href, context);
    const isOurs = specifier.startsWith('.') && context.parentURL?.startsWith(src);
    return next(isOurs ? specifier.replace(/\.js$/, '.ts') : specifier, context);
  },
});
/** @param {string} path */
const load = (path) => import(new URL(path, src).href);
const [
  { SellerClient },
  { createInbox, fetchHandler },
  { sqliteStore },
  { createOutbox },
  { createOAuth, createSellers, sqliteTokens },
] = await Promise.all(
  ['index.ts', 'notifications/index.ts', 'stores.ts', 'outbox/index.ts', 'oauth/index.ts'].map(load),
);

const fake = fork(fileURLToPath(new URL('journeys-fake.mjs', import.meta.url)), [src]);
const [{ url: baseUrl, token, user_id, questions, packs, grants }] = await once(fake, 'message');
/** @param {string} what */
const tell = async (what) => {
  fake.send(what);
  await once(fake, 'message');
};

const folder = mkdtempSync(join(tmpdir(), 'journeys-'));
const text = 'Yes, it is.';
const client = () => new SellerClient({ baseUrl, accessToken: token });
const session = new Session();
session.connect();
await session.post('Profiler.enable');

const reading = client();
const rejected = client();
const confirming = client().withOptions({ unknownOutcome: 'confirm' });

const seller = client();
let handled = Promise.withResolvers();
const inbox = createInbox({
  store: sqliteStore(join(folder, 'inbox.db')),
  clientFor: () => seller,
  on: {
    questions: async (/** @type {any} */ { question_id }, /** @type {any} */ { read, client }) => {
      const question = await read();
      if (question.status === 'UNANSWERED') await client.questions.answer({ question_id, text });
    },
  },
  onSuccess: () => handled.resolve(undefined),
});
const deliver = fetchHandler(inbox);
inbox.start();
/** @param {number} question_id */
const webhook = async (question_id) => {
  handled = Promise.withResolvers();
  const sent = new Date().toISOString();
  const body = { user_id, topic: 'questions', resource: `/questions/${question_id}`, sent, received: sent };
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  await deliver(new Request('https://bot.example.com/', init));
  await handled.promise;
  await inbox.idle();
};

let accepted = Promise.withResolvers();
const outbox = createOutbox({
  store: sqliteStore(join(folder, 'outbox.db')),
  clientFor: () => seller,
  onSuccess: () => accepted.resolve(undefined),
});
outbox.start();
/** @param {number} pack_id */
const job = async (pack_id) => {
  accepted = Promise.withResolvers();
  await outbox.add({ key: `thanks ${pack_id}`, user_id, contact: { pack_id, user_id, text } });
  // It is sent, and looked at once more after moderation has accepted it.
  await pause(500);
  await tell('moderate');
  await accepted.promise;
};

const oauth = createOAuth({
  clientId: '500',
  clientSecret: 'secret',
  redirectUri: 'https://bot.example.com/callback',
  authorizationUrl: `${baseUrl}/authorization`,
  tokenUrl: `${baseUrl}/oauth/token`,
});
const tokens = sqliteTokens(join(folder, 'tokens.db'));
for (const { id, refreshToken } of grants)
  await tokens.save(id, { accessToken: 'expired', refreshToken, expiresAt: Date.now() });
const sellers = createSellers({ client: new SellerClient({ baseUrl }), tokens, refresh: oauth.refresh });
/** @param {number} id */
const refresh = async (id) => (await sellers.for(id)).questions.get({ question_id: questions[0] });

/** @type {Record<string, (turn: number) => Promise<unknown>>} */
const journeys = {
  read: () => reading.questions.get({ question_id: questions[0] }),
  rejected: () => rejected.questions.answer({ question_id: 1, text }),
  lost: (turn) => confirming.questions.answer({ question_id: questions[1 + turn], text }),
  webhook: (turn) => webhook(questions[3 + turn]),
  job: (turn) => job(packs[turn]),
  refresh: (turn) => refresh(grants[turn].id),
};
/** @type {Record<string, () => Promise<void>>} */
const before = { lost: () => tell('lose a response'), job: () => tell('moderate later') };

/** @type {Record<string, Ran[]>} */
const printed = {};
for (const [name, journey] of Object.entries(journeys)) {
  const runs = [];
  for (const turn of [0, 1]) {
    await before[name]?.();
    runs.push(await ran(() => journey(turn)));
  }
  printed[name] = runs;
}
await Promise.all([inbox.close(), outbox.close(), sellers.close()]);
await tokens.close();
rmSync(folder, { recursive: true });
console.log(JSON.stringify(printed));
fake.disconnect();
fake.kill('SIGKILL');
process.exit();

/**
 * The names of the functions that ran, by file, and how the journey ended.
 *
 * @typedef {{ outcome: string, files: Record<string, string[]> }} Ran
 * @param {() => Promise<unknown>} journey
 * @returns {Promise<Ran>}
 */
async function ran(journey) {
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const [settled] = await Promise.allSettled([journey()]);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  const names = result
    .filter(({ url }) => url.startsWith(src))
    .map(({ url, functions }) => [url.slice(src.length), functions.filter(hasRun).map((each) => each.functionName)]);
  const outcome = settled.status === 'fulfilled' ? 'done' : String(settled.reason.name);
  return { outcome, files: Object.fromEntries(names.filter(([, functions]) => functions?.length)) };
}

/** @param {import('node:inspector').Profiler.FunctionCoverage} coverage */
function hasRun({ functionName, ranges: [range] }) {
  // The module itself is a function without a name that begins where the file does.
  const isModule = functionName === '' && range?.startOffset === 0;
  return !isModule && (range?.count ?? 0) > 0;
}
