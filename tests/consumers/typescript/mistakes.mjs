// Mistakes that users make, with the place that a compiler must report and a part of its message.

const whose = "site_id: 'MLA', user_id: 7, service_id: 1001";

const message = "{ pack_id: 1, user_id: 7, text: 'Hello' }";

/** @type {readonly { code: string, at: string, says: string, not?: string }[]} */
export const mistakes = [
  {
    code: `seller.flex.configuration({ ${whose}, select: { zones: { name: true } } });`,
    at: 'name',
    says: "'name' does not exist",
  },
  {
    code: `seller.flex.configuration({ ${whose}, select: { zone: true } });`,
    at: 'zone:',
    says: "Did you mean to write 'zones'?",
  },
  {
    code: `seller.flex.configuration({ ${whose}, select: { zones: { price: { fractions: true } } } });`,
    at: 'fractions',
    says: "Did you mean to write 'fraction'?",
  },
  {
    code: "seller.questions.get({ question_id: 1 }, { attributes: ['txt'] });",
    at: "'txt'",
    says: `Did you mean '"text"'?`,
  },
  {
    code: "seller.flex.subscriptions({ site_id: 'MLA', user_id: 7 }, { attributes: ['sttus'] });",
    at: "'sttus'",
    says: `Did you mean '"status"'?`,
  },
  {
    code: "seller.questions.get({ question_id: 1 }, { atributes: ['text'] });",
    at: 'atributes',
    says: "Did you mean to write 'attributes'?",
  },
  {
    code: "seller.questions.get({ questionid: 1 }, { attributes: ['text'] });",
    at: 'questionid',
    says: "Did you mean to write 'question_id'?",
  },
  {
    code: 'seller.questions.search({ seller_id: 7, filter: {} });',
    at: 'filter:',
    says: "Did you mean to write 'filters'?",
  },
  ...["{ seller_id: 7, item: 'MLA1' }", "{ item_id: 'MLA1', seller_id: 7 }", "{ item: 'MLA1', item_id: 'MLA1' }"].map(
    (input) => ({
      code: `seller.questions.search(${input});`,
      at: '{',
      says: 'a search takes one of seller_id, item and item_id',
      not: 'undefined',
    }),
  ),
  {
    code: 'seller.questions.search({ seller_id: 7, from: 31 });',
    at: '{',
    says: 'from goes with an item, not with seller_id',
  },
  { code: "seller.messages.unread({ role: 'seller' });", at: 'role', says: "not assignable to type 'never'" },
  { code: 'seller.currencies.list({ foo: 1 });', at: 'foo', says: "not assignable to type 'never'" },
  {
    code: "seller.questions.answer({ question_id: 1, txt: 'Yes.' });",
    at: 'txt',
    says: "'txt' does not exist",
  },
  {
    code: '(async () => (await seller.questions.search({ seller_id: 7 })).items)();',
    at: 'items',
    says: "Property 'items' does not exist on type 'Paged<Question, QuestionSearchExtra>'",
  },
  {
    code: "seller.actionGuide.send({ pack_id: 1, option_id: 'REQUEST_VARIANTS' });",
    at: '{ pack_id',
    says: "Property 'template_id' is missing",
    not: 'overload',
  },
  {
    code: "seller.actionGuide.send({ pack_id: 1, option_id: 'OTHERS', text: 'Hello' });",
    at: 'option_id',
    says: `Did you mean '"OTHER"'?`,
    not: 'overload',
  },
  {
    code: "seller.messages.upload({ site_id: 'MLA', file: new Uint8Array(1) });",
    at: '{ site_id',
    says: "Property 'filename' is missing",
    not: 'size',
  },
  {
    code: "seller.messages.upload({ file: new Blob([]), filename: 'a.pdf' });",
    at: '{ file',
    says: "Property 'site_id' is missing",
    not: 'size',
  },
  {
    code: "seller.messages.upload({ site_id: 'MLA', file: new ReadableStream<Uint8Array>(), filename: 'a.pdf' });",
    at: '{ site_id',
    says: "Property 'size' is missing",
  },
  {
    code: `outbox.add({ user_id: 7, endpoint: endpoints.questions.answer, input: { question_id: 1, text: 'Yes.' } });`,
    at: '{ user_id',
    says: "Property 'key' is missing",
    not: 'overload',
  },
  {
    code: `outbox.add({ user_id: 7, contact: ${message} });`,
    at: '{ user_id',
    says: "Property 'key' is missing",
    not: 'overload',
  },
  {
    code: `outbox.add({ user_id: 7, steps: [{ contact: ${message} }] });`,
    at: '{ user_id',
    says: "Property 'key' is missing",
    not: 'overload',
  },
  {
    code: "outbox.add({ key: 'k', user_id: 7, steps: [{ endpoint: endpoints.messages.upload, input: { file: 'a.pdf' } }] });",
    at: 'input',
    says: "Property 'site_id' is missing",
  },
  {
    code: "outbox.add({ key: 'k', user_id: 7, steps: [{ contact: { pack_id: 1, user_id: 7 } }] });",
    at: 'contact',
    says: "Property 'text' is missing",
  },
  {
    code: "outbox.add({ key: 'k', user_id: 7, endpoint: endpoints.questions.answer, input: { question_id: 1, txt: 'Yes.' } });",
    at: 'txt',
    says: "'txt' does not exist",
  },
];

const header = `import type { SellerClient } from 'marketplace-seller-sdk';
import type { Outbox } from 'marketplace-seller-sdk/outbox';
import { endpoints } from 'marketplace-seller-sdk/schemas';
declare const seller: SellerClient;
declare const outbox: Outbox;
`;

/** A program with one mistake per line. */
export const program = `${header}${mistakes.map(({ code }) => code).join('\n')}\n`;

/**
 * Compares what a compiler reports with what it must report.
 * @param {readonly { line: number, column: number, text: string }[]} reports Lines and columns begin with 1.
 * @returns {string[]} one sentence per mistake that is reported elsewhere, or in other words.
 */
export function misreported(reports) {
  const linesBefore = header.split('\n').length - 1;
  return mistakes.flatMap(({ code, at, says, not }, index) => {
    const here = reports.filter(({ line }) => line === linesBefore + index + 1);
    const isRight =
      here.length === 1 &&
      here[0]?.column === code.lastIndexOf(at) + 1 &&
      here[0].text.includes(says) &&
      (not === undefined || !here[0].text.includes(not));
    return isRight
      ? []
      : [`${code}\n  ${here.map(({ column, text }) => `${column}: ${text}`).join('\n  ') || 'no error'}`];
  });
}
