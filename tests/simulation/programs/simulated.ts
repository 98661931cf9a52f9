// Simulates a bot without a test runner, or in node:test: MODE says which.
import { mock, test } from 'node:test';
import { simulate } from 'marketplace-seller-sdk/simulation';
import type { SimulationOptions } from 'marketplace-seller-sdk/simulation';

const load = { questions: 3, sales: 0, messages: 0 };
const passing: SimulationOptions = { seeds: 2, bot: () => ({}), checks: [], load };
const failing: SimulationOptions = { ...passing, checks: [() => ['it is wrong']] };

if (process.env.MODE === 'node:test') {
  void test('a bot survives', () => simulate(passing));
  void test('a bot survives under fake timers', async () => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
    await simulate(passing);
  });
  void test('a bot fails', () => simulate(failing));
} else {
  await simulate(process.env.MODE === 'failing' ? failing : passing);
  console.log('it ends');
}
