import { createReadStream } from 'node:fs';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { SellerError } from 'marketplace-seller-sdk';
import { expect, test, vi } from 'vitest';
import { runSnippet, typeErrors, type Snippet } from '../tools/snippets.ts';
import { entries } from './support/entries.ts';
import { stubbed } from './support/stubs.ts';

// People write what other clients have taught them. These guesses were written from the habits of Stripe, OpenAI, Octokit and Notion, before
// the names of this package were looked at, and they stay as they are. A guess is right, or is told what to write: by the
// compiler, or by an error of this package.

/** The lines of a text, each with those that are indented below it, without the comments. */
function blocks(text: string): { readonly head: string; readonly guesses: readonly string[] }[] {
  return text
    .split(/\n(?=\S)/)
    .slice(1)
    .map((block) => {
      const [head = '', ...guesses] = block.trimEnd().split(/\n +/);
      return { head, guesses: guesses.map((guess) => guess.replace(/ \/\/ [\w, ]+$/, '')) };
    });
}

/** What somebody wants: what the right program contains. Below it what they write first, and which client taught them. */
const tasks = blocks(`
makes a client: accessToken | baseUrl
  new SellerClient({ baseUrl: url, auth: token }) // notion, octokit
  new SellerClient({ baseURL: url, accessToken: token }) // openai
  new SellerClient(token, { baseUrl: url }) // stripe
takes a token that changes: accessToken
  new SellerClient({ baseUrl: url, accessToken: async () => token })
  new SellerClient({ baseUrl: url, apiKey: async () => token }) // openai
  new SellerClient({ baseUrl: url, getAccessToken: () => token })
sets a timeout: timeoutMs
  new SellerClient({ baseUrl: url, accessToken: token, timeout: 10_000 }) // openai, stripe
  new SellerClient({ baseUrl: url, accessToken: token, timeoutMs: 10_000 }) // notion
  new SellerClient({ baseUrl: url, accessToken: token, request: { timeout: 1e4 } }) // octokit
sets the number of retries: maxRetries
  new SellerClient({ baseUrl: url, accessToken: token, maxRetries: 3 }) // openai
  new SellerClient({ baseUrl: url, accessToken: token, maxNetworkRetries: 3 }) // stripe
  new SellerClient({ baseUrl: url, accessToken: token, retry: { maxRetries: 3 } }) // notion
sees what is sent: logger
  new SellerClient({ baseUrl: url, accessToken: token, logger: console }) // openai
  new SellerClient({ baseUrl: url, accessToken: token, log: console }) // octokit
  new SellerClient({ baseUrl: url, accessToken: token, logLevel: 'debug' }) // openai, notion
adds a header to every call: headers
  new SellerClient({ baseUrl: url, accessToken: token, headers: { 'x-team': 'a' } })
  new SellerClient({ baseUrl: url, accessToken: token, defaultHeaders: { 'x-team': 'a' } }) // openai
  new SellerClient({ baseUrl: url, accessToken: token, userAgent: 'my-app/1.0' }) // octokit
brings its own fetch: fetch
  new SellerClient({ baseUrl: url, accessToken: token, fetch }) // openai, notion
  new SellerClient({ baseUrl: url, accessToken: token, request: { fetch } }) // octokit
  new SellerClient({ baseUrl: url, accessToken: token, fetch: async (input, init) => fetch(input, init) })
goes through a proxy: agent | fetch
  new SellerClient({ baseUrl: url, accessToken: token, agent: new Agent() }) // notion
  new SellerClient({ baseUrl: url, accessToken: token, httpAgent: new Agent() }) // stripe, openai 4
  new SellerClient({ baseUrl: url, accessToken: token, fetchOptions: { dispatcher: {} } }) // openai 5
lists unanswered questions: filters | seller_id
  seller.questions.list({ seller_id: 1001, status: 'UNANSWERED' }) // stripe, openai
  seller.questions.search({ seller_id: 1001, status: 'UNANSWERED' })
  seller.questions.search({ seller: 1001, filters: { status: 'UNANSWERED' } })
lists questions of an item: search
  seller.questions.list({ item: 'MLA600000001' })
  seller.questions.search({ item: 'MLA600000001' })
  seller.questions.search({ item_id: 'MLA600000001' })
iterates over all questions: for await
  for await (const question of seller.questions.search({ seller_id: 1001 })) console.log(question.id) // stripe, openai
  await seller.questions.search({ seller_id: 1001 }).autoPagingToArray({ limit: 1000 }) // stripe
  await seller.paginate(seller.questions.search, { seller_id: 1001 }) // octokit
collects all questions: toArray | 'esnext'
  const all: Question[] = await seller.questions.search({ seller_id: 1001 }).toArray()
  const all: Question[] = await seller.questions.search({ seller_id: 1001 }).all()
  const all: Question[] = await Array.fromAsync(seller.questions.search({ seller_id: 1001 }))
reads one page: pages
  const page = await seller.questions.search({ seller_id: 1001, limit: 10 }); console.log(page.data) // stripe, openai
  for await (const page of seller.questions.search({ seller_id: 1001 }).iterPages()) console.log(page) // openai
  for await (const page of seller.questions.search({ seller_id: 1001 }).pages()) console.log(page.items)
counts questions: undefined
  const n: number = await seller.questions.search({ seller_id: 1001 }).total()
  const n: number = await seller.questions.count({ seller_id: 1001 })
  const n: number = (await seller.questions.search({ seller_id: 1001 })).total
sorts questions: sort_fields | array
  seller.questions.search({ seller_id: 1001, sort: 'date_created' }) // octokit
  seller.questions.search({ seller_id: 1001, sort_fields: 'date_created', sort_types: 'ASC' })
  seller.questions.search({ seller_id: 1001, sort_fields: ['date_created'], sort_types: ['ASC'] })
reads one question: question_id
  await seller.questions.get({ question_id: 5000000003 }) // octokit
  await seller.questions.retrieve(5000000003) // stripe, openai
  await seller.questions.get(5000000003)
answers a question: question_id
  await seller.questions.answer({ question_id: 5000000003, text: 'Hola' })
  await seller.questions.answer(5000000003, { text: 'Hola' }) // stripe
  await seller.answers.create({ question_id: 5000000003, text: 'Hola' }) // openai
asks a question: item_id
  await seller.questions.create({ item_id: 'MLA600000001', text: 'Hola' }) // stripe, openai, notion
  await seller.questions.ask({ item_id: 'MLA600000001', text: 'Hola' })
  await seller.questions.ask('MLA600000001', 'Hola')
deletes a question: delete
  await seller.questions.delete({ question_id: 5000000003 }) // notion, octokit
  await seller.questions.del(5000000003) // stripe
  await seller.questions.remove({ question_id: 5000000003 })
reads the response time: responseTime
  await seller.questions.responseTime({ user_id: 1001 })
  await seller.questions.getResponseTime({ user_id: 1001 }) // octokit
  await seller.users.responseTime(1001)
blocks a user: blacklist.add
  await seller.questions.blacklist.add({ seller_id: 1001, user_id: 7 })
  await seller.questions.block({ seller_id: 1001, user_id: 7 }) // octokit
  await seller.blacklist.create({ user_id: 7 }) // stripe
reads a conversation: conversation
  seller.messages.list({ pack_id: 2000000000000001, seller_id: 1001 }) // stripe, octokit
  seller.messages.conversation({ pack_id: 2000000000000001, user_id: 1001 })
  seller.conversations.retrieve(2000000000000001) // stripe, openai
reads one message: message_id
  await seller.messages.get({ message_id: 'a1' }) // octokit
  await seller.messages.retrieve('a1') // openai
  await seller.messages.get({ id: 'a1' })
writes to a buyer: user_id
  await seller.messages.send({ pack_id: 2000000000000001, user_id: 1001, to: { user_id: 7 }, text: 'Hola' })
  await seller.messages.send({ pack_id: 2000000000000001, to: 7, text: 'Hola' })
  await seller.messages.create({ pack_id: 2000000000000001, text: 'Hola' }) // stripe, openai, notion
replies to a message: takes a message
  await seller.messages.reply(message, 'Hola')
  await seller.messages.reply(message, { text: 'Hola' })
  await seller.messages.reply({ message_id: message.id, text: 'Hola' }) // octokit
uploads a file: upload
  await seller.messages.upload({ site_id: 'MLA', file: createReadStream('a.pdf') })
  await seller.files.create({ file: createReadStream('a.pdf') }) // openai
  await seller.messages.upload({ site_id: 'MLA', file: new Blob(['a']), filename: 'a.txt' })
downloads a file: download
  await seller.messages.download({ site_id: 'MLA', attachment_id: 'a.pdf' })
  await seller.files.content('a.pdf') // openai
  await seller.messages.downloadAttachment({ attachment_id: 'a.pdf' }) // octokit
sees what is unread: unread
  await seller.messages.unread()
  await seller.messages.listUnread() // octokit
  seller.messages.list({ unread: true }) // stripe
tells errors apart: ApiError
  if (error instanceof ApiError) console.log(error.status, error.code, error.message)
  if (error instanceof APIError) console.log(error.status) // openai
  if (error instanceof SellerClient.APIError) console.log(error.status) // openai
hears of a limit: retryAfterMs | error.headers.get
  if (error instanceof RateLimitError) console.log(error.retryAfterMs)
  if (error instanceof ApiError) console.log(error.headers['retry-after']) // openai, octokit
  if (error instanceof RateLimitError) console.log(error.retryAfter)
reports an error: requestId
  if (error instanceof ApiError) console.log(error.requestId, error.body) // stripe
  if (error instanceof ApiError) console.log(error.requestID) // openai
  if (error instanceof ApiError) console.log(error.response?.data) // octokit
reads headers of a response: withResponse
  const { data, response } = await seller.questions.get({ question_id: 1 }).withResponse(); console.log(data.id, response.headers.get('x-request-id')) // openai
  const response = await seller.questions.get({ question_id: 1 }).asResponse(); console.log(response.status) // openai
  const question = await seller.questions.get({ question_id: 1 }); console.log(question.lastResponse.headers) // stripe
aborts a call: second argument
  await seller.questions.get({ question_id: 1 }, { signal }) // openai
  await seller.questions.get({ question_id: 1, signal })
  await seller.questions.get({ question_id: 1, request: { signal } }) // octokit
sets options of one call: timeoutMs
  await seller.questions.get({ question_id: 1 }, { timeout: 5_000, maxRetries: 0 }) // openai, stripe
  await seller.questions.get({ question_id: 1 }, { headers: { 'x-a': 'b' } }) // openai
  await seller.withOptions({ maxRetries: 0 }).questions.get({ question_id: 1 }) // openai
calls for another seller: accessToken
  await seller.questions.get({ question_id: 1 }, { accessToken: token })
  await seller.questions.get({ question_id: 1 }, { apiKey: token }) // stripe
  await seller.questions.get({ question_id: 1, auth: token }) // notion
reaches the rest of the API: takes a method and a path
  await seller.request('GET /orders/{order_id}', { order_id: 1 }) // octokit
  await seller.get('/orders/1') // openai
  await seller.request({ method: 'GET', path: '/orders/1' }) // notion
reads a webhook: parseNotification
  const notification = parseNotification(body); console.log(notification.topic, notification.resource)
  const event = seller.webhooks.constructEvent(body, 'signature', 'secret') // stripe
  const event = await seller.webhooks.unwrap(body) // openai
handles webhooks: \`on\`
  createInbox({ clientFor: () => seller, handlers: { questions: async (event) => console.log(event) } })
  createInbox({ clientFor: () => seller }).on('questions', async (event) => console.log(event)) // octokit
  createInbox({ clientFor: () => seller, onQuestion: async (question: Question) => console.log(question.id) })
gets tokens: tokenUrl
  createOAuth({ baseUrl: url, clientId: '1', clientSecret: 's', redirectUri: url })
  await createOAuth({ baseUrl: url, clientId: '1', clientSecret: 's', redirectUri: url }).exchange(code)
  await createOAuth({ baseUrl: url, clientId: '1', clientSecret: 's', redirectUri: url }).token({ grant_type: 'refresh_token', refresh_token: token }) // notion, stripe
names a type: Question
  import type { Question, Message } from 'marketplace-seller-sdk'
  import type { ClientOptions } from 'marketplace-seller-sdk' // openai, notion
  type Q = SellerClient.Question // stripe, openai
`);

