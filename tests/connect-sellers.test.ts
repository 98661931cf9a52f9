import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteTokens } from 'marketplace-seller-sdk/oauth';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { expect, onTestFinished, test } from 'vitest';
import { snippetsIn } from '../tools/snippets.ts';
import { freePort } from './support/free-port.ts';
import { bundled } from './support/program.ts';

const page = 'docs/guide/connect-sellers.md';
const root = join(import.meta.dirname, '..');

/** The program of the page, as it stands. */
async function program(): Promise<string> {
  const [shown] = snippetsIn(page, readFileSync(join(root, page), 'utf8')).filter(({ marks }) =>
    marks.includes('program'),
  );
  const path = 'node_modules/.cache/shown/connect-sellers.ts';
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), shown?.code ?? '');
  return bundled(path);
}

/** Starts the program in a folder of its own, against a marketplace. */
async function start() {
  const marketplace = new FakeMarketplace();
  const account = marketplace.addUser({ user_id: 7 });
  const service = await marketplace.listen();
  const folder = mkdtempSync(join(tmpdir(), 'connect-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child: ChildProcess = spawn(process.execPath, [await program()], {
    cwd: folder,
    stdio: 'inherit',
    env: {
      ...process.env,
      PORT: String(port),
      BASE_URL: service.url,
      AUTHORIZATION_URL: `${service.url}/authorization`,
      TOKEN_URL: `${service.url}/oauth/token`,
      REDIRECT_URI: `${url}/callback`,
      CLIENT_ID: '500',
      CLIENT_SECRET: 'any',
    },
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await service.close();
    rmSync(folder, { recursive: true });
  });
  await expect
    .poll(() =>
      fetch(url).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(404);
  return { marketplace, account, url, child, file: join(folder, 'tokens.db') };
}

test('the program of the page connects a seller, keeps the tokens, and stops', async () => {
  const { marketplace, account, url, child, file } = await start();
  const connect = async () => {
    const { headers } = await fetch(`${url}/connect`, { redirect: 'manual' });
    return { cookie: headers.get('set-cookie')?.split(';')[0] ?? '', location: headers.get('location') ?? '' };
  };
  const back = async (address: string, cookie: string): Promise<string> =>
    (await fetch(address, { headers: { cookie } })).text();

  const { cookie, location } = await connect();
  const address = marketplace.authorize(account, location);
  // Another browser, or the same callback twice, is not taken.
  expect(await back(address, 'state=other')).toContain('Start again');
  expect(await back(address, cookie)).toBe('Seller 7 is connected.');
  expect(await back(address, cookie)).toContain('Start again');
  const denied = await connect();
  const state = new URL(denied.location).searchParams.get('state') ?? '';
  expect(await back(`${url}/callback?error=access_denied&state=${state}`, denied.cookie)).toBe('You did not agree.');

  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  const tokens = sqliteTokens(file);
  expect(await tokens.sellers()).toEqual([7]);
  await tokens.close?.();
});

test('the page has at most 9,000 bytes', () => {
  expect(statSync(join(root, page)).size).toBeLessThanOrEqual(9_000);
});
