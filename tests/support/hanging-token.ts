// Makes two calls for each way that WAYS names in which a token function hangs, and prints how they ended. Nothing else keeps it alive.
import { SellerClient, refreshingToken } from 'marketplace-seller-sdk';
import type { ClientOptions } from 'marketplace-seller-sdk';

const hang = (): Promise<never> => new Promise(() => undefined);
const timeoutMs = Number(process.env.TIMEOUT_MS);
const expiring = (leftMs: number): NonNullable<ClientOptions['accessToken']> =>
  refreshingToken({
    load: () => ({ accessToken: 'old', refreshToken: 'r-1', expiresAt: Date.now() + leftMs }),
    refresh: hang,
    save: () => undefined,
  });
const ways: Readonly<Record<string, NonNullable<ClientOptions['accessToken']>>> = {
  'a function': hang,
  'a refresh in the background': expiring(1000),
  'a refresh that calls wait for': expiring(-1000),
};

const fetch = (): Promise<Response> => Promise.resolve(Response.json({ text: 'Hay stock?', status: 'UNANSWERED' }));
const sellers = (process.env.WAYS ?? '').split(',').map((way) => {
  return new SellerClient({ baseUrl: 'https://api.example.com', accessToken: ways[way] ?? 'none', timeoutMs, fetch });
});
const controller = new AbortController();
const isAborted = (id: number): boolean => ['yes', id === 1 ? 'first' : ''].includes(process.env.ABORT ?? '');
const calls = sellers.map((seller) =>
  Promise.all(
    [1, 2].map((question_id) =>
      seller.questions.get({ question_id }, isAborted(question_id) ? { signal: controller.signal } : {}).then(
        ({ text }) => String(text),
        (error: unknown) => (error as Error).name,
      ),
    ),
  ),
);
setImmediate(() => controller.abort());
for (const ends of await Promise.all(calls)) console.log(ends.join(' '));
