/**
 * Runs the inbox bot against a fake marketplace with two sellers, and stops it with SIGTERM.
 *
 *   node examples/inbox-bot.ts
 *
 * The bot itself is examples/inbox-bot/bot.ts. It runs in a separate process, as in production.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sqliteTokens } from 'marketplace-seller-sdk/oauth';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

const marketplace = new FakeMarketplace();
const service = await marketplace.listen();
const folder = mkdtempSync(join(tmpdir(), 'inbox-bot-'));

// Two sellers have authorised the application. Their access tokens have already expired.
const sellers = [marketplace.addUser(), marketplace.addUser()];
const path = join(folder, 'tokens.db');
const tokens = sqliteTokens(path);
for (const { user_id } of sellers) {
  const refreshToken = marketplace.accounts.issueRefreshToken(user_id);
  await tokens.save(user_id, { accessToken: 'expired', refreshToken, expiresAt: Date.now() });
}
await tokens.close?.();

// While no bot was running, each seller was asked a question.
const items = sellers.map((seller) => marketplace.addItem({ seller_id: seller.user_id }));
for (const { item_id } of items)
  marketplace.ask({ from: marketplace.addUser(), item_id, text: 'Is it still available?' });

const bot = spawn(process.execPath, [fileURLToPath(new URL('inbox-bot/bot.ts', import.meta.url))], {
  env: {
    ...process.env,
    BASE_URL: service.url,
    CLIENT_ID: '500',
    CLIENT_SECRET: 'secret',
    REDIRECT_URI: 'https://bot.example.com/callback',
    AUTHORIZATION_URL: `${service.url}/authorization`,
    TOKEN_URL: `${service.url}/oauth/token`,
    CALLBACK_PATH: '/hooks/c0ffee15c0ffee15c0ffee15',
    TOKENS: path,
    INBOX: join(folder, 'inbox.db'),
    PORT: '0',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const lines = createInterface(bot.stdout);
const [greeting] = (await once(lines, 'line')) as [string];
lines.on('line', (line) => console.log(line));

// From here on, this program acts as the service. It delivers some notifications twice, and some in unusual
// formats.
const callback = `http://127.0.0.1:${/\d+$/.exec(greeting)?.[0] ?? ''}/hooks/c0ffee15c0ffee15c0ffee15`;
marketplace.notifications.subscribe({ callback, faults: { twice: 0.5, odd: 0.5 } });
for (const { item_id } of items) {
  for (const text of ['Is it in stock?', 'Is it available in blue?', 'Can you wrap it?'])
    marketplace.ask({ from: marketplace.addUser(), item_id, text });
}
await marketplace.notifications.flush();
const answered = (): number => marketplace.questions.all.filter(({ answer }) => answer).length;
while (answered() < 6 && bot.exitCode === null) await delay(10);

bot.kill('SIGTERM');
const [exitCode] = (await once(bot, 'exit')) as [number | null];
const refreshes = marketplace.requests.filter({ path: '/oauth/token' }).length;
console.log(`${answered()} questions answered, ${refreshes} refreshes, exit code ${exitCode}`);
await service.close();
rmSync(folder, { recursive: true });
