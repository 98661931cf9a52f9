import { fc } from '../support/fast-check.ts';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { expect, test } from 'vitest';
import { unknown } from '../../src/core/schema/schema.js';
import { stubbed } from '../support/stubs.ts';

const anything = {
  ...endpoints.questions.hide,
  output: unknown,
};

/** What the client delivers of a body. */
async function read(body: string): Promise<unknown> {
  return stubbed([new Response(body)]).sellerClient.call(anything, { question_id: 1 });
}

test.each([
  ['9007199254740991', 9007199254740991],
  ['9007199254740993', '9007199254740993'],
  ['-9007199254740993', '-9007199254740993'],
  ['{"a":[12345678901234567890,1]}', { a: ['12345678901234567890', 1] }],
  ['{"a":"9007199254740993"}', { a: '9007199254740993' }],
  ['{"a":"say \\"9007199254740993\\" twice"}', { a: 'say "9007199254740993" twice' }],
  ['[1234567890.1234567890123456]', [1234567890.1234567]],
  ['[1e21, 1234567890123456]', [1e21, 1234567890123456]],
])('JSON is parsed without rounding: %s', async (body, value) => {
  expect(await read(body)).toEqual(value);
});

test('a long integer keeps its digits anywhere in the body', async () => {
  const digits = fc.bigInt({ min: 2n ** 53n + 1n, max: 10n ** 24n });
  await fc.assert(
    fc.asyncProperty(digits, fc.stringMatching(/^[a-z]{0,40}$/), fc.nat(2 ** 31), async (wide, before, after) => {
      const value = { [before]: 1, wide: String(wide), after };
      const body = `{"${before}":1,"wide":${wide},"after":${after}}`;
      expect(await read(body)).toEqual(value);
    }),
  );
});
