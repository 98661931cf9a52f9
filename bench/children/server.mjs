// Answers everything with one JSON body: a question, or with `search` in the path a page of fifty; gzipped where the path
// begins so. Over HTTP and HTTPS; it sends both ports to its parent.
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { gzipSync } from 'node:zlib';
import { certificate } from '../../tests/support/certificate.ts';

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

const zipped = new Map([one, fifty].map((body) => [body, gzipSync(body)]));

/** @type {import('node:http').RequestListener} */
const respond = (request, response) => {
  request.resume();
  const body = request.url?.includes('/search') ? fifty : one;
  response.setHeader('content-type', 'application/json');
  if (!request.url?.startsWith('/gzip')) {
    response.end(body);
    return;
  }
  response.setHeader('content-encoding', 'gzip');
  response.end(zipped.get(body));
};

const servers = [createServer(respond), createSecureServer(certificate, respond)];
const ports = servers.map((server) => {
  server.keepAliveTimeout = 60_000;
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
});
process.send?.(await Promise.all(ports));
process.on('disconnect', () => process.exit());
