import { execFileSync } from 'node:child_process';
import { InvalidInputError, UnexpectedResponseError } from 'marketplace-seller-sdk';
import { afterEach, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { bundled } from '../support/program.ts';
import { errorOf, stubbed, wireQuestion } from '../support/stubs.ts';

const before = { ...z.config() };

afterEach(() => {
  for (const name of Object.keys(z.config())) Reflect.deleteProperty(z.config(), name);
  z.config(before);
});

const secret = 'a text of a buyer';
const settings: [string, z.core.$ZodConfig][] = [
  ['without code generation', { jitless: true }],
  ['another language', z.locales.de()],
  ['messages with values', { customError: ({ input }) => `wrong: ${String(input)}` }],
  [
    'a message that fails',
    {
      customError: () => {
        throw new Error('not for this package');
      },
    },
  ],
];

describe.each(settings)("the application's settings of zod: %s", (_, config) => {
  test('change neither a result nor a message', async () => {
    z.config(config);
    const odd = { ...wireQuestion, id: '42', hold: secret };
    const drifts: string[] = [];
    const { sellerClient } = stubbed([Response.json(odd), Response.json({ ...odd, id: secret })], {
      onDrift: ({ path, expected }) => void drifts.push(`${path.join('.')}: ${expected}`),
    });
    expect(await sellerClient.questions.get({ question_id: 42 })).toEqual({ ...odd, id: 42 });
    expect(drifts).toEqual(['hold: `hold` takes a boolean']);
    const error = await errorOf<UnexpectedResponseError>(sellerClient.questions.get({ question_id: 42 }));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error.issues[0]?.message).toBe('`id` takes an integer');
    expect(error.message).not.toContain(secret);
    const wrong = await errorOf(sellerClient.questions.answer({ question_id: secret, text: 'Yes.' }));
    expect(wrong).toBeInstanceOf(InvalidInputError);
    expect(wrong.message).toBe('Not sent: `question_id` takes an integer');
  });
});

test('a call changes no settings of zod', async () => {
  const { sellerClient } = stubbed([Response.json(wireQuestion)]);
  await sellerClient.questions.get({ question_id: 42 });
  expect(z.config()).toEqual(before);
});

test('responses are checked where eval is forbidden', async () => {
  const program = await bundled('tests/support/read-questions.ts');
  const out = execFileSync(process.execPath, ['--disallow-code-generation-from-strings', program], {
    encoding: 'utf8',
  });
  expect(JSON.parse(out)).toEqual({
    value: { questions: [{ id: 1 }, { id: 2, hold: 'no' }] },
    differences: [
      expect.objectContaining({ path: ['questions', 1, 'id'], received: 'nothing' }),
      expect.objectContaining({ path: ['questions', 2, 'hold'], received: 'string' }),
    ],
    leftOut: 1,
  });
});