/** The guesses that nobody corrects, below the reason. An alias would be a second name for one thing. */
const untold = blocks(`
the service calls its lists search and conversation; the editor shows these after the dot
  seller.questions.list({ seller_id: 1001, status: 'UNANSWERED' })
  seller.questions.list({ item: 'MLA600000001' })
  seller.messages.list({ pack_id: 2000000000000001, seller_id: 1001 })
  seller.messages.list({ unread: true })
  await seller.messages.listUnread()
a method is named by what the service does: get, ask, send, delete
  await seller.questions.retrieve(5000000003)
  await seller.questions.create({ item_id: 'MLA600000001', text: 'Hola' })
  await seller.questions.del(5000000003)
  await seller.questions.remove({ question_id: 5000000003 })
  await seller.messages.retrieve('a1')
  await seller.messages.create({ pack_id: 2000000000000001, text: 'Hola' })
  await seller.messages.downloadAttachment({ attachment_id: 'a.pdf' })
the resources are those of the reference: answers and the blacklist belong to questions, files to messages
  await seller.answers.create({ question_id: 5000000003, text: 'Hola' })
  await seller.users.responseTime(1001)
  await seller.questions.block({ seller_id: 1001, user_id: 7 })
  await seller.blacklist.create({ user_id: 7 })
  seller.conversations.retrieve(2000000000000001)
  await seller.files.create({ file: createReadStream('a.pdf') })
  await seller.files.content('a.pdf')
the editor offers \`toArray\`, \`pages\` and \`total\` of a list after the dot
  await seller.questions.search({ seller_id: 1001 }).autoPagingToArray({ limit: 1000 })
  await seller.paginate(seller.questions.search, { seller_id: 1001 })
  const all: Question[] = await seller.questions.search({ seller_id: 1001 }).all()
  const page = await seller.questions.search({ seller_id: 1001, limit: 10 }); console.log(page.data)
  for await (const page of seller.questions.search({ seller_id: 1001 }).iterPages()) console.log(page)
  const n: number = await seller.questions.count({ seller_id: 1001 })
errors and types are exports: members of the client would be in every bundle
  if (error instanceof SellerClient.APIError) console.log(error.status)
  type Q = SellerClient.Question
a response is that of \`withResponse()\`, and an error has its body itself
  if (error instanceof ApiError) console.log(error.response?.data)
  const response = await seller.questions.get({ question_id: 1 }).asResponse(); console.log(response.status)
  const question = await seller.questions.get({ question_id: 1 }); console.log(question.lastResponse.headers)
\`request\` of Octokit holds what are options of the call
  await seller.questions.get({ question_id: 1, request: { signal } })
the rest of the API is \`request\` with a method
  await seller.get('/orders/1')
notifications are not signed, so there is nothing to unwrap: \`parseNotification\`, or an inbox
  const event = seller.webhooks.constructEvent(body, 'signature', 'secret')
  const event = await seller.webhooks.unwrap(body)
`);

