// In a process of its own: prints which functions of `src` run for one call over `node:http`, found by V8's precise coverage.
// The client is created before, so what is counted begins with the call. `src` is loaded as it is written, without a build.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import { registerHooks } from 'node:module';

const [, , src = new URL('../../src/', import.meta.url).href] = process.argv;

registerHooks({
  resolve: (specifier, context, next) => {
    if (specifier === '#platform') return next(new URL('core/transport/platform-node.ts', src).href, context);
    const isOurs = specifier.startsWith('.') && context.parentURL?.startsWith(src);
    return next(isOurs ? specifier.replace(/\.js$/, '.ts') : specifier, context);
  },
});

const answered = { id: 42, status: 'ANSWERED', text: 'Is there stock?', answer: { text: 'Yes', status: 'ACTIVE' } };
const rejected = { status: 400, error: 'invalid_question', message: 'Question not found', cause: [] };
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    const [status, body] = request.url?.startsWith('/rejected') ? [400, rejected] : [200, answered];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const origin = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;

const { SellerClient } = await import(new URL('index.ts', src).href);
const session = new Session();
session.connect();
await session.post('Profiler.enable');

/** @type {Record<string, Ran[]>} */
const printed = {};
for (const path of ['answered', 'rejected']) {
  // Each outcome has a client of its own: the second call is one of a client that is in use.
  const seller = new SellerClient({ baseUrl: `${origin}/${path}`, accessToken: 'token' });
  const call = () => seller.questions.answer({ question_id: 42, text: 'Yes' });
  printed[path] = [await ran(call), await ran(call)];
}
console.log(JSON.stringify(printed));
process.exit();

/**
 * The names of the functions that ran, by file, and how the call ended.
 *
 * @typedef {{ outcome: string, files: Record<string, string[]> }} Ran
 * @param {() => Promise<unknown>} call
 * @returns {Promise<Ran>}
 */
async function ran(call) {
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const [settled] = await Promise.allSettled([call()]);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  const names = result
    .filter(({ url }) => url.startsWith(src))
    .map(({ url, functions }) => [url.slice(src.length), functions.filter(hasRun).map((each) => each.functionName)]);
  const outcome = settled.status === 'fulfilled' ? 'answered' : String(settled.reason.name);
  return { outcome, files: Object.fromEntries(names.filter(([, functions]) => functions?.length)) };
}

/** @param {import('node:inspector').Profiler.FunctionCoverage} coverage */
function hasRun({ functionName, ranges: [range] }) {
  // The module itself is a function without a name that begins where the file does.
  const isModule = functionName === '' && range?.startOffset === 0;
  return !isModule && (range?.count ?? 0) > 0;
}
