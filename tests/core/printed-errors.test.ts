import { inspect } from 'node:util';
import * as sdk from 'marketplace-seller-sdk';
import type { SellerError } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { errorOf, stubbed } from '../support/stubs.ts';

const most = 5_000;
const long = 'x'.repeat(200_000);
const many = Array.from({ length: 3_000 }, (_, index) => ({
  code: `code_${index}`,
  message: `${index} ${long.slice(0, 300)}`,
}));

/** Errors with all that may be long. */
const errors: Readonly<Record<string, () => Promise<SellerError>>> = {
  'a rejection with a large body': () => ofResponse({ message: long, error: 'bad', big: many }, 400),
  'a rejection with many causes': () => ofResponse({ message: 'no', error: long, cause: many }, 403),
  'a text': () => ofResponse(long, 404),
  'a fault of the service': () => ofResponse({ deep: deep(500), many }, 500),
  'a success of another shape': () => ofResponse({ questions: many.map(() => ({ id: 'x' })), total: 'x' }, 200, true),
  'many issues of an input': async () =>
    errorOf(stubbed([]).sellerClient.items.status({ ids: many.map(() => null) as never })),
  'an unknown field with a long name': async () =>
    errorOf(stubbed([]).sellerClient.questions.get({ question_id: 1, [long]: 1 })),
  'an unknown outcome': async () => {
    const { sellerClient } = stubbed([new TypeError('fetch failed', { cause: new Error('reset') })], { maxRetries: 0 });
    return errorOf(sellerClient.questions.ask({ item_id: 'MLA1', text: 'Yes.' }, { confirmWindowMs: 0 }));
  },
};

function deep(levels: number): unknown {
  return levels === 0 ? long : [{ next: deep(levels - 1) }];
}

async function ofResponse(body: unknown, status: number, isList = false): Promise<SellerError> {
  const { sellerClient } = stubbed([Response.json(body, { status })], { maxRetries: 0, responseValidation: 'throw' });
  return errorOf(
    isList ? sellerClient.questions.search({ seller_id: 7 }).page() : sellerClient.questions.get({ question_id: 42 }),
  );
}

/** What Vitest sends from a worker: each own name of a value and of its prototypes, or of what its `toJSON` returns. */
function ownNames(value: unknown, seen = new Set<unknown>()): unknown {
  if (typeof value === 'function') return 'Function';
  if (typeof value !== 'object' || value === null || seen.has(value)) return value;
  seen.add(value);
  const { toJSON } = value as { toJSON?: () => unknown };
  if (typeof toJSON === 'function') return ownNames(toJSON.call(value), seen);
  if (Array.isArray(value)) return value.map((each) => ownNames(each, seen));
  const clone: Record<string, unknown> = {};
  for (let each: object = value; each !== Object.prototype; each = Object.getPrototypeOf(each) as object)
    for (const name of Object.getOwnPropertyNames(each)) clone[name] ??= ownNames(Reflect.get(value, name), seen);
  return clone;
}

describe.each(Object.entries(errors))('%s', (_, make) => {
  test('is printed with at most 5 KB', async () => {
    const error = await make();
    const printed = {
      inspect: inspect(error),
      whole: inspect(error, { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity }),
      inside: inspect({ failed: [error] }, { depth: 9 }),
      json: JSON.stringify(error),
      vitest: JSON.stringify(ownNames(error)),
      // Jest prints the stack.
      jest: error.stack ?? '',
    };
    const sizes = Object.entries(printed).map(([name, text]) => [name, Buffer.byteLength(text)] as const);
    expect(sizes.filter(([, size]) => size > most)).toEqual([]);
    expect(printed.inspect).toContain(error.message.slice(0, 60));
    expect(printed.vitest).not.toMatch(/_zod|safeParse/);
  });
});

test('what is printed is a part: all stays to be read, and logs have no body', async () => {
  const error = await errors['a rejection with a large body']!();
  if (!(error instanceof sdk.ApiError)) throw error;
  expect(error.body).toEqual({ message: long, error: 'bad', big: many });
  expect(error.endpoint).toEqual({ name: 'questions.get', method: 'GET', path: '/questions/{question_id}' });
  const { body } = (error as unknown as { toJSON(): { body: string } }).toJSON();
  expect(body.slice(0, 500)).toBe(JSON.stringify(error.body).slice(0, 500));
  expect(JSON.stringify(error)).not.toContain('body');
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ status: 400, code: 'bad', attempts: 1 });
});

test('the first twenty issues are printed', async () => {
  const error = await errors['many issues of an input']!();
  if (!(error instanceof sdk.InvalidInputError)) throw error;
  const more = `… and ${error.issues.length - 20} more`;
  expect(error.issues.length).toBeGreaterThan(500);
  const { issues } = JSON.parse(JSON.stringify(error)) as { issues: unknown[] };
  expect(issues.slice(0, 20)).toEqual(error.issues.slice(0, 20));
  expect(issues.slice(20)).toEqual([more]);
  expect(inspect(error)).toContain(more);
});

test('an error is still printed with its class, its stack and its cause', async () => {
  const printed = inspect(await errors['an unknown outcome']!());
  expect(printed).toMatch(/^OutcomeUnknownError: POST \/questions/);
  expect(printed).toContain('[cause]: TypeError: fetch failed');
  expect(printed).toContain('outcomeUnknown: true');
});