const root = join(import.meta.dirname, '..');
const guesses = tasks.flatMap(({ head, guesses: all }) => {
  const right = head.slice(head.indexOf(': ') + 2).split(' | ');
  return all.map((code) => ({ code, right }));
});

/** A program imports what it names, right or wrong. */
function snippetOf(guess: string, code = guess): Snippet {
  const from = "from 'marketplace-seller-sdk';";
  const wrong = /(?<!\.)APIError/.test(guess) ? `import { APIError } ${from}` : '';
  const isWhole = guess.startsWith('import');
  return { at: guess, code: isWhole ? code : `import type { Question } ${from} ${wrong}\n${code};`, marks: [] };
}

const given = {
  ...(Object.assign(
    {},
    ...Object.entries(entries).map(([name, module]) =>
      Object.fromEntries(Object.keys(module).map((each) => [each, `typeof import('${name}').${each}`])),
    ),
  ) as Record<string, string>),
  seller: "import('marketplace-seller-sdk').SellerClient",
  message: "import('marketplace-seller-sdk').Message",
  error: 'unknown',
  signal: 'AbortSignal',
  token: 'string',
  url: 'string',
  body: 'string',
  code: 'string',
  Agent: "typeof import('node:https').Agent",
  createReadStream: "typeof import('node:fs').createReadStream",
};

