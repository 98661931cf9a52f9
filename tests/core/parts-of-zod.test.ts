import { tool } from 'ai';
import { endpoints, message, paging, question } from 'marketplace-seller-sdk/schemas';
import type { AnswerParams, Message, Question } from 'marketplace-seller-sdk';
import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod/mini';
import { everyEndpoint } from '../support/every-endpoint.ts';
import { wireQuestion } from '../support/stubs.ts';

describe('a schema of this package is a part of a schema of zod, with its types and without a cast', () => {
  test('in an object', () => {
    const conversation = z.object({ question, latest: z.optional(message), others: z.array(question), paging });
    type Conversation = z.infer<typeof conversation>;
    expectTypeOf<Conversation['question']>().toExtend<Question>();
    expectTypeOf<Conversation['question']['id']>().toEqualTypeOf<number>();
    expectTypeOf<Conversation['latest']>().toEqualTypeOf<Message | undefined>();
    const read = conversation.parse({ question: { ...wireQuestion, id: '42' }, others: [], paging: { total: '7' } });
    expect(read).toEqual({ question: { ...wireQuestion, id: 42 }, others: [], paging: { total: 7 } });
    const wrong = conversation.safeParse({ question: {}, others: [{ id: 'x' }], paging: null });
    expect(wrong.error?.issues.map(({ path }) => path.join('.'))).toEqual(['question.id', 'others.0.id', 'paging']);
  });

  test('a field that may be left out may be left out there, too', () => {
    const { total, offset } = paging.shape;
    const page = z.object({ total, offset });
    expectTypeOf<z.infer<typeof page>>().toEqualTypeOf<{
      total?: number | null | undefined;
      offset?: number | null | undefined;
    }>();
    expect(page.parse({ total: '7' })).toEqual({ total: 7 });
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
      expectTypeOf(given).toEqualTypeOf<AnswerParams>();
      return given;
    },
  });
  expect(answer.inputSchema).toBe(input);
});
