import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { json, serve, success } from './service.ts';
import type { Respond, Service } from './service.ts';
import { token } from './subjects.mjs';

/** What is called of a library. */
export interface Calls {
  readonly read: (options?: { signal?: AbortSignal }) => Promise<unknown>;
  readonly write?: () => Promise<unknown>;
  readonly readId?: (id: string) => Promise<unknown>;
  readonly takesSignal?: boolean;
}

/** The form in which a vendor's service responds with an error. */
export interface Vendor {
  readonly errorBody: (status: number) => unknown;
  readonly rateLimitHeaders?: Record<string, string>;
  readonly hasNoTimeout?: boolean;
  /** Its service has ids that are integers, so that one beyond 2^53 can come. */
  readonly hasIntegerIds?: boolean;
  /** Its documentation says that it checks the shape of a response. */
  readonly checksResponses?: boolean;
}

/** Whether a library passes, and what was observed. `holds` is absent when the library has no such feature. */
export interface Verdict {
  readonly holds?: boolean;
  readonly seen: string;
}

export interface Scenario {
  readonly name: string;
  /** Whose documentation promises it, in the order of the table. A scenario is one such promise. */
  readonly promisedBy: string;
  /** Plays it with the retries turned off: it is about one attempt. */
  readonly retries?: 0;
  /** Plays it with one library at a time, three times: its figures depend on the load. */
  readonly isMeasured?: true;
  /** How the service responds; each library has its own service. */
  readonly respond: (vendor: Vendor) => Respond;
  readonly play: (calls: Calls, service: Service, vendor: Vendor, makeEach: MakeEach) => Promise<Verdict>;
}

/** Makes a client for each of these tokens, as an application with many users does. */
export type MakeEach = (keys: string[]) => Calls[];

const noSignal: Verdict = { seen: 'takes no signal' };

