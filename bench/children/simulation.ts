// Simulates bad days of the guide's bot in a fresh process: prints the milliseconds of CPU that a day takes. The quiet day at
// the end is not counted.
import { simulate } from 'marketplace-seller-sdk/simulation';
import { careful, carefulInMemory } from '../../tests/simulation/bots/question-bots.ts';

const days = 10;
const bot = process.argv[2] === 'memory' ? carefulInMemory : careful;
await simulate({ seeds: [1], bot, checks: [] });
const before = process.cpuUsage();
await simulate({ seeds: [2], days, bot, checks: [] });
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000 / days);
