import { SellerClient } from 'marketplace-seller-sdk';
import type { ClientOptions, FetchInit, SellerError } from 'marketplace-seller-sdk';
import { onTestFinished } from 'vitest';
import { listen } from '../../src/testing/server.js';

/** What a stubbed `fetch` does at its nth call. */
export type Step = Response | Error | ((request: Request, turn: number) => Response | Promise<Response>);

/** A client over a `fetch` that goes through the steps, the last one for ever; `sent` is what was asked. */
export function stubbed(
  steps: readonly Step[],
  options: Partial<ClientOptions> = {},
): { sellerClient: SellerClient; sent: Request[] } {
  const { respond, sent } = serviceOf(steps);
  const [baseUrl, fetch] = ['https://api.test', receiving(respond)];
  return { sent, sellerClient: new SellerClient({ baseUrl, accessToken: 'token-1', fetch, ...options }) };
}

/** The same over `node:http`: a server goes through the steps, until the test is over. */
async function served(
  steps: readonly Step[],
  options: Partial<ClientOptions> = {},
): Promise<ReturnType<typeof stubbed>> {
  const { respond, sent } = serviceOf(steps);
  const { url: baseUrl, close } = await listen(respond, {});
  onTestFinished(close);
  return { sent, sellerClient: new SellerClient({ baseUrl, accessToken: 'token-1', ...options }) };
}

/** For `describe.each`: how a client of a stubbed service is created for each transport. */
export const eachTransport: readonly (readonly [name: string, create: typeof served])[] = [
  ['fetch', async (steps, options) => stubbed(steps, options)],
  ['node:http', served],
];

/** A `fetch` that receives each request as a service does: whole. */
export function receiving(respond: (request: Request) => Response | Promise<Response>): ClientFetch {
  return async (url, init) => respond(new Request(url, init));
}

type ClientFetch = (url: string, init: FetchInit) => Promise<Response>;

function serviceOf(steps: readonly Step[]): { respond: (request: Request) => Promise<Response>; sent: Request[] } {
  const sent: Request[] = [];
  const respond = async (request: Request): Promise<Response> => {
    sent.push(request.clone());
    const step = steps[Math.min(sent.length, steps.length) - 1]!;
    if (step instanceof Error) throw step;
    return asAsked(request, typeof step === 'function' ? await step(request, sent.length) : step.clone());
  };
  return { respond, sent };
}

/** What a call rejects with. */
export async function errorOf<E extends SellerError>(call: PromiseLike<unknown>): Promise<E> {
  return call.then(
    (value) => {
      throw new Error(`the call should have been rejected, and delivered ${JSON.stringify(value)}`);
    },
    (error: unknown) => error as E,
  );
}

/** A network fault as the platform's `fetch` rejects with it. */
export function networkFault(code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`read ${code}`), { code }) });
}

/** A question as the service sends it. */
export const wireQuestion = { id: 42, status: 'UNANSWERED', text: 'Hay stock?', item_id: 'MLA1', seller_id: 7 };

/** A response with `wireQuestion` to a request for another question, as the service sends it: with the id of that one. */
export async function asAsked({ url }: Request, response: Response): Promise<Response> {
  const id = /\/questions\/(\d+)$/.exec(url)?.[1];
  const { headers, status } = response;
  if (id === undefined || status !== 200 || headers.get('content-type') !== 'application/json') return response;
  const text = await response.clone().text();
  if (text !== JSON.stringify(wireQuestion)) return response;
  return new Response(JSON.stringify({ ...wireQuestion, id: Number(id) }), { headers });
}
