import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import { createInbox, fastifyHandler, nodeHandler } from 'marketplace-seller-sdk/inbox';
import type { Inbox, InboxOptions } from 'marketplace-seller-sdk/inbox';
import { afterEach, describe, expect, test } from 'vitest';
import { about } from '../support/deliveries.ts';
import { untilEnded } from '../support/until-ended.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/notifications`;
}

function listening(options: Partial<InboxOptions> = {}) {
  const handled: unknown[] = [];
  const on = {
    questions: ({ question_id, application_id }: { question_id: number; application_id?: unknown }) =>
      void handled.push([question_id, application_id]),
  };
  return { inbox: createInbox({ on, ...options }), handled };
}

const body = JSON.stringify(about(1)).replace('{', '{"application_id":1234567890123456789,');
const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
const exactly = [[1, '1234567890123456789']];
const withoutRounded = [[1, undefined]];

async function outcome(url: string, inbox: Inbox, init: RequestInit = json): Promise<number> {
  const response = await fetch(url, init);
  await response.text();
  await untilEnded(inbox);
  return response.status;
}

describe('nodeHandler() on the server of Node', () => {
  test('a notification gets 200 and is handled with every digit', async () => {
    const { inbox, handled } = listening();
    expect(await outcome(await serve(nodeHandler(inbox)), inbox)).toBe(200);
    expect(handled).toEqual(exactly);
  });

  test.each([
    ['GET', { method: 'GET' }, 405],
    ['a form', { ...json, headers: { 'content-type': 'text/plain' } }, 415],
    ['a body that is too long', { ...json, body: `"${'x'.repeat(2_000)}"` }, 413],
    ['text that is not JSON', { ...json, body: '{' }, 400],
  ])('%s is rejected', async (_, init, status) => {
    const { inbox } = listening({ maxBodyBytes: 1_000 });
    expect(await outcome(await serve(nodeHandler(inbox)), inbox, init)).toBe(status);
  });

  test.each([
    ['that is longer than allowed', 413, (write: (text: string) => void) => write('x'.repeat(5_000))],
    ['that does not end', 408, (write: (text: string) => void) => write('{')],
  ])('a body %s gets its response before it ends, and the connection is closed', async (_, status, send) => {
    const { inbox } = listening({ maxBodyBytes: 1_000 });
    const url = await serve(nodeHandler(inbox));
    const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
    const request = httpRequest(url, { method: 'POST', headers });
    const answered = once(request, 'response');
    const closed = once(request, 'close');
    send((text) => void request.write(text));
    const [response] = (await answered) as [IncomingMessage];
    expect(response.statusCode).toBe(status);
    expect(response.headers.connection).toBe('close');
    response.resume();
    request.end();
    await closed;
  });

  test('a sender who disconnects midway does no harm', async () => {
    const { inbox, handled } = listening();
    const url = await serve(nodeHandler(inbox));
    const request = httpRequest(url, { method: 'POST', headers: { 'content-type': 'application/json' } });
    request.on('error', () => {});
    request.write('{"user_id":');
    await new Promise((resolve) => setTimeout(resolve, 20));
    request.destroy();
    expect(await outcome(url, inbox)).toBe(200);
    expect(handled).toHaveLength(1);
  });
});

describe('Express', () => {
  async function app(inbox: Inbox, ...before: express.RequestHandler[]): Promise<string> {
    const application = express();
    for (const each of before) application.use(each);
    application.all('/notifications', nodeHandler(inbox));
    return serve(application as RequestListener);
  }

  test('every digit is kept without a body parser', async () => {
    const { inbox, handled } = listening();
    expect(await outcome(await app(inbox), inbox)).toBe(200);
    expect(handled).toEqual(exactly);
  });

  test('a body parsed by express.json() is used without the numbers it rounded', async () => {
    const { inbox, handled } = listening();
    expect(await outcome(await app(inbox, express.json()), inbox)).toBe(200);
    expect(handled).toEqual(withoutRounded);
  });

  test.each([
    ['express.text()', express.text({ type: '*/*' })],
    ['express.raw()', express.raw({ type: '*/*' })],
    [
      'a kept raw body',
      express.json({ verify: (request, _, raw) => void Object.assign(request, { rawBody: raw }) }) as express.Handler,
    ],
  ])('every digit is kept with %s', async (_, parser) => {
    const { inbox, handled } = listening();
    expect(await outcome(await app(inbox, parser), inbox)).toBe(200);
    expect(handled).toEqual(exactly);
  });

  test('a body that was consumed without a trace is explained', async () => {
    const { inbox } = listening();
    const swallow: express.RequestHandler = (request, _, next) => void request.resume().on('end', () => next());
    const url = await app(inbox, swallow);
    const response = await fetch(url, json);
    expect([response.status, await response.text()]).toEqual([
      500,
      expect.stringContaining('before it reached the inbox'),
    ]);
  });

  test('an empty body gets 400, also behind express.json()', async () => {
    const { inbox } = listening();
    const empty = { ...json, body: '' };
    expect(await outcome(await app(inbox), inbox, empty)).toBe(400);
    expect(await outcome(await app(inbox, express.json()), inbox, empty)).toBe(400);
    expect(await outcome(await app(inbox, express.json()), inbox, { ...json, body: '{}' })).toBe(400);
  });

  test.each(['null', '5', 'true', 'false', '0'])('the body %s gets 400, also behind a lenient parser', async (text) => {
    const { inbox } = listening();
    const lenient = await app(inbox, express.json({ strict: false }));
    expect(await outcome(lenient, inbox, { ...json, body: text })).toBe(400);
  });

  test('other methods get 405', async () => {
    const { inbox } = listening();
    expect(await outcome(await app(inbox, express.json()), inbox, { method: 'DELETE' })).toBe(405);
  });
});

describe('Fastify', () => {
  test('a body parsed by Fastify is used', async () => {
    const { inbox, handled } = listening();
    const app = fastify();
    app.post('/notifications', fastifyHandler(inbox));
    const response = await app.inject({ url: '/notifications', method: 'POST', headers: json.headers, payload: body });
    expect([response.statusCode, response.body]).toEqual([200, 'Accepted']);
    expect(response.headers['content-type']).toBe('text/plain; charset=utf-8');
    await untilEnded(inbox);
    expect(handled).toEqual(withoutRounded);
    const rejected = await app.inject({ url: '/notifications', method: 'POST', headers: json.headers, payload: '[]' });
    expect(rejected.statusCode).toBe(400);
    await app.close();
  });

  test('every digit is kept where Fastify passes the text on', async () => {
    const { inbox, handled } = listening();
    const app = fastify();
    app.addContentTypeParser('application/json', { parseAs: 'string' }, (_, text, done) => done(null, text));
    app.post('/notifications', fastifyHandler(inbox));
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    expect(await outcome(`${url}/notifications`, inbox)).toBe(200);
    expect(handled).toEqual(exactly);
    await app.close();
  });
});
