import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { running } from '../support/serving.ts';

const token = 'a-control-token-of-the-test';
const open: { end(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.end();
});

interface Log {
  readonly count: number;
  readonly requests: readonly Record<string, unknown>[];
  readonly message?: string;
}

async function served(): Promise<{ url: string; log: (query?: Record<string, string>) => Promise<Log> }> {
  const serving = running('fake', '--port', '0', '--quiet', '--control-token', token);
  open.push(serving);
  const url = await serving.url();
  const log = async (query: Record<string, string> = {}): Promise<Log> => {
    const search = new URLSearchParams(query).toString();
    const response = await fetch(`${url}/__fake/requests?${search}`, { headers: { 'x-fake-token': token } });
    return (await response.json()) as Log;
  };
  return { url, log };
}

async function call(url: string, line: string, as = 'SELLER-TOKEN', body?: string): Promise<number> {
  const [method = '', path = ''] = line.split(' ');
  const response = await fetch(url + path, { method, headers: { authorization: `Bearer ${as}` }, body: body ?? null });
  await response.arrayBuffer();
  return response.status;
}

/** As Python's `json.dumps` writes it: every character outside of ASCII is escaped. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

describe('the request log', () => {
  test('keeps the whole body of the longest question, however its language writes it', async () => {
    const { url, log } = await served();
    const body = asciiJson({ item_id: 'MLA600000001', text: '😀'.repeat(2000) });
    expect(body.length).toBeGreaterThan(24_000);
    expect(await call(url, 'POST /questions', 'BUYER-TOKEN', body)).toBe(201);
    const [entry] = (await log()).requests;
    expect(entry?.requestBody).toBe(body);
    expect(String(entry?.responseBody)).toContain('😀'.repeat(2000));
  });

  test('counts all requests and lists the newest 1,000', async () => {
    const { url, log } = await served();
    for (let sent = 0; sent < 5; sent += 1) await call(url, `GET /currencies/${sent}`);
    for (let round = 0; round < 20; round += 1)
      await Promise.all(Array.from({ length: 50 }, () => call(url, 'GET /currencies/5')));
    const { count, requests } = await log();
    expect([count, requests.length, requests[0]?.path]).toEqual([1005, 1000, '/currencies/5']);
  });

  test('lists the files of an upload with name, type, size and hash', async () => {
    const { url, log } = await served();
    const content = Buffer.alloc(300_000, 'x');
    const form = new FormData();
    form.append('file', new Blob([content], { type: 'application/pdf' }), 'invoice é.pdf');
    const headers = { authorization: 'Bearer SELLER-TOKEN' };
    await fetch(`${url}/messages/attachments?tag=post_sale&site_id=MLA`, { method: 'POST', body: form, headers });
    const sha256 = createHash('sha256').update(content).digest('hex');
    expect((await log({ endpoint: 'messages.upload' })).requests).toMatchObject([
      {
        requestBody: null,
        files: [{ part: 'file', filename: 'invoice é.pdf', type: 'application/pdf', size: 300_000, sha256 }],
      },
    ]);
  });

  test('selects requests by endpoint, method, path, status, user, time and body, and counts them', async () => {
    const { url, log } = await served();
    await call(url, 'GET /questions/search?seller_id=1001');
    await call(url, 'POST /answers', 'SELLER-TOKEN', asciiJson({ question_id: 5_000_000_003, text: 'Sí, señora.' }));
    await call(url, 'GET /questions/1', 'BUYER-TOKEN');
    await call(url, 'GET /nowhere', 'none');
    const paths = async (query: Record<string, string>): Promise<unknown> => {
      const { count, requests } = await log(query);
      expect(requests).toHaveLength(count);
      return requests.map(({ path }) => path);
    };
    const search = '/questions/search?seller_id=1001';
    expect(await paths({ endpoint: 'questions.answer' })).toEqual(['/answers']);
    expect(await paths({ method: 'post' })).toEqual(['/answers']);
    expect(await paths({ path: '/questions/*' })).toEqual([search, '/questions/1']);
    expect(await paths({ path: '/questions/search' })).toEqual([search]);
    expect(await paths({ status: '404' })).toEqual(['/questions/1']);
    expect(await paths({ status: '4xx' })).toEqual(['/questions/1', '/nowhere']);
    expect(await paths({ status: 'broken' })).toEqual([]);
    expect(await paths({ user: '1002' })).toEqual(['/questions/1']);
    expect(await paths({ user: 'MATE_AND_CO' })).toEqual([search, '/answers']);
    expect(await paths({ body: 'Sí, señora' })).toEqual(['/answers']);
    expect(await paths({ user: '1001', method: 'GET' })).toEqual([search]);
    const [, , third] = (await log()).requests;
    expect(await paths({ since: String(third?.at) })).toContain('/nowhere');
    expect(await paths({ since: '2100-01-01T00:00:00Z' })).toEqual([]);
  });

  test('names the fault that applied to a request, and the rule that an error response follows', async () => {
    const { url, log } = await served();
    const headers = { 'x-fake-token': token };
    await fetch(`${url}/__fake/faults`, { method: 'POST', headers, body: '{"status":503,"after":true}' });
    expect(await call(url, 'GET /currencies')).toBe(503);
    expect(await call(url, 'GET /questions/1')).toBe(404);
    expect((await log()).requests).toMatchObject([
      { fault: '503 after acting', rule: null },
      { fault: null, rule: expect.stringContaining('NotFoundError') as string },
    ]);
  });

  test.each([
    [{ reset: 'before' }, 'before the response'],
    [{ reset: 'after' }, 'before the response'],
    [{ truncate: true }, 'in the body'],
  ])('a request that %o hits says where the connection ended', async (fault, brokenAt) => {
    const { url, log } = await served();
    const headers = { 'x-fake-token': token };
    await fetch(`${url}/__fake/faults`, { method: 'POST', headers, body: JSON.stringify(fault) });
    await fetch(`${url}/currencies`).then(
      (response) => response.text().catch(() => undefined),
      () => undefined,
    );
    await expect.poll(async () => (await log()).requests).toMatchObject([{ state: 'broken', brokenAt }]);
  });

  test('a notification names the request that caused it', async () => {
    const { url, log } = await served();
    const headers = { 'x-fake-token': token };
    const body = JSON.stringify({ callback: 'http://127.0.0.1:1/' });
    await fetch(`${url}/__fake/notifications`, { method: 'POST', headers, body });
    const question = JSON.stringify({ item_id: 'MLA600000001', text: 'Is it new?' });
    expect(await call(url, 'POST /questions', 'BUYER-TOKEN', question)).toBe(201);
    await fetch(`${url}/__fake/flush`, { method: 'POST', headers });
    const response = await fetch(`${url}/__fake/notifications`, { headers });
    const { attempts } = (await response.json()) as { attempts: { request: number }[] };
    expect(attempts[0]?.request).toBe((await log()).requests[0]?.id);
  });

  test.each([
    [{ endpoint: 'questions.fly' }, 'there is no endpoint "questions.fly"'],
    [{ status: 'red' }, '`status` is a status such as 404, a class such as 4xx, or broken'],
    [{ since: 'noon' }, '`since` is an ISO 8601 time or milliseconds since 1970'],
    [{ usr: '1' }, 'the list of requests has no field `usr`; did you mean `user`?'],
  ])('names a wrong filter: %j', async (query, message) => {
    const { log } = await served();
    expect((await log(query as never)).message).toContain(message);
  });
});
