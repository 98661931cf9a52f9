import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { OutcomeUnknownError, SellerClient } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { rawServer } from '../support/raw-server.ts';
import { smallCalls } from '../support/small-calls.ts';
import { errorOf } from '../support/stubs.ts';
import { transports } from '../support/transports.ts';

const response = (id: number): string => {
  const body = `{"id":${id}}`;
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
};
const poison = response(666);
const timeout = 'HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';

/** What a server sends on an idle connection although nobody asked. */
const unsolicited: readonly (readonly [what: string, send: (to: Socket) => void])[] = [
  ['a whole response', (to) => to.write(poison)],
  ['two responses', (to) => to.write(poison + poison)],
  ['the beginning of a response', (to) => to.write(poison.slice(0, -4))],
  ['the beginning of its head', (to) => to.write(poison.slice(0, 20))],
  ['an interim response', (to) => to.write('HTTP/1.1 100 Continue\r\n\r\n')],
  ['an interim response and a response', (to) => to.write(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${poison}`)],
  ['another protocol', (to) => to.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')],
  ['a 408 without a close', (to) => to.write(timeout)],
  ['a 408 before a close', (to) => to.end(timeout)],
  ['a 500 before a close', (to) => to.end('HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n')],
  ['a response without an end', (to) => to.write('HTTP/1.1 200 OK\r\n\r\n{"id":666}')],
  ['no HTTP', (to) => to.write('hello\r\n')],
];

/** A server that answers each request with its number, and writes what nobody asked for when a test says so. */
async function hostileServer(): Promise<{ url: string; open: Set<Socket>; seen: () => number }> {
  const open = new Set<Socket>();
  let seen = 0;
  const url = await rawServer((to, turn) => {
    if (!open.has(to)) to.once('close', () => open.delete(to));
    open.add(to);
    seen = turn;
    to.write(response(turn));
  });
  return { url, open, seen: () => seen };
}

const clientOf = (baseUrl: string, transport: object): SellerClient =>
  new SellerClient({ baseUrl, accessToken: 'token-1', maxRetries: 0, ...transport });

/** The server writes after the call has begun, and before the client can have written anything. */
describe('bytes that arrive before a request was sent are not its response, over node:http:', () => {
  describe.each(unsolicited)('%s', (_, send) => {
    test.each(smallCalls)('to %s', async (__, call) => {
      const { url, open, seen } = await hostileServer();
      const client = clientOf(url, {});
      expect(await call(client)).toEqual({ id: 1 });
      for (let turn = 2; turn <= 4; turn += 1) {
        const called = call(client);
        for (const to of open) send(to);
        expect(await called).toEqual({ id: turn });
      }
      expect(seen()).toBe(4);
    });
  });

  test('100 writes in sequence are told ok only if the server has seen them', async () => {
    const { url, open, seen } = await hostileServer();
    const client = clientOf(url, {});
    const write = smallCalls[1]![1];
    for (let turn = 1; turn <= 100; turn += 1) {
      const called = write(client);
      for (const to of open) to.write(poison);
      expect(await called).toEqual({ id: turn });
    }
    expect(seen()).toBe(100);
  });

  test('a write that goes to another connection, and is lost there, may have been carried out: it is sent once', async () => {
    const open = new Set<Socket>();
    let seen = 0;
    const url = await rawServer((to, turn) => {
      open.add(to);
      seen = turn;
      if (turn === 1) to.write(response(1));
      else to.destroy();
    });
    const client = clientOf(url, { maxRetries: 2 });
    const write = smallCalls[1]![1];
    await write(client);
    const lost = errorOf(write(client));
    for (const to of open) to.write(poison);
    expect(await lost).toBeInstanceOf(OutcomeUnknownError);
    expect(seen).toBe(2);
  });

  test('a connection whose response was of another request is not used again', async () => {
    const open = new Set<Socket>();
    const url = await rawServer((to) => to.write(response(open.add(to).size === 1 ? 666 : 42)));
    const get = (): Promise<unknown> => clientOf(url, {}).questions.get({ question_id: 42 });
    expect((await errorOf(get())).message).toContain('got the response to another request');
    await get().catch(() => undefined);
    expect(open.size).toBe(2);
  });

  test('eight idle connections are poisoned at once', async () => {
    const { url, open, seen } = await hostileServer();
    const client = clientOf(url, {});
    const [, write] = smallCalls[1]!;
    await Promise.all(Array.from({ length: 8 }, () => write(client)));
    expect(open.size).toBe(8);
    const called = write(client).withResponse();
    for (const to of open) to.write(poison);
    // No retry is counted.
    expect(await called).toMatchObject({ data: { id: 9 }, response: { attempts: 1 } });
    expect(seen()).toBe(9);
  });
});

/** Only `fetch` has to have seen the bytes before it sends the next request: more is not in the hands of its user. */
describe.each(transports)(
  'bytes on an idle connection are not the response to the next request, over %s:',
  (name, transport) => {
    describe.each(unsolicited)('%s', (__, send) => {
      test.each(smallCalls)('to %s', async (___, call) => {
        const { url, open, seen } = await hostileServer();
        const client = clientOf(url, transport);
        for (let turn = 1; turn <= 2; turn += 1) {
          expect(await call(client)).toEqual({ id: turn });
          for (const to of open) {
            send(to);
            await (name === 'fetch' ? once(to, 'close') : turnOfTheLoop());
          }
        }
        expect(seen()).toBe(2);
      });
    });
  },
);
