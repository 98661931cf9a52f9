import { fork } from 'node:child_process';
import { Agent, request as httpRequest } from 'node:http';
import { createRandom } from '../../src/testing/random.ts';
import { inParallel, pause } from './workload.ts';
import type { Scale, Subject } from './workload.ts';

/** Sends one write; rejects where its outcome is unknown. */
type Write = (url: string) => Promise<unknown>;

/**
 * How many of the writes to a service that closes idle connections after 5 ms end as unknown. The writes of each of eight
 * loops are 4 to 6 ms apart, so that many meet the end of their connection.
 */
export async function unknownOutcomes(how: 'close' | 'reset', write: Write, { count, seed }: Scale): Promise<number> {
  const random = createRandom(seed);
  const service = fork(new URL('closing-server.ts', import.meta.url), [how]);
  const port = await new Promise<unknown>((resolve) => service.once('message', resolve));
  let unknown = 0;
  await inParallel(count, 8, async () => {
    await pause(4 + random() * 2);
    await write(`http://127.0.0.1:${String(port)}`).catch(() => (unknown += 1));
  });
  service.disconnect();
  return unknown;
}

/** A write of this library. What was never sent is retried, and does not count. */
export function ofLibrary({ library, transport }: Subject): Write {
  const clients = new Map<string, InstanceType<typeof library.SellerClient>>();
  return (baseUrl) => {
    const seller = clients.get(baseUrl) ?? new library.SellerClient({ baseUrl, accessToken: 'token-1', ...transport });
    clients.set(baseUrl, seller);
    return seller.questions.answer({ question_id: 42, text: 'Yes.' }).catch((error: unknown) => {
      // What was never sent is retried, and this service closes no connection that it accepts.
      if (!(error instanceof library.OutcomeUnknownError)) process.emitWarning(String(error));
      throw error;
    });
  };
}

const body = JSON.stringify({ question_id: 42, text: 'Yes.' });

/** The platform's fetch, which is undici: what it rejects with does not tell whether the write was sent. */
export const ofFetch: Write = async (url) => {
  const response = await fetch(`${url}/answers`, { method: 'POST', body });
  await response.text();
};

/** Plain `node:http` with connections that are kept. */
export function ofNode(): Write {
  const agent = new Agent({ keepAlive: true });
  return (url) =>
    new Promise((resolve, reject) => {
      const request = httpRequest(`${url}/answers`, { method: 'POST', agent }, (response) => {
        response.on('error', reject).on('end', resolve).resume();
      });
      request.on('error', reject).end(body);
    });
}
