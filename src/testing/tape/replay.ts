import { FakeMarketplaceError } from '../errors.js';
import type { FakeMarketplace } from '../marketplace.js';
import { Callers } from './callers.js';
import { differencesOf } from './compare.js';
import type { ResponseDifference } from './compare.js';
import { TapeIds } from './ids.js';
import { Masker } from './mask.js';
import { createRecorder } from './recorder.js';
import { requestOf } from './request-of.js';
import type { TapeExchange } from './tape.js';

/** The result of one exchange that was replayed. */
export interface Verified {
  readonly endpoint: string;
  readonly method: string;
  readonly path: string;
  readonly status: { readonly expected: number; readonly actual: number };
  readonly differences: readonly ResponseDifference[];
  /** What the fake does not have, if that is why the response differs. */
  readonly lacks?: string;
}

/** Whether the fake responded as the service did. */
export function isSame({ differences }: Verified): boolean {
  return differences.length === 0;
}

/** Replays a tape on a fake, with its ids replaced by those of the fake, and compares each response. */
export async function verifyTape(
  tape: readonly TapeExchange[],
  marketplace: FakeMarketplace,
  { typesOnly = false }: { readonly typesOnly?: boolean } = {},
): Promise<Verified[]> {
  const masker = new Masker({ keepsIds: tape.some(({ idsAreKept }) => idsAreKept) });
  const ids = new TapeIds(tape, marketplace, masker);
  const callers = new Callers(tape, ids, marketplace);
  const recorded: TapeExchange[] = [];
  // The fake is recorded as the service was.
  const { baseUrl, fetch } = marketplace;
  const recorder = createRecorder(baseUrl, { write: (exchange) => void recorded.push(exchange), masker, fetch });
  const toFakeTimeMs = fakeTimeOf(tape, marketplace);
  const results: Verified[] = [];
  for (const expected of tape) {
    moveClock(marketplace, Date.parse(expected.at) + toFakeTimeMs);
    const unlock = lockOf(expected, ids, marketplace);
    const response = await recorder(requestOf(expected, marketplace, ids, callers)).finally(unlock);
    const actual = recorded.pop();
    if (!actual) throw new FakeMarketplaceError(`its response cannot be recorded: ${await response.text()}`);
    results.push(resultOf(expected, actual, differencesOf(expected, actual, { ids, typesOnly }), ids));
  }
  return results;
}

function resultOf(
  expected: TapeExchange,
  actual: TapeExchange,
  differences: ResponseDifference[],
  ids: TapeIds,
): Verified {
  const { endpoint, method, path, status } = expected;
  const lacks = differences.length > 0 && status < 400 ? ids.lacking(expected) : undefined;
  return {
    endpoint: endpoint ?? `${method} ${path.split('?', 1)[0] ?? ''}`,
    method,
    path,
    status: { expected: status, actual: actual.status },
    differences,
    ...(lacks !== undefined && { lacks }),
  };
}

/** A lock of the service was held by a call that was under way at the same time. */
function lockOf(
  { endpoint, status, path }: TapeExchange,
  ids: TapeIds,
  { packs, messages }: FakeMarketplace,
): (() => void) | undefined {
  if (endpoint !== 'actionGuide.send' || status !== 409) return undefined;
  const pack = packs.get(Number(ids.of(/\/packs\/(\d+)/.exec(path)?.[1] ?? '')));
  return pack && !messages.isLocked(pack) ? messages.lock(pack) : undefined;
}

/** By how much the fake is ahead of the tape. A clock that was set shows the time of the content, as does the tape. */
function fakeTimeOf([first]: readonly TapeExchange[], { clock }: FakeMarketplace): number {
  const aheadMs = clock.ms - Date.parse(first?.at ?? '');
  return clock.isStopped && aheadMs <= 1000 ? 0 : aheadMs;
}

/** Time passes as on the tape: locks, codes and files expire. */
function moveClock({ clock }: FakeMarketplace, wantedMs: number): void {
  if (wantedMs - clock.ms < 2000) return;
  const runs = !clock.isStopped;
  clock.set(wantedMs);
  if (runs) clock.run();
}
