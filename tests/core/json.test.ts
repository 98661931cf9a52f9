import { fc } from '../support/fast-check.ts';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { expect, test } from 'vitest';
import { unknown } from '../../src/core/schema/define.js';
import { parseJson } from '../../src/core/json/json.js';
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
  ['[1E+99999999999999999, 1e-99999999999999999]', [Infinity, 0]],
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

/** What the platform's parser makes of it when such integers are strings. A reviver gets no `source` of some numbers. */
function parseQuoted(text: string): unknown {
  const isLarge = (token: string): boolean => /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
  const tokens = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
  return JSON.parse(text.replace(tokens, (token) => (isLarge(token) ? `"${token}"` : token)));
}

test('any JSON is parsed as by the platform, except for integers beyond 2^53', () => {
  const digits = fc.stringMatching(/^[1-9]\d{13,19}$/);
  const number = fc.oneof(
    digits,
    digits.map((text) => `-${text}`),
    fc.tuple(digits, digits).map(([whole, rest]) => `${whole}.${rest}`),
    fc.tuple(digits, fc.constantFrom('e1', 'E+2', 'e-3')).map(([text, exponent]) => text + exponent),
    fc.integer().map(String),
  );
  const piece = fc.constantFrom('\\', '"', 'e', '-', '9007199254740993', '1234567890123456', ' ', ',', 'é');
  const string = fc.array(piece, { maxLength: 6 }).map((pieces) => JSON.stringify(pieces.join('')));
  const { value } = fc.letrec<{ value: string; leaf: string; list: string; object: string }>((tie) => ({
    value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, tie('leaf'), tie('list'), tie('object')),
    leaf: fc.oneof(number, string, fc.constantFrom('true', 'false', 'null')),
    list: fc.array(tie('value')).map((all) => `[ ${all.join(' ,')}\n]`),
    object: fc.array(fc.tuple(string, tie('value'))).map((all) => `{${all.map((pair) => pair.join(':')).join(', ')}}`),
  }));
  fc.assert(
    fc.property(value, (text) => {
      expect(parseJson(text)).toEqual(parseQuoted(text));
    }),
    { numRuns: 300 },
  );
});

test.each(['[9007199254740993', '{"a":9007199254740993,}', '"9007199254740993', ''])(
  'what is not JSON is not parsed: %j',
  (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  },
);
