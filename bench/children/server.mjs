// Answers everything with one JSON body: a question, or with `page` in the path a page of fifty.
import { createServer } from 'node:http';

const question = {
  id: 42,
  ok: true,
  seller_id: 7,
  item_id: 'MLA1234567',
  text: `Is there stock of the blue one? ${'I would like to buy it today. '.repeat(20)}`,
  status: 'ANSWERED',
  date_created: '2026-01-01T00:00:00.000Z',
  deleted_from_listing: false,
  hold: false,
  from: { id: 9, answered_questions: 3 },
  answer: { text: 'Yes, there is.', status: 'ACTIVE', date_created: '2026-01-01T01:00:00.000Z' },
};
const one = JSON.stringify(question);
const fifty = JSON.stringify({
  total: 50,
  limit: 50,
  questions: Array.from({ length: 50 }, (_, id) => ({ ...question, id })),
});

const server = createServer((request, response) => {
  request.resume();
  response.setHeader('content-type', 'application/json');
  response.end(request.url?.includes('/search') ? fifty : one);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' && address ? address.port : 0);
});
process.on('disconnect', () => process.exit());
