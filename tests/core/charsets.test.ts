import type { Drift } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { startServer } from '../support/http-server.ts';
import { errorOf, stubbed, wireQuestion } from '../support/stubs.ts';
import { transports } from '../support/transports.ts';

const text = '¿Envían a Córdoba, señor?';
const body = JSON.stringify({ ...wireQuestion, text });

const inLatin1 = Buffer.from(body, 'latin1');
const inUtf8 = Buffer.from(body);
const bodies: [contentType: string | undefined, bytes: Buffer][] = [
  [undefined, inUtf8],
  ['application/json', inUtf8],
  ['application/json; charset=utf-8', inUtf8],
  ['application/json;charset=UTF8', inUtf8],
  ['application/json; charset=of-mars', inUtf8],
  ['application/json; charset=', inUtf8],
  ['application/json; charset=ISO-8859-1', inLatin1],
  ['application/json;charset="iso-8859-1"', inLatin1],
  ["application/json; version=2; Charset = 'latin1'; q=1", inLatin1],
  ['text/html; charset=windows-1252', inLatin1],
  ['application/json; charset=utf-16le', Buffer.from(`\uFEFF${body}`, 'utf16le')],
];

describe.each(transports)('over %s', (_, options) => {
  test.each(bodies)('a body of the type %s is read by its charset', async (contentType, bytes) => {
    const server = await startServer((response) => {
      response.writeHead(200, contentType === undefined ? {} : { 'content-type': contentType }).end(bytes);
    });
    const { sellerClient } = stubbed([], { baseUrl: server.url, fetch: undefined, ...options });
    expect((await sellerClient.questions.get({ question_id: 42 })).text).toBe(text);
  });

  test('and so is that of an error', async () => {
    const server = await startServer((response) => {
      const message = Buffer.from('{"message":"no está"}', 'latin1');
      response.writeHead(404, { 'content-type': 'application/json; charset=ISO-8859-1' }).end(message);
    });
    const { sellerClient } = stubbed([], { baseUrl: server.url, fetch: undefined, ...options });
    const error = await errorOf(sellerClient.questions.get({ question_id: 42 }));
    expect(error.message).toContain('no está');
  });
});

describe('a text with replacement characters', () => {
  const drifted = async (sent: object, asText?: string): Promise<Drift[]> => {
    const drifts: Drift[] = [];
    const onDrift = (drift: Drift): void => void drifts.push(drift);
    const { sellerClient } = stubbed([new Response(asText ?? JSON.stringify(sent))], { onDrift });
    await sellerClient.questions.search({ seller_id: 7 }).first();
    return drifts;
  };

  test('is drift, wherever it is', async () => {
    const drifts = await drifted({
      total: 2,
      questions: [
        { id: 1, text: 'Env\uFFFDan?', tags: ['\uFFFD'] },
        { id: 2, text: 'Sí' },
      ],
      note: { by: '\uFFFDa' },
    });
    expect(drifts.map(({ path }) => path)).toEqual([
      ['questions', 0, 'text'],
      ['questions', 0, 'tags', 0],
      ['note', 'by'],
    ]);
    expect(drifts[0]).toMatchObject({
      expected: '`questions.0.text` has replacement characters: a part of it is lost',
      received: 'string',
    });
  });

  test('is so where JSON escapes the character, and where bytes are in another charset than the stated one', async () => {
    expect(await drifted({}, String.raw`{"total":1,"questions":[{"id":1,"text":"\ufffd"}]}`)).toHaveLength(1);
    const drifts: Drift[] = [];
    const { sellerClient } = stubbed([new Response(inLatin1)], { onDrift: (drift) => void drifts.push(drift) });
    expect((await sellerClient.questions.get({ question_id: 42 })).text).toContain('\uFFFD');
    expect(drifts.map(({ path }) => path)).toEqual([['text']]);
  });

  test('and other texts are none', async () => {
    expect(await drifted({ total: 1, questions: [{ id: 1, text: 'a\\ufffd is no character: \u{1F600} é' }] })).toEqual(
      [],
    );
  });
});
