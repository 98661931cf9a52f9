// CPU per call, in microseconds, at one concurrency; subjects take turns in rounds so that drift hits all alike.
// With no base URL, fetch is replaced by a stub: what is left is the library's own share.
import { everyone, load, ours } from '../peers.mjs';

const [, , baseUrl = '', concurrency = '1', rounds = '12', calls = '400', what = 'one'] = process.argv;

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

const { SellerClient } = /** @type {any} */ (await load(ours));
const seller = new SellerClient({ baseUrl: target, accessToken: 'token' });
const page = () => seller.questions.search({ seller_id: 7 }).pages().next();

/** @type {Map<string, () => Promise<unknown>>} */
const calling = new Map();
for (const each of everyone) {
  if (what === 'page' && each.package !== undefined && each !== ours) continue;
  try {
    calling.set(each.name, pageOr(each.make(await load(each), target), each.name));
  } catch {
    // A peer that is not installed, or cannot be pointed at a stub, is left out of the table.
  }
}

/** @param {() => Promise<unknown>} call @param {string} name */
function pageOr(call, name) {
  if (what !== 'page') return call;
  if (name === 'bare fetch')
    return async () => JSON.parse(await (await fetch(`${target}/questions/search?seller_id=7`)).text());
  return page;
}
/** @type {Map<string, number[]>} */
const measured = new Map();
for (let round = 0; round < Number(rounds); round += 1) {
  for (const [name, call] of calling) {
    try {
      const before = process.cpuUsage();
      for (let done = 0; done < Number(calls); done += Number(concurrency)) {
        await Promise.all(Array.from({ length: Number(concurrency) }, () => call()));
      }
      const { user, system } = process.cpuUsage(before);
      // The first rounds warm the compiler up.
      if (round > 2) measured.set(name, [...(measured.get(name) ?? []), (user + system) / Number(calls)]);
    } catch {
      calling.delete(name);
      measured.delete(name);
    }
  }
}
console.log(JSON.stringify(Object.fromEntries(measured)));
process.exit();
