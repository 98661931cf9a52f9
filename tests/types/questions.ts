import { endpoints } from 'marketplace-seller-sdk/schemas';
import type { Paged, Question, SellerClient } from 'marketplace-seller-sdk';

declare const seller: SellerClient;
const question_id = 42;

/** A search takes a seller, or an item, or an item with an asker. */
export function searches(): Paged<Question>[] {
  return [
    seller.questions.search({ seller_id: 7 }),
    seller.questions.search({ item: 'MLA1' }),
    seller.questions.search({ item_id: 'MLA1' }),
    seller.questions.search({ item: 'MLA1', from: 31 }),
    seller.questions.search({ seller_id: 7, sort_fields: ['date_created'], sort_types: ['DESC'], limit: 20 }),
    seller.questions.search({ seller_id: 7, filters: { status: 'UNANSWERED' } }, { deadlineMs: 1000 }),
    // @ts-expect-error -- neither a seller nor an item
    seller.questions.search({}),
    // @ts-expect-error -- both a seller and an item
    seller.questions.search({ seller_id: 7, item: 'MLA1' }),
    // @ts-expect-error -- an asker without an item
    seller.questions.search({ from: 31 }),
    seller.questions.search({
      seller_id: 7,
      // @ts-expect-error -- not one of the fields that a search sorts by
      sort_fields: ['price'],
      sort_types: ['ASC'],
    }),
  ];
}

export async function inputs(): Promise<void> {
  await seller.questions.answer({ question_id, text: 'Yes' });
  await seller.questions.answer({ question_id: '42', text: 'Yes' });
  // @ts-expect-error -- the text is missing
  await seller.questions.answer({ question_id });
  await seller.questions.answer({
    question_id,
    // @ts-expect-error -- a text is no number
    text: 7,
  });
  await seller.questions.answer({
    question_id,
    text: 'Yes',
    // @ts-expect-error -- there is no such field
    status: 'ACTIVE',
  });
  // @ts-expect-error -- an input is not left out
  await seller.questions.get();
  await seller.questions.get(
    { question_id },
    {
      // @ts-expect-error -- there is no such option
      timeout: 1000,
    },
  );
  await seller.questions.get({ question_id }, { accessToken: null, timeoutMs: 1000, signal: AbortSignal.abort() });
}

export async function outputs(): Promise<void> {
  const question = await seller.questions.get({ question_id });
  question.id satisfies number;
  question.text satisfies string | null | undefined;
  question.answer?.text satisfies string | null | undefined;
  // @ts-expect-error -- it may be absent
  question.answer.text;
  // @ts-expect-error -- an undocumented field is there at run time only
  question.nickname;
  // The service adds words: a status is one of those that are known, or another.
  question.status satisfies string | null | undefined;

  const answered = await seller.questions.answer({ question_id, text: 'Yes' });
  // @ts-expect-error -- the service may answer nothing
  answered.id;

  const { data, response } = await seller.questions.get({ question_id }).withResponse();
  data satisfies Question;
  response.requestId satisfies string | undefined;
  response.attempts satisfies number;

  for await (const each of seller.questions.search({ seller_id: 7 })) each satisfies Question;
  for await (const page of seller.questions.search({ seller_id: 7 }).pages()) page.items satisfies readonly Question[];
}

export async function reduced(): Promise<void> {
  const some = await seller.questions.get({ question_id }, { attributes: ['id', 'status'] });
  some.status satisfies string | null | undefined;
  // @ts-expect-error -- it was not asked for
  some.text;
  // @ts-expect-error -- there is no such field
  await seller.questions.get({ question_id }, { attributes: ['nickname'] });

  const called = await seller.call(endpoints.questions.get, { question_id }, { attributes: ['status'] });
  called.status satisfies string | null | undefined;
  // @ts-expect-error -- it was not asked for
  called.id;
  // @ts-expect-error -- there is no such field
  await seller.call(endpoints.questions.get, { question_id }, { attributes: ['nickname'] });
  const all = await seller.call(endpoints.questions.get, { question_id }, { timeoutMs: 5 });
  all.id satisfies number;
  const items = await seller.call(endpoints.items.status, { ids: ['MLA1'] }, { attributes: ['status'] });
  items[0]?.status satisfies string | null | undefined;
}