function names(text: string, right: readonly string[]): boolean {
  return right.some((each) => new RegExp(`(?<!\\w)${each.replace(/[^\w ]/g, '\\$&')}(?!\\w)`).test(text));
}

/** What an error of this package says of a guess as a program without types runs it; nothing if there is none. */
async function saidOf(code: string): Promise<string> {
  const { sellerClient: seller } = stubbed([Response.json({ id: 1 })]);
  const values = { seller, Agent, createReadStream, token: 'token-1', url: 'https://api.test', body: '{}', code: 'c' };
  const everything = Object.assign({}, ...Object.values(entries)) as Record<string, unknown>;
  const all = {
    ...everything,
    ...values,
    signal: new AbortController().signal,
    message: { id: 'a1' },
    error: undefined,
  };
  // A list sends nothing before it is read.
  const run = code.startsWith('seller.') ? `await (${code}).first()` : code;
  const failed: unknown = await runSnippet(snippetOf(code, run), entries, all).catch((error: unknown) => error);
  return failed instanceof SellerError ? failed.message : '';
}

test('of 120 guesses at 40 tasks, seven of ten compile or are told what to write', async () => {
  const printed = await typeErrors(
    root,
    guesses.map(({ code }) => snippetOf(code)),
    () => given,
  );
  for (const method of ['log', 'warn'] as const) vi.spyOn(console, method).mockImplementation(() => undefined);
  const left: string[] = [];
  let compiled = 0;
  for (const { code, right } of guesses) {
    const said = printed.filter((each) => each.startsWith(`${code}, line `)).map((each) => each.slice(code.length));
    if (said.length === 0) compiled += 1;
    else if (!names(said.join('\n'), right) && !names(await saidOf(code), right)) left.push(code);
  }
  expect(tasks).toHaveLength(40);
  expect(guesses).toHaveLength(120);
  expect(left.toSorted()).toEqual(untold.flatMap(({ guesses: all }) => all).toSorted());
  expect(compiled).toBeGreaterThanOrEqual(40);
  expect(1 - left.length / guesses.length).toBeGreaterThanOrEqual(0.7);
});
