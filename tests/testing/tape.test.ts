import { describe, expect, onTestFinished, test } from 'vitest';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { listen } from '../../src/testing/server.js';
import { createRecorder } from '../../src/testing/tape/recorder.js';
import { TapeWriter, parseTape } from '../../src/testing/tape/tape.js';
import type { TapeExchange } from '../../src/testing/tape/tape.js';
import { taping } from '../support/taping.ts';
import type { Taping } from '../support/taping.ts';

/** Records what is sent to a service that responds in this way. */
async function recorderOf(respond: (request: Request) => Response | Promise<Response>): Promise<Taping> {
  const { url, close } = await listen(async (request) => respond(request), {});
  onTestFinished(close);
  return taping(url);
}

const asJson = (body: unknown): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});

describe('a recorder', () => {
  test('forwards method, headers and body, and returns the response', async () => {
    const { fetch, tape } = await recorderOf(async (request) => {
      const { method, headers, url } = request;
      const { pathname, search } = new URL(url);
      const seen = { method, path: pathname + search, by: headers.get('x-by'), body: await request.text() };
      return Response.json(seen, { status: 418, headers: { 'x-own': 'yes' } });
    });
    const put = { method: 'PUT', body: '{"a":1}', headers: { 'x-by': 'me', 'content-type': 'application/json' } };
    const received = await fetch('http://proxy.test/anything?a=1', put);
    expect(received.status).toBe(418);
    expect(received.headers.get('x-own')).toBe('yes');
    expect(await received.json()).toEqual({ method: 'PUT', path: '/anything?a=1', by: 'me', body: '{"a":1}' });
    expect(tape()).toMatchObject([{ method: 'PUT', endpoint: null, caller: null, status: 418, token: null }]);
  });

  test('names callers in the order in which they came, and says what became of their tokens', async () => {
    const { fetch, tape } = await recorderOf(({ headers }) => {
      const status = headers.get('authorization') === 'Bearer old' ? 401 : 200;
      return Response.json({ message: 'The access token has expired' }, { status });
    });
    for (const authorization of ['Bearer b', 'Bearer APP_USR-1-2-42', undefined, 'Bearer b', 'Bearer old', 'Basic x'])
      await fetch('http://proxy.test/currencies', { headers: authorization === undefined ? {} : { authorization } });
    expect(tape().map(({ caller, token }) => [caller, token])).toEqual([
      ['user 1', 'valid'],
      ['user 2', 'valid'],
      [null, null],
      ['user 1', 'valid'],
      ['user 3', 'expired'],
      ['user 4', 'malformed'],
    ]);
    expect(tape().map(({ user }) => user !== null)).toEqual([false, true, false, false, false, false]);
  });

  test.each([204, 205, 304])('passes on a %i without a body', async (status) => {
    const { fetch, tape } = await recorderOf(() => new Response(null, { status }));
    const received = await fetch('http://proxy.test/currencies');
    expect([received.status, received.body]).toEqual([status, null]);
    expect(tape()).toMatchObject([{ status, response: { kind: 'none', value: null } }]);
  });

  test('passes on an encoding that it does not know, and each cookie', async () => {
    const headers = new Headers([
      ['content-type', 'application/json'],
      ['content-encoding', 'own'],
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ]);
    const { fetch, tape, unwritten } = await recorderOf(() => new Response('[]', { headers }));
    const received = await fetch('http://proxy.test/currencies');
    expect([received.headers.get('content-encoding'), received.headers.getSetCookie()]).toEqual([
      'own',
      ['a=1', 'b=2'],
    ]);
    expect([tape(), unwritten]).toEqual([[], [expect.stringContaining('its response is compressed')]]);
  });

  test('writes of a body that is no JSON only its kind and its size', async () => {
    const { fetch, tape } = await recorderOf(
      () => new Response('Ana is busy', { headers: { 'content-type': 'text/html; charset=utf-8' } }),
    );
    await fetch('http://proxy.test/anything', { method: 'POST', body: 'private' });
    expect(tape()).toMatchObject([
      { request: { kind: 'text/plain', value: 7 }, response: { kind: 'text/html', value: 11 } },
    ]);
  });

  test('keeps what is none of a person, and masks the rest', async () => {
    const { fetch, tape } = await recorderOf(() =>
      Response.json({
        id: 5_000_000_001,
        item_id: 'MLA123',
        status: 'ANSWERED',
        hold: false,
        text: 'Hola, Ana 😀',
        date_created: '2026-03-01T10:00:00.000-04:00',
        from: { id: 77, answered_questions: 3, nickname: 'ANA_1' },
        note: 42,
      }),
    );
    await fetch('http://proxy.test/questions/5000000001?attributes=id,status');
    const [{ path, response }] = tape() as [TapeExchange];
    const { id, item_id, from, ...rest } = response.value as Record<string, unknown>;
    expect(path).toBe(`/questions/${String(id)}?attributes=id,status`);
    expect([id, item_id]).toEqual([expect.any(Number), expect.stringMatching(/^MLA9\d{9}$/)]);
    expect(id).not.toBe(5_000_000_001);
    expect(from).toMatchObject({ answered_questions: 3, nickname: 'XXX_0' });
    expect(rest).toEqual({
      status: 'ANSWERED',
      hold: false,
      text: 'Xxxx, Xxx 😀',
      date_created: '2026-03-01T10:00:00.000-04:00',
      xxxx: 11,
    });
  });

  test('keeps the words, counts, dates and flags of a query', async () => {
    const { fetch, tape } = await recorderOf(() => Response.json({}));
    const query = '?tag=post_sale&mark_as_read=false&limit=20&date_from=2030-01-01&sort=date_desc';
    await fetch(`http://proxy.test/messages/packs/1/sellers/2${query}&q=Ana`);
    expect(tape()[0]!.path.split('?')[1]).toBe(`${query.slice(1)}&q=Xxx`);
  });

  test('an id is always the same one on a tape, and two ids never are', async () => {
    const { fetch, tape } = await recorderOf((request) => Response.json({ id: Number(request.url.split('/').pop()) }));
    const ids = Array.from({ length: 600 }, (_, index) => 5_000_000_000 + index * 37);
    for (const id of [...ids, ...ids.slice(0, 5)]) await fetch(`http://proxy.test/questions/${id}`);
    const written = tape().map(({ response }) => (response.value as { id: number }).id);
    expect(new Set(written).size).toBe(ids.length);
    expect(written.slice(-5)).toEqual(written.slice(0, 5));
  });

  test('passes on what it cannot read, says so, and does not write it', async () => {
    let type = 'application/json';
    let body: BodyInit = '{"text":"Ana';
    const { fetch, tape, unwritten } = await recorderOf(
      () => new Response(body, { headers: { 'content-type': type } }),
    );
    expect(await (await fetch('http://proxy.test/questions/1')).text()).toBe('{"text":"Ana');
    body = new Uint8Array([0x41, 0xff, 0xfe]);
    await fetch('http://proxy.test/questions/1');
    body = '{}';
    await fetch('http://proxy.test/questions', { ...asJson({}), body: 'Ana' });
    const form = { method: 'POST', body: 'Ana', headers: { 'content-type': 'multipart/form-data; boundary=x' } };
    await fetch('http://proxy.test/messages/attachments', form);
    const zipped = { ...asJson({}), headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } };
    await fetch('http://proxy.test/questions', zipped);
    body = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    await fetch('http://proxy.test/questions/1');
    type = 'text/plain';
    body = 'Ana';
    await fetch('http://proxy.test/questions/1');
    expect(tape()).toMatchObject([{ response: { kind: 'text/plain', value: 3 } }]);
    expect(unwritten.map((reason) => reason.replace(/^\w+ was passed on and not written to the tape: /, ''))).toEqual([
      'its response says that it is JSON and is not',
      'its response says that it is text and is not UTF-8',
      'its request says that it is JSON and is not',
      'its request says that it is multipart and is not',
      'its request is compressed',
      'it cannot be masked',
    ]);
  });

  test('answers 502 for a service that cannot be reached, and writes nothing', async () => {
    const written: TapeExchange[] = [];
    const recorder = createRecorder('http://127.0.0.1:1', { write: (each) => void written.push(each) });
    const response = await recorder(new Request('http://proxy.test/currencies'));
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({
      error: 'bad_gateway',
      message: expect.stringContaining('cannot be reached') as string,
    });
    expect(written).toEqual([]);
  });
});

