import { tool } from 'ai';
import { contactTotal, endpoints, message, question, type Input, type Output } from 'marketplace-seller-sdk/schemas';
import * as schemas from 'marketplace-seller-sdk/schemas';
import type { Message, Question } from 'marketplace-seller-sdk';
import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod/mini';
import { listEndpoints } from '../../src/endpoints.ts';
import { everyEndpoint } from '../support/every-endpoint.ts';
import { wireQuestion } from '../support/stubs.ts';

test('every exported schema, and the input and output of every endpoint, has parse and safeParse, also by type', () => {
  interface Read {
    parse(value: unknown): unknown;
    safeParse(value: unknown): { readonly success: boolean };
  }
  const { endpoints: table, ...entities } = schemas;
  expectTypeOf<ReturnType<typeof table.questions.answer.input.parse>>().toEqualTypeOf<
    Input<typeof endpoints.questions.answer>
  >();
  expectTypeOf<ReturnType<typeof table.questions.get.output.parse>>().toEqualTypeOf<Question>();
  expectTypeOf<Output<typeof endpoints.questions.get>>().toEqualTypeOf<Question>();
  const all: Read[] = [
    ...Object.values(entities),
    ...listEndpoints(table).flatMap(({ input, output }) => [input, output]),
  ];
  for (const schema of all)
    expect(Object.keys(schema.safeParse(Symbol('of no schema but that of any value')))).toContain('success');
  expect(all.filter(({ parse }) => typeof parse !== 'function')).toEqual([]);
});

describe('a schema of this package is a part of a schema of zod, with its types and without a cast', () => {
  test('in an object', () => {
    const conversation = z.object({
      question,
      latest: z.optional(message),
      others: z.array(question),
      contacts: contactTotal,
    });
    type Conversation = z.infer<typeof conversation>;
    expectTypeOf<Conversation['question']>().toExtend<Question>();
    expectTypeOf<Conversation['question']['id']>().toEqualTypeOf<number>();
    expectTypeOf<Conversation['latest']>().toEqualTypeOf<Message | undefined>();
    const read = conversation.parse({ question: { ...wireQuestion, id: '42' }, others: [], contacts: { total: '7' } });
    expect(read).toEqual({ question: { ...wireQuestion, id: 42 }, others: [], contacts: { total: 7 } });
    const wrong = conversation.safeParse({ question: {}, others: [{ id: 'x' }], contacts: null });
    expect(wrong.error?.issues.map(({ path }) => path.join('.'))).toEqual(['question.id', 'others.0.id', 'contacts']);
  });

  test('a field that may be left out may be left out there, too', () => {
    const { date_from, user_id } = contactTotal.shape;
    const page = z.object({ date_from, user_id });
    expectTypeOf<z.infer<typeof page>>().toEqualTypeOf<{
      date_from?: string | null | undefined;
      user_id?: number | null | undefined;
    }>();
    expect(page.parse({ user_id: '7' })).toEqual({ user_id: 7 });
  });
});

test.each(everyEndpoint)(
  '$name: its input and output are parts of an object, a list and a union',
  ({ endpoint, input }) => {
    const part = endpoint.input as typeof endpoints.questions.answer.input;
    for (const [schema, value] of [
      [z.object({ part }), { part: input }],
      [z.array(part), [input]],
      [z.union([z.string(), part]), input],
      [z.optional(part), input],
    ] as const)
      expect(schema.safeParse(value)).toMatchObject({ success: true });
  },
);

test('the input of an endpoint is the input of a tool of the AI SDK, and has its type', () => {
  const { input } = endpoints.questions.answer;
  const answer = tool({
    inputSchema: input,
    execute: (given) => {
      expectTypeOf(given).toEqualTypeOf<Input<typeof endpoints.questions.answer>>();
      return given;
    },
  });
  expect(answer.inputSchema).toBe(input);
});
