import { compareFields } from './compare.js';
import type { FieldDifferences } from './compare.js';
import { IdMap } from './id-map.js';
import { bodyOfText } from './tape.js';
import type { TapeExchange } from './tape.js';

/** The result of one exchange that was replayed. */
export interface Verified extends FieldDifferences {
  readonly endpoint: string;
  readonly method: string;
  readonly path: string;
  readonly status: { readonly expected: number; readonly actual: number };
  readonly code: { readonly expected: string | null; readonly actual: string | null };
}

/** What a tape is replayed on. */
export interface ReplayTarget {
  fetch(request: Request): Promise<Response>;
  /** Returns the token of a caller of the tape. */
  tokenOf(caller: string): string;
  /** The ids that stand for those of the tape at the start, e.g. users. */
  readonly ids: ReadonlyMap<string, string>;
}

/** Replays a tape, with its ids replaced by those of the fake, and compares each response. */
export async function verifyTape(tape: readonly TapeExchange[], target: ReplayTarget): Promise<Verified[]> {
  const ids = new IdMap(target.ids);
  const results: Verified[] = [];
  for (const exchange of tape) {
    const { status, body } = await replay(exchange, target, ids);
    ids.learn(exchange.response, body);
    results.push({
      endpoint: exchange.endpoint ?? `${exchange.method} ${exchange.path.split('?', 1)[0] ?? ''}`,
      method: exchange.method,
      path: exchange.path,
      status: { expected: exchange.status, actual: status },
      code: { expected: codeOf(exchange.status, exchange.response), actual: codeOf(status, body) },
      ...(exchange.status === status
        ? compareFields(exchange.response, body)
        : { missing: [], extra: [], retyped: [] }),
    });
  }
  return results;
}

async function replay(
  { method, path, caller, request }: TapeExchange,
  target: ReplayTarget,
  ids: IdMap,
): Promise<{ status: number; body: unknown }> {
  const body = request === null ? undefined : ids.apply(request);
  const response = await target.fetch(
    new Request(`https://marketplace.test${ids.applyToPath(path)}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(caller !== null && { authorization: `Bearer ${target.tokenOf(caller)}` }),
      },
      ...(body !== undefined && method !== 'GET' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }),
  );
  const isText = /json|text/.test(response.headers.get('content-type') ?? '');
  const text = await response.text();
  return { status: response.status, body: isText ? bodyOfText(text) : null };
}

function codeOf(status: number, body: unknown): string | null {
  if (status < 400 || typeof body !== 'object' || body === null) return null;
  const { error, code } = body as { error?: unknown; code?: unknown };
  return typeof error === 'string' ? error : typeof code === 'string' ? code : null;
}

/** Whether the fake responded as the service did. */
export function isSame({ status, code, missing, extra, retyped }: Verified): boolean {
  const sameOutcome = status.expected === status.actual && code.expected === code.actual;
  return sameOutcome && missing.length + extra.length + retyped.length === 0;
}
