import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { secretPath } from 'marketplace-seller-sdk/inbox';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { bundled } from '../support/program.ts';

/** A marketplace on a port, and the parts of the application as processes beside it. */
async function team() {
  const marketplace = new FakeMarketplace();
  const account = marketplace.addUser({ user_id: 7 });
  const service = await marketplace.listen();
  const folder = mkdtempSync(join(tmpdir(), 'seller-team-'));
  const path = secretPath();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const bundle = await bundled('examples/seller-team.ts');
  const running: ChildProcess[] = [];
  onTestFinished(async () => {
    for (const child of running) child.kill('SIGKILL');
    await service.close();
    rmSync(folder, { recursive: true, maxRetries: 5 });
  });
  const settings = {
    BASE_URL: service.url,
    CALLBACK_PATH: path,
    AUTHORIZATION_URL: `${service.url}/authorization`,
    TOKEN_URL: `${service.url}/oauth/token`,
    REDIRECT_URI: `${url}/callback`,
    CLIENT_ID: '500',
    CLIENT_SECRET: 'any',
    FOLDER: folder,
    PORT: String(port),
  };
  const start = (part: string, env: NodeJS.ProcessEnv = {}) => {
    const child = spawn(process.execPath, [bundle, part], { env: { ...process.env, ...settings, ...env } });
    running.push(child);
    const output = { text: '' };
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (output.text += String(chunk)));
    }
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    return { child, output, ended };
  };
  const ready = async (part: string) => {
    const started = start(part);
    await expect.poll(() => started.output.text).toContain(`${part}: ready`);
    return started;
  };
  const printed = async (part: string, env?: NodeJS.ProcessEnv): Promise<string> => {
    const { output, ended } = start(part, env);
    expect(await ended, output.text).toBe(0);
    return output.text;
  };
  return { marketplace, account, folder, url, path, ready, printed };
}

test('the team connects a seller, answers, writes after a sale with a PDF, and survives kills of its worker', async () => {
  const { marketplace, account, folder, url, path, ready, printed } = await team();
  const web = await ready('web');
  const { headers } = await fetch(`${url}/connect`, { redirect: 'manual' });
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
  const callback = marketplace.authorize(account, headers.get('location') ?? '');
  expect(await (await fetch(callback, { headers: { cookie } })).text()).toBe('Seller 7 is connected.');
  const topics = ['questions', 'messages', 'orders_v2'];
  marketplace.notifications.subscribe({ topics, callback: `${url}${path}`, timeoutMs: 60_000 });

  const buyer = marketplace.addUser();
  const { item_id } = marketplace.addItem({ seller_id: account.user_id });
  const ask = (text: string): number => marketplace.ask({ from: buyer, item_id, text }).id;
  const answerTo = (id: number): string | undefined => marketplace.questions.get(id)?.answer?.text;
  const first = ask('Is it in stock?');
  const other = ask('Which colour is it?');
  const pack = marketplace.addPack({ seller_id: account.user_id, buyer_id: buyer.user_id });
  const sent = (): (string | undefined)[] =>
    marketplace.messages
      .of(pack)
      .filter(({ from }) => from === account.user_id)
      .map(({ text }) => text);
  await marketplace.notifications.flush();

  // The worker begins later, and is killed in the middle.
  const killed = await ready('worker');
  await expect.poll(() => answerTo(first)).toBe('Yes, it is in stock.');
  killed.child.kill('SIGKILL');
  await killed.ended;
  const second = ask('Is the blue one available?');
  await marketplace.notifications.flush();
  const worker = await ready('worker');
  await expect.poll(() => answerTo(second)).toBe('Yes, it is in stock.');
  await expect.poll(sent).toEqual(['Thank you! Your parcel leaves tomorrow.']);

  writeFileSync(join(folder, `invoice-${pack.pack_id}.pdf`), '%PDF-1.7 an invoice');
  marketplace.buyerWrites({ pack, text: 'Could I have the invoice?' });
  await marketplace.notifications.flush();
  await expect.poll(sent).toEqual(['Thank you! Your parcel leaves tomorrow.', 'Here is your invoice.']);
  expect(answerTo(other)).toBeUndefined();

  expect(await printed('review')).toMatch(/dead: 0[^]*dead: 0/);
  expect(await printed('report', { SHIPMENT_ID: String(pack.shipping_id) })).toContain('7: 0 clicks in 7 days');
  const question = { SELLER: '7', QUESTION_ID: String(other), TEXT: 'It is blue.' };
  expect(await printed('assistant', question)).toContain('Which colour is it?');
  expect(answerTo(other)).toBeUndefined();
  await printed('assistant', { ...question, AGREE: 'yes' });
  expect(answerTo(other)).toBe('It is blue.');

  for (const { child, ended, output } of [worker, web]) {
    child.kill('SIGTERM');
    expect(await ended, output.text).toBe(0);
  }
});
