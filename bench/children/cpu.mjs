// In a process of its own: the CPU of a subject's calls and of a bare fetch, in turns, in microseconds a call.
// With no base URL, fetch is replaced by a stub: what is left is the library's own share.
import { bare, load, subject } from '../peers.mjs';

const [, , name = '', baseUrl = '', concurrency = '1', rounds = '12', calls = '1024', what = 'one'] = process.argv;
/** The calls of the warm-up, which are not measured. */
const warmUp = 8000;

const text = JSON.stringify({
  id: 42,
  ok: true,
  seller_id: 7,
  item_id: 'MLA1',
  text: 'Is there stock?',
  status: 'ANSWERED',
  date_created: '2026-01-01T00:00:00.000Z',
  from: { id: 9, answered_questions: 3 },
  answer: { text: 'Yes', status: 'ACTIVE', date_created: '2026-01-01T01:00:00.000Z' },
});
if (baseUrl === '') {
  globalThis.fetch = () => Promise.resolve(new Response(text, { headers: { 'content-type': 'application/json' } }));
}
const target = baseUrl || 'https://stub.test';

/** @param {import('../peers.mjs').Subject} each */
async function callOf(each) {
  const lib = await load(each);
  const make = what === 'page' ? each.makePage : each.make;
  if (!make) throw new Error(`${each.name} has no such call`);
  return make(lib, target);
}

const base = await callOf(bare);
const own = await callOf(subject(name));
/** @type {{ base: number[], own: number[] }} */
const measured = { base: [], own: [] };
const unmeasured = Math.ceil(warmUp / Number(calls));
for (let round = 0; round < unmeasured + Number(rounds); round += 1) {
  // The second subject would otherwise find what the first has left: memory to collect, warm connections.
  const baseFirst = round % 2 === 0;
  const before = baseFirst ? await cost(base) : 0;
  const ownCost = await cost(own);
  const baseCost = baseFirst ? before : await cost(base);
  if (round < unmeasured) continue;
  measured.base.push(baseCost);
  measured.own.push(ownCost);
}
console.log(JSON.stringify(measured));
process.exit();

/** @param {() => Promise<unknown>} call */
async function cost(call) {
  const before = process.cpuUsage();
  for (let done = 0; done < Number(calls); done += Number(concurrency)) {
    await Promise.all(Array.from({ length: Number(concurrency) }, () => call()));
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / Number(calls);
}
