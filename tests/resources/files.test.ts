import { InvalidInputError } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { fileNameOf } from '../../src/core/files/file-source.js';
import { errorOf, stubbed } from '../support/stubs.ts';

const site_id = 'MLA';
const bytes = new Uint8Array(100);

describe('what is said about a file', () => {
  test.each(['text/plain\r\nx-evil: 1', 'text/plain\n', '', 'text/\u0000plain', 'téxt/plain'])(
    'a contentType that is not a media type is rejected: %j',
    async (contentType) => {
      const { sellerClient, sent } = stubbed([Response.json({ id: 'a' })]);
      const call = sellerClient.messages.upload({ site_id, file: bytes, filename: 'a.pdf', contentType });
      expect(await errorOf(call)).toBeInstanceOf(InvalidInputError);
      expect(sent).toEqual([]);
    },
  );

  test.each([
    ['C:\\Users\\Ana\\factura.pdf', 'factura.pdf'],
    ['c:/Users/Ana/factura.pdf', 'factura.pdf'],
    ['\\\\server\\share\\factura.pdf', 'factura.pdf'],
    ['/home/ana/factura.pdf', 'factura.pdf'],
    ['factura.pdf', 'factura.pdf'],
    ['/home/ana/a\\b.pdf', 'a\\b.pdf'],
  ])('the name of %s is %s', (file, name) => {
    expect(fileNameOf({ file })).toBe(name);
  });
});

test('a file that was read cannot be read again: the second read rejects', async () => {
  const { sellerClient } = stubbed([new Response(bytes)]);
  const file = await sellerClient.messages.download({ site_id, attachment_id: 'a' });
  await file.arrayBuffer();
  await expect(file.arrayBuffer()).rejects.toThrow(InvalidInputError);
});
