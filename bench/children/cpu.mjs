// In a process of its own: prints the CPU of one call of a subject, in microseconds.
// With no base URL, fetch is replaced by a stub: what is left is the library's own share.
import { load, subject } from '../peers.mjs';

const [, , name = '', baseUrl = '', ...rest] = process.argv;
/** `warmUp` is the number of calls that are made before and not measured. */
const [concurrency = '1', rounds = '8', calls = '512', what = 'one', warmUp = '5000'] = rest;

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
  globalThis.fetch = () =>
    Promise.resolve(
      new Response(text, {
        headers: { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(text)}` },
      }),
    );
}
const target = baseUrl || 'https://stub.test';
const it = subject(name);
const make = what === 'page' ? it.makePage : it.make;
if (!make) throw new Error(`${name} has no such call`);
const call = make(await load(it), target);

for (let done = 0; done < Number(warmUp); done += Number(calls)) await cost();
/** @type {number[]} */
const measured = [];
for (let round = 0; round < Number(rounds); round += 1) measured.push(await cost());
console.log(JSON.stringify(measured.sort((a, b) => a - b)[measured.length >> 1]));

async function cost() {
  const before = process.cpuUsage();
  for (let done = 0; done < Number(calls); done += Number(concurrency)) {
    await Promise.all(Array.from({ length: Number(concurrency) }, () => call()));
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / Number(calls);
}
