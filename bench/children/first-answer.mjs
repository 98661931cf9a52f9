// In a fresh process: import a library and make one call. Prints the milliseconds of the import, and of both.
import { load, subject } from '../peers.mjs';

const [, , name = '', baseUrl = ''] = process.argv;
const it = subject(name);
const start = performance.now();
const lib = await load(it);
const imported = performance.now() - start;
if (baseUrl !== '') await it.make(lib, baseUrl)();
const answered = performance.now() - start;
const { user, system } = process.cpuUsage();
console.log(JSON.stringify({ imported, answered, cpu: (user + system) / 1000 }));
process.exit();