/** The result of a call within a time, in milliseconds. */
async function outcome(
  call: Promise<unknown>,
  withinMs: number,
): Promise<{ ms: number; value?: unknown; error?: unknown; isOpen: boolean }> {
  const start = performance.now();
  const ended = call.then(
    (value) => ({ value, isOpen: false }),
    (error: unknown) => ({ error, isOpen: false }),
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<{ isOpen: boolean }>((resolve) => {
    timer = setTimeout(() => resolve({ isOpen: true }), withinMs);
  });
  const result = await Promise.race([ended, late]);
  clearTimeout(timer);
  return { ...result, ms: Math.round(performance.now() - start) };
}

function times(count: number): string {
  return count === 1 ? 'sent once' : `sent ${count} times`;
}

/** A write is watched for a while, because a retry may come late. */
async function sentOnce(calls: Calls, service: Service): Promise<Verdict> {
  if (!calls.write) return { seen: 'no write' };
  await outcome(calls.write(), 16_000);
  const { length } = service.seen;
  const keys = new Set(
    service.seen.map(({ headers }) => String(headers['idempotency-key'] ?? headers['x-idempotency-key'])),
  );
  const isKeyed = keys.size === 1 && !keys.has('undefined');
  return {
    holds: length === 1 || isKeyed,
    seen: `${times(length)}${length > 1 && isKeyed ? ', under one idempotency key' : ''}`,
  };
}

/** The first request fails in this way, the others succeed. */
function failsOnce(fail: Respond): Respond {
  return (request, response, turn) => (turn === 1 ? fail(request, response, turn) : json(response, 200, success));
}

async function succeeds(call: (() => Promise<unknown>) | undefined): Promise<Verdict> {
  if (!call) return { seen: 'no write' };
  const { error, isOpen } = await outcome(call(), 20_000);
  const holds = error === undefined && !isOpen;
  return { holds, seen: holds ? 'succeeds' : isOpen ? 'not done after 20 s' : 'an error' };
}

export const scenarios: readonly Scenario[] = [
  {
    name: 'the timeout ends a body that stalls',
    promisedBy: 'Stripe, OpenAI, Anthropic, Notion, Slack, MercadoPago',
    respond: () => (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"id":');
    },
    play: async ({ read }, _, { hasNoTimeout }) => {
      if (hasNoTimeout) return { seen: 'no timeout option' };
      const { isOpen, ms } = await outcome(read(), 8000);
      return { holds: !isOpen, seen: isOpen ? 'hangs' : `ends after ${(ms / 1000).toFixed(1)} s` };
    },
  },
  {
    name: 'an abort ends a wait for `Retry-After` at once',
    promisedBy: 'this library',
    respond:
      ({ errorBody }) =>
      (_, response) =>
        json(response, 429, errorBody(429), { 'retry-after': '3' }),
    play: async ({ read, takesSignal }) => {
      if (!takesSignal) return noSignal;
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 300);
      const { ms, isOpen } = await outcome(read({ signal: controller.signal }), 8000);
      if (ms < 290) return { seen: 'does not wait' };
      return { holds: !isOpen && ms < 600, seen: isOpen ? 'goes on' : `ends after ${ms - 300} ms` };
    },
  },
  {
    name: 'a `Retry-After` of one hour is reported: not slept, not ignored',
    promisedBy: 'this library',
    respond:
      ({ errorBody }) =>
      (_, response) =>
        json(response, 429, errorBody(429), { 'retry-after': '3600' }),
    play: async ({ read }, service) => {
      const { isOpen } = await outcome(read(), 6000);
      const { length } = service.seen;
      return { holds: !isOpen && length === 1, seen: isOpen && length === 1 ? 'sleeps' : times(length) };
    },
  },
  {
    name: 'a write answered 503 is sent once',
    promisedBy: 'this library, Notion; Stripe and MercadoPago by a key',
    respond:
      ({ errorBody }) =>
      (_, response) =>
        json(response, 503, errorBody(503)),
    play: sentOnce,
  },
  {
    name: 'a write after one 503 succeeds',
    promisedBy: 'Stripe, OpenAI, Anthropic, Octokit, Slack, MercadoPago',
    respond: ({ errorBody }) => failsOnce((_, response) => json(response, 503, errorBody(503))),
    play: ({ write }) => succeeds(write),
  },
  {
    name: 'a write whose connection breaks after it was read is sent once',
    promisedBy: 'this library, Notion; Stripe and MercadoPago by a key',
    respond: () => (request) => request.socket.destroy(),
    play: sentOnce,
  },
  {
    name: 'a write after one 500 succeeds',
    promisedBy: 'Stripe, OpenAI, Anthropic, Octokit, Slack, MercadoPago',
    respond: ({ errorBody }) => failsOnce((_, response) => json(response, 500, errorBody(500))),
    play: ({ write }) => succeeds(write),
  },
  {
    name: 'a write after one broken connection succeeds',
    promisedBy: 'Stripe, OpenAI, Anthropic, Slack',
    respond: () => failsOnce((request) => request.socket.destroy()),
    play: ({ write }) => succeeds(write),
  },
  {
    name: 'a write after one 529 succeeds',
    promisedBy: 'OpenAI, Anthropic, Octokit, Notion',
    respond: ({ errorBody }) => failsOnce((_, response) => json(response, 529, errorBody(529))),
    play: ({ write }) => succeeds(write),
  },
  {
    name: 'a write after one 409 succeeds',
    promisedBy: 'OpenAI, Anthropic, Octokit',
    respond: ({ errorBody }) => failsOnce((_, response) => json(response, 409, errorBody(409))),
    play: ({ write }) => succeeds(write),
  },
  {
    name: 'a write after one 408 succeeds',
    promisedBy: 'OpenAI, Anthropic, Octokit',
    respond: ({ errorBody }) => failsOnce((_, response) => json(response, 408, errorBody(408))),
    play: ({ write }) => succeeds(write),
  },
  {
    name: 'a write after one timeout succeeds',
    promisedBy: 'OpenAI, Anthropic',
    respond: () => failsOnce(() => undefined),
    play: ({ write }, _, { hasNoTimeout }) =>
      hasNoTimeout ? Promise.resolve({ seen: 'no timeout option' }) : succeeds(write),
  },
  {
    name: 'a read after one 503 succeeds',
    promisedBy: 'all but Resend',
    respond: ({ errorBody }) => failsOnce((_, response) => json(response, 503, errorBody(503))),
    play: ({ read }) => succeeds(read),
  },
  {
    name: 'a read after one 429 with `Retry-After: 1` succeeds',
    promisedBy: 'all but Resend',
    respond: ({ errorBody }) => failsOnce((_, response) => json(response, 429, errorBody(429), { 'retry-after': '1' })),
    play: ({ read }) => succeeds(read),
  },
  {
    name: 'an HTML page with status 502 keeps its status (retries off)',
    promisedBy: 'all',
    retries: 0,
    respond: () => (_, response) => {
      response.writeHead(502, { 'content-type': 'text/html' });
      response.end('<html><h1>Bad gateway</h1></html>');
    },
    play: async ({ read }) => {
      const { error, isOpen } = await outcome(read(), 8000);
      const { status, statusCode } = (error ?? {}) as { status?: unknown; statusCode?: unknown };
      const holds = status === 502 || statusCode === 502;
      return { holds, seen: isOpen ? 'keeps retrying' : holds ? 'keeps it' : 'loses it' };
    },
  },
  {
    name: 'a network fault keeps its code (retries off)',
    promisedBy: 'OpenAI, Anthropic',
    retries: 0,
    respond: () => (request) => request.socket.destroy(),
    play: async ({ read }) => {
      const { error, isOpen } = await outcome(read(), 8000);
      const codes: unknown[] = [];
      for (let at = error, depth = 0; typeof at === 'object' && at !== null && depth < 5; depth += 1) {
        const { code, cause, original, detail, __cause__: hidden } = at as Record<string, unknown>;
        codes.push(code);
        at = cause ?? original ?? detail ?? hidden;
      }
      const found = codes
        .filter((code) => typeof code === 'string')
        .find((code) => /ECONNRESET|UND_ERR_SOCKET|EPIPE/.test(code));
      return { holds: found !== undefined, seen: isOpen ? 'keeps retrying' : (found ?? 'loses it') };
    },
  },
  {
    name: 'an id of `../admin` does not change the path',
    promisedBy: 'this library, OpenAI, Anthropic',
    respond: () => (_, response) => json(response, 200, success),
    play: async ({ readId }, service) => {
      if (!readId) return { seen: 'sends ids in the body' };
      await outcome(readId('../admin'), 4000);
      const [first] = service.seen;
      if (first === undefined) return { holds: true, seen: 'not sent' };
      const isOut = first.path.endsWith('/admin');
      return { holds: !isOut, seen: isOut ? `calls ${first.path}` : 'stays in its place' };
    },
  },
  {
    name: 'a response of another shape to a read is detected',
    promisedBy: 'this library',
    respond: () => (_, response) => json(response, 200, ['nonsense']),
    play: async ({ read }, _, { checksResponses }) => {
      if (!checksResponses) return { seen: 'promises no check' };
      const { error } = await outcome(read(), 6000);
      return { holds: error !== undefined, seen: error === undefined ? 'delivered as it came' : 'an error' };
    },
  },
  {
    name: 'an integer beyond 2^53 is not rounded',
    promisedBy: 'this library',
    respond: () => (_, response) =>
      json(response, 200, JSON.stringify({ ...success, pack: 0 }).replace('"pack":0', '"pack":9007199254740993')),
    play: async ({ read }, _, { hasIntegerIds }) => {
      if (!hasIntegerIds) return { seen: 'has no such ids' };
      const { value } = await outcome(read(), 6000);
      const holds = inspect(value, { depth: 6 }).includes('9007199254740993');
      return { holds, seen: holds ? 'exact' : 'rounded' };
    },
  },
  {
    name: 'the token is in no error that is printed',
    promisedBy: 'this library',
    respond:
      ({ errorBody }) =>
      (_, response) =>
        json(response, 400, errorBody(400)),
    play: async ({ read }) => {
      const { error } = await outcome(read(), 6000);
      const holds = !inspect(error, { depth: 10, showHidden: true }).includes(token);
      return { holds, seen: holds ? 'hidden' : 'printed' };
    },
  },
  {
    name: 'a redirect carries the token to no other host',
    promisedBy: 'this library',
    respond: () => (request, response) => {
      // `localhost` and `127.0.0.1` are one machine and two hosts.
      const elsewhere = `http://localhost:${request.socket.localPort ?? 0}/elsewhere`;
      if (request.url === '/elsewhere') json(response, 200, success);
      else json(response, 307, {}, { location: elsewhere });
    },
    play: async ({ read }, service) => {
      await outcome(read(), 6000);
      const followed = service.seen.find(({ path }) => path === '/elsewhere');
      const hasToken = JSON.stringify(followed?.headers ?? {}).includes(token);
      return {
        holds: !hasToken,
        seen: followed === undefined ? 'not followed' : hasToken ? 'the other host has it' : 'followed without it',
      };
    },
  },
  {
    name: 'sixty calls leave no listener on their signal, after a garbage collection',
    promisedBy: 'this library',
    respond: () => (_, response) => json(response, 200, success),
    play: async ({ read, takesSignal }) => {
      if (!takesSignal) return noSignal;
      const { signal } = new AbortController();
      for (let call = 0; call < 60; call += 1) await outcome(read({ signal }), 4000);
      for (let round = 0; round < 5; round += 1) await collectGarbage();
      const { length } = getEventListeners(signal, 'abort');
      return { holds: length === 0, seen: `${length} left` };
    },
  },
  {
    name: 'sixty calls at once against ten per second all succeed',
    promisedBy: 'this library, Octokit, Slack',
    isMeasured: true,
    respond: (vendor) => limited(10, vendor),
    play: ({ read }, service) => sixtyAtOnce(() => read(), service),
  },
  {
    name: 'sixty calls at once with twenty tokens, against ten per second for all of them, all succeed',
    promisedBy: 'this library, Octokit, Slack',
    isMeasured: true,
    respond: (vendor) => limited(10, vendor),
    play: (_, service, _vendor, makeEach) => {
      const clients = makeEach(Array.from({ length: 20 }, (_, index) => `${token}${index}`));
      return sixtyAtOnce(async (index) => clients[index % clients.length]?.read(), service);
    },
  },
];

