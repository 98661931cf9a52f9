/**
 * Tokens in a database that several processes share. A refresh token works only once, so only one process
 * may use it.
 *
 *   node examples/token-in-a-database.ts
 *
 * The program starts itself twice as a worker. Both workers find an expired token, and only one of them
 * refreshes it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SellerClient } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { oauthOf } from './application.ts';
import { SqliteTokens } from './sqlite-tokens.ts';

const [role, path = '', baseUrl = '', seller = ''] = process.argv.slice(2);
await (role === 'worker' ? work(Number(seller)) : startWorkers());

/** One of several processes: makes calls with the token in the database. */
async function work(user_id: number): Promise<void> {
  const tokens = new SqliteTokens(path);
  // Your application has this from its registration.
  const oauth = oauthOf({
    CLIENT_ID: '500',
    CLIENT_SECRET: 'secret',
    REDIRECT_URI: 'https://bot.example.com/callback',
    AUTHORIZATION_URL: `${baseUrl}/authorization`,
    TOKEN_URL: `${baseUrl}/oauth/token`,
  });
  const accessToken = tokens.accessToken(user_id, (old, context) => {
    console.log(`process ${process.pid} refreshes`);
    return oauth.refresh(old, context);
  });
  const client = new SellerClient({ baseUrl, accessToken });
  await Promise.all([1, 2, 3].map(() => client.questions.search({ seller_id: user_id }).first()));
  console.log(`process ${process.pid} made 3 searches`);
  tokens.close();
}

async function startWorkers(): Promise<void> {
  const marketplace = new FakeMarketplace();
  const { user_id } = marketplace.addUser();
  const service = await marketplace.listen();

  const folder = mkdtempSync(join(tmpdir(), 'tokens-'));
  const file = join(folder, 'tokens.db');
  const tokens = new SqliteTokens(file);
  const refreshToken = marketplace.accounts.issueRefreshToken(user_id);
  tokens.save(user_id, { accessToken: 'expired', refreshToken, expiresAt: Date.now() });
  tokens.close();

  const args = [fileURLToPath(import.meta.url), 'worker', file, service.url, String(user_id)];
  const workers = [1, 2].map(() => spawn(process.execPath, args, { stdio: 'inherit' }));
  const exits = await Promise.all(workers.map((worker) => once(worker, 'exit')));
  if (exits.some(([code]) => code !== 0)) process.exitCode = 1;
  const refreshes = marketplace.requests.filter({ path: '/oauth/token' }).length;
  console.log(`${workers.length} processes, refresh requests: ${refreshes}`);

  await service.close();
  rmSync(folder, { recursive: true });
}
