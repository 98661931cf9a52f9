import { createRandom } from '../../src/testing/random.ts';
import { chaosProxy } from './chaos-proxy.ts';
import { inParallel } from './workload.ts';
import type { Scale, Subject } from './workload.ts';

export interface WriteResult {
  readonly writes: number;
  readonly faults: number;
  readonly done: number;
  /** Reported as not carried out. */
  readonly failed: number;
  /** Reported as unknown. */
  readonly unknown: number;
  /** Reported as done, and not stored. */
  readonly lost: number;
  /** Stored more than once. */
  readonly doubled: number;
  /** Reported as not carried out, and stored. */
  readonly denied: number;
}

/** The messages of a conversation: the fake lists it as a whole. */
const perPack = 20;

/** A marketplace gets this many: the fake looks for a message among all of its messages. */
const perMarketplace = 1200;

/** Sends messages through a proxy to one marketplace after another. */
export async function writeThroughChaos(subject: Subject, { count, seed }: Scale): Promise<WriteResult> {
  const total = { writes: 0, faults: 0, done: 0, failed: 0, unknown: 0, lost: 0, doubled: 0, denied: 0 };
  for (let sent = 0; sent < count; sent += perMarketplace) {
    const part = await writeToOne(subject, { count: Math.min(perMarketplace, count - sent), seed: seed + sent });
    for (const [name, value] of Object.entries(part)) total[name as keyof WriteResult] += value as number;
  }
  return total;
}

/**
 * Sends messages through a proxy that breaks one chunk in twenty, half of them with `unknownOutcome: 'confirm'`, and
 * compares what was reported with what the service has stored.
 */
async function writeToOne({ library, testing, transport }: Subject, { count, seed }: Scale): Promise<WriteResult> {
  const random = createRandom(seed);
  const marketplace = new testing.FakeMarketplace();
  const [owner, buyer] = [marketplace.addUser(), marketplace.addUser()];
  const packs = Array.from({ length: Math.ceil(count / perPack) }, () => {
    const pack = marketplace.addPack({ seller_id: owner.user_id, buyer_id: buyer.user_id });
    marketplace.buyerWrites({ pack, text: 'Where is it?' });
    return pack.pack_id ?? pack.order_ids[0]!;
  });
  const service = await marketplace.listen();
  const proxy = await chaosProxy(service.port, random, 0.05);
  const clients = (['throw', 'confirm'] as const).map(
    (unknownOutcome) =>
      new library.SellerClient({
        baseUrl: proxy.url,
        accessToken: marketplace.tokenFor(owner),
        timeoutMs: 1000,
        maxRetries: 6,
        maxRetryDelayMs: 20,
        unknownOutcome,
        ...transport,
      }),
  );
  const reported: ('done' | 'failed' | 'unknown')[] = [];
  await inParallel(count, 24, async (n) => {
    const pack_id = packs[n % packs.length]!;
    const message = { pack_id, user_id: owner.user_id, to: { user_id: buyer.user_id }, text: `Message ${n}.` };
    const client = clients[n % 2]!;
    reported[n] = await client.messages.send(message).then(
      () => 'done' as const,
      (error: unknown) => {
        if (!(error instanceof library.SellerError)) throw error;
        const isUnknown = error instanceof library.OutcomeUnknownError || 'outcomeUnknown' in error;
        return isUnknown ? 'unknown' : 'failed';
      },
    );
  });
  const faults = proxy.injected();
  await proxy.close();
  await service.close();
  const stored = new Map<string, number>();
  const calm = marketplace.clientFor(owner);
  for (const pack_id of packs)
    for await (const { text } of calm.messages.conversation({ pack_id, user_id: owner.user_id }))
      stored.set(text ?? '', (stored.get(text ?? '') ?? 0) + 1);
  const times = (n: number): number => stored.get(`Message ${n}.`) ?? 0;
  const counted = (as: string, isIt = (_: number): boolean => true): number =>
    reported.filter((result, n) => result === as && isIt(times(n))).length;
  return {
    writes: count,
    faults,
    done: counted('done'),
    failed: counted('failed'),
    unknown: counted('unknown'),
    lost: counted('done', (stores) => stores === 0),
    doubled: reported.filter((_, n) => times(n) > 1).length,
    denied: counted('failed', (stores) => stores > 0),
  };
}