async function sixtyAtOnce(read: (index: number) => Promise<unknown>, service: Service): Promise<Verdict> {
  const { value } = await outcome(Promise.allSettled(Array.from({ length: 60 }, (_, index) => read(index))), 40_000);
  const results = (value ?? []) as PromiseSettledResult<unknown>[];
  const succeeded = results.filter(({ status }) => status === 'fulfilled').length;
  const perCall = service.seen.length / 60;
  return {
    holds: succeeded === 60,
    seen: value === undefined ? 'not done after 40 s' : `${succeeded} of 60, ${perCall.toFixed(2)} requests per call`,
  };
}

/** Accepts a number of requests per second; the rest get 429. */
function limited(perSecond: number, { errorBody, rateLimitHeaders }: Vendor): Respond {
  let taken: number[] = [];
  return (_, response) => {
    const now = performance.now();
    taken = taken.filter((at) => now - at < 1000);
    if (taken.length >= perSecond) {
      json(response, 429, errorBody(429), rateLimitHeaders);
      return;
    }
    taken.push(now);
    json(response, 200, success);
  };
}

/** Collects garbage, and lets finalizers run; `npm run bench:faults` exposes `gc`. */
async function collectGarbage(): Promise<void> {
  globalThis.gc?.();
  await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Plays one scenario with one library. */
export async function play(
  scenario: Scenario,
  vendor: Vendor,
  make: (baseUrl: string, options: { retries?: 0 }) => Calls,
  makeEach: (baseUrl: string, keys: string[]) => Calls[],
): Promise<Verdict> {
  const service = await serve(scenario.respond(vendor));
  try {
    const options = scenario.retries === undefined ? {} : { retries: scenario.retries };
    return await scenario.play(make(service.url, options), service, vendor, (keys) => makeEach(service.url, keys));
  } finally {
    await service.close();
  }
}
