// In a fresh process: import a library and make one call. Prints the milliseconds of the import, and of both; `cpu` is the CPU
// of both above that of a process which does neither.
import { load, subject } from '../peers.mjs';

const [, , name = '', baseUrl = ''] = process.argv;
const it = subject(name);
const start = performance.now();
const cpuBefore = process.cpuUsage();
const lib = await load(it);
const imported = { wall: performance.now() - start, cpu: cpuSince() };
if (baseUrl !== '') await it.make(lib, baseUrl)();
const responded = { wall: performance.now() - start, cpu: cpuSince() };
console.log(JSON.stringify({ imported, responded }));

function cpuSince() {
  const { user, system } = process.cpuUsage(cpuBefore);
  return (user + system) / 1000;
}
