import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { json, serve, success } from './service.ts';
import type { Manner, Service } from './service.ts';
import { token } from './subjects.mjs';

/** What is called of a library. */
export interface Calls {
  readonly read: (options?: { signal?: AbortSignal }) => Promise<unknown>;
  readonly write?: () => Promise<unknown>;
  readonly readId?: (id: string) => Promise<unknown>;
  readonly takesSignal?: boolean;
}

/** Whether a library holds, and what was seen. `holds` is absent where it has no such thing. */
export interface Verdict {
  readonly holds?: boolean;
  readonly seen: string;
}

export interface Scenario {
  readonly name: string;
  /** How the service behaves; each library has a service of its own. */
  readonly manner: () => Manner;
  readonly play: (calls: Calls, service: Service) => Promise<Verdict>;
}

const missing: Verdict = { seen: 'has no such thing' };

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

/** A write is watched for a while: a repeat may come late. */
async function sentOnce(calls: Calls, service: Service): Promise<Verdict> {
  if (!calls.write) return missing;
  await outcome(calls.write(), 4000);
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

export const scenarios: readonly Scenario[] = [
  {
    name: 'a body that stalls is ended by the timeout',
    manner: () => (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"id":');
    },
    play: async ({ read }) => {
      const { isOpen, ms } = await outcome(read(), 8000);
      return { holds: !isOpen, seen: isOpen ? 'hangs' : `ends after ${(ms / 1000).toFixed(1)} s` };
    },
  },
  {
    name: 'an abort wins at once while it waits for `Retry-After`',
    manner: () => (_, response) => json(response, 429, { error: {} }, { 'retry-after': '3' }),
    play: async ({ read, takesSignal }) => {
      if (!takesSignal) return missing;
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 300);
      const { ms, isOpen } = await outcome(read({ signal: controller.signal }), 8000);
      if (ms < 290) return { seen: 'does not wait' };
      return { holds: !isOpen && ms < 600, seen: isOpen ? 'goes on' : `ends after ${ms - 300} ms` };
    },
  },
  {
    name: 'an hour of `Retry-After` is told, not slept, and not ignored',
    manner: () => (_, response) => json(response, 429, { error: {} }, { 'retry-after': '3600' }),
    play: async ({ read }, service) => {
      const { isOpen } = await outcome(read(), 6000);
      const { length } = service.seen;
      return { holds: !isOpen && length === 1, seen: isOpen && length === 1 ? 'sleeps' : times(length) };
    },
  },
  {
    name: 'a write answered 503 is sent once',
    manner: () => (_, response) => json(response, 503, { error: { message: 'no' } }),
    play: sentOnce,
  },
  {
    name: 'a write whose connection breaks after it was read is sent once',
    manner: () => (request) => request.socket.destroy(),
    play: sentOnce,
  },
  {
    name: 'an HTML page with status 502 keeps its status',
    manner: () => (_, response) => {
      response.writeHead(502, { 'content-type': 'text/html' });
      response.end('<html><h1>Bad gateway</h1></html>');
    },
    play: async ({ read }) => {
      const { error, isOpen } = await outcome(read(), 8000);
      const { status, statusCode } = (error ?? {}) as { status?: unknown; statusCode?: unknown };
      const holds = status === 502 || statusCode === 502;
      return { holds, seen: isOpen ? 'goes on repeating' : holds ? 'keeps it' : 'loses it' };
    },
  },
  {
    name: 'a network fault keeps its code',
    manner: () => (request) => request.socket.destroy(),
    play: async ({ read }) => {
      const { error, isOpen } = await outcome(read(), 8000);
      const codes: unknown[] = [];
      for (let at = error, depth = 0; typeof at === 'object' && at !== null && depth < 5; depth += 1) {
        const { code, cause, original, detail } = at as Record<string, unknown>;
        codes.push(code);
        at = cause ?? original ?? detail;
      }
      const found = codes
        .filter((code) => typeof code === 'string')
        .find((code) => /ECONNRESET|UND_ERR_SOCKET|EPIPE/.test(code));
      return { holds: found !== undefined, seen: isOpen ? 'goes on repeating' : (found ?? 'loses it') };
    },
  },
  {
    name: 'an id of `../admin` changes no path',
    manner: () => (_, response) => json(response, 200, success),
    play: async ({ readId }, service) => {
      if (!readId) return missing;
      await outcome(readId('../admin'), 4000);
      const [first] = service.seen;
      if (first === undefined) return { holds: true, seen: 'not sent' };
      const isOut = first.path.endsWith('/admin');
      return { holds: !isOut, seen: isOut ? `calls ${first.path}` : 'stays in its place' };
    },
  },
  {
    name: 'an answer of another shape is noticed',
    manner: () => (_, response) => json(response, 200, ['nonsense']),
    play: async ({ read }) => {
      const { error } = await outcome(read(), 6000);
      return { holds: error !== undefined, seen: error === undefined ? 'delivered as if it were right' : 'an error' };
    },
  },
  {
    name: 'an integer beyond 2^53 is not rounded',
    manner: () => (_, response) =>
      json(response, 200, JSON.stringify({ ...success, pack: 0 }).replace('"pack":0', '"pack":9007199254740993')),
    play: async ({ read }) => {
      const { value } = await outcome(read(), 6000);
      const holds = inspect(value, { depth: 6 }).includes('9007199254740993');
      return { holds, seen: holds ? 'exact' : 'rounded' };
    },
  },
  {
    name: 'the token is in no error that is printed',
    manner: () => (_, response) => json(response, 400, { error: { message: 'no' }, message: 'no' }),
    play: async ({ read }) => {
      const { error } = await outcome(read(), 6000);
      const holds = !inspect(error, { depth: 10, showHidden: true }).includes(token);
      return { holds, seen: holds ? 'hidden' : 'printed' };
    },
  },
  {
    name: 'a redirect carries the token to no other host',
    manner: () => (request, response) => {
      // `localhost` and `127.0.0.1` are one machine and two hosts.
      const elsewhere = `http://localhost:${request.socket.localPort ?? 0}/elsewhere`;
      if (request.url === '/elsewhere') json(response, 200, success);
      else json(response, 307, {}, { location: elsewhere });
    },
    play: async ({ read }, service) => {
      await outcome(read(), 6000);
      const told = service.seen.find(({ path }) => path === '/elsewhere');
      const hasToken = JSON.stringify(told?.headers ?? {}).includes(token);
      return {
        holds: !hasToken,
        seen: told === undefined ? 'not followed' : hasToken ? 'the other host has it' : 'followed without it',
      };
    },
  },
  {
    name: 'sixty calls leave no listener on their signal',
    manner: () => (_, response) => json(response, 200, success),
    play: async ({ read, takesSignal }) => {
      if (!takesSignal) return missing;
      const { signal } = new AbortController();
      for (let call = 0; call < 60; call += 1) await outcome(read({ signal }), 4000);
      const { length } = getEventListeners(signal, 'abort');
      return { holds: length === 0, seen: `${length} left` };
    },
  },
  {
    name: 'sixty calls at once against ten a second are all answered, with at most 1.5 requests each',
    manner: () => limited(10),
    play: async ({ read }, service) => {
      const all = await outcome(Promise.allSettled(Array.from({ length: 60 }, () => read())), 40_000);
      const results = (all.value ?? []) as PromiseSettledResult<unknown>[];
      const answered = results.filter(({ status }) => status === 'fulfilled').length;
      const each = service.seen.length / Math.max(1, answered);
      return { holds: answered === 60 && each <= 1.5, seen: `${answered} answered, ${each.toFixed(1)} requests each` };
    },
  },
];

/** Accepts a number of requests per second; the rest get 429. */
function limited(perSecond: number): Manner {
  let taken: number[] = [];
  return (_, response) => {
    const now = performance.now();
    taken = taken.filter((at) => now - at < 1000);
    if (taken.length >= perSecond) {
      json(response, 429, { error: { message: 'slow down' } });
      return;
    }
    taken.push(now);
    json(response, 200, success);
  };
}

/** Plays one scenario with one library. */
export async function play(scenario: Scenario, make: (baseUrl: string) => Calls): Promise<Verdict> {
  const service = await serve(scenario.manner());
  try {
    return await scenario.play(make(service.url), service);
  } finally {
    service.close();
  }
}