describe('a tape is read as it was recorded, or not at all', () => {
  async function recorded(): Promise<string> {
    const { url, close } = await new FakeMarketplace().listen();
    onTestFinished(close);
    const { fetch, text } = taping(url);
    for (const path of ['/currencies', '/currencies/ARS', '/currencies/XXX']) await fetch(`http://proxy.test${path}`);
    return text();
  }
  const reasonOf = (text: string): string => {
    try {
      return `read ${parseTape(text).length}`;
    } catch (error) {
      return (error as Error).message;
    }
  };

  test('whole, and also with blank lines at its end', async () => {
    const text = await recorded();
    expect([reasonOf(text), reasonOf(`${text}\n\n`)]).toEqual(['read 3', 'read 3']);
    expect(reasonOf(new TapeWriter().end())).toBe('read 0');
  });

  test.each<[string, (lines: string[]) => string[], string]>([
    [
      'of an earlier version',
      () => ['{"method":"GET","path":"/currencies","status":200,"response":[]}'],
      'line 1 of the tape has the form of an earlier version',
    ],
    [
      'of a later version',
      (lines) => lines.map((line) => line.replace('"tape":2', '"tape":3')),
      'line 1 of the tape has version 3',
    ],
    [
      'with a status that was edited',
      (lines) => lines.map((line) => line.replace('"status":404', '"status":200')),
      'line 3 of the tape was edited',
    ],
    [
      'with a line less',
      (lines) => lines.toSpliced(1, 1),
      'line 2 of the tape was edited, or a line before it was removed',
    ],
    ['with a line twice', (lines) => lines.toSpliced(1, 0, lines[1]!), 'line 3 of the tape was edited'],
    ['in another order', (lines) => [lines[1]!, lines[0]!, ...lines.slice(2)], 'line 1 of the tape was edited'],
    ['cut between lines', (lines) => lines.slice(0, 2), 'the tape is cut after line 2'],
    ['cut in a line', (lines) => [lines[0]!, lines[1]!.slice(0, 60)], 'line 2 of the tape is cut in the middle'],
    [
      'with a line that is no JSON',
      (lines) => [lines[0]!, 'oops', ...lines.slice(2)],
      'line 2 of the tape is no exchange',
    ],
    ['with a blank line', (lines) => [lines[0]!, '', ...lines.slice(1)], 'the tape is cut after line 1'],
    [
      'with lines behind its end',
      (lines) => [...lines, lines[0]!],
      'line 4 of the tape is the last line of a recording, but other lines follow',
    ],
    ['that is empty', () => [], 'the tape is empty'],
  ])('a tape %s is rejected', async (_, change, reason) => {
    const lines = change((await recorded()).trim().split('\n'));
    expect(reasonOf(lines.join('\n'))).toContain(reason);
    expect(reasonOf(lines.join('\n'))).toContain('record');
  });
});
