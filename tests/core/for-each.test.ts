import { InvalidInputError, RequestAbortedError, ServerError, TimeoutError } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { describe, expect, test, vi } from 'vitest';
import { fc } from '../support/fast-check.ts';
import { createMarketplace } from '../support/marketplace.ts';
import { forEachOf } from '../../src/core/paging/paged.js';
import { MovingList } from '../support/moving-list.ts';
import { errorOf } from '../support/stubs.ts';

/** Lets other work go on a number of times before it resolves: several works end in any order. */
async function afterTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
}

describe('forEach of a list', () => {
  test('calls the function for each entry, in order, one after the other', async () => {
    const list = new MovingList(12);
    const seen: number[] = [];
    let running = 0;
    const count = await list.paginate().forEach(async (entry) => {
      running += 1;
      expect(running).toBe(1);
      await afterTurns(3);
      seen.push(entry);
      running -= 1;
    });
    expect(seen).toEqual(list.items);
    expect(count).toBe(12);
  });

  test('works on as many entries at once as it may, and starts them in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.nat(9), { minLength: 1, maxLength: 40 }),
        fc.boolean(),
        async (concurrency, turns, removes) => {
          const list = new MovingList(turns.length);
          const started: number[] = [];
          let [running, most] = [0, 0];
          await list.paginate().forEach(
            async (entry) => {
              started.push(entry);
              most = Math.max(most, (running += 1));
              await afterTurns(turns[entry]!);
              if (removes) list.remove(entry);
              await afterTurns(turns[entry]!);
              running -= 1;
            },
            { concurrency },
          );
          expect(started).toEqual(turns.map((_, index) => index));
          expect(most).toBeLessThanOrEqual(concurrency);
        },
      ),
    );
  });

  test('answers every question of a list from which each answer removes one', async () => {
    const { marketplace, sellerClient, seller_id, buyer, item_id } = createMarketplace();
    for (let index = 0; index < 119; index += 1) marketplace.ask({ from: buyer, item_id, text: `Is there ${index}?` });
    const search = sellerClient.questions.search({ seller_id, filters: { status: 'UNANSWERED' } });
    const answer = ({ id }: { readonly id: number }): PromiseLike<unknown> =>
      sellerClient.questions.answer({ question_id: id, text: 'Yes, there is.' });
    expect(await search.forEach(answer, { concurrency: 7 })).toBe(120);
    expect(marketplace.questions.all.filter((question) => !question.answer)).toEqual([]);
  });

  test.each([1, 3, 50])('stops at the first error, with what was done (%i at once)', async (concurrency) => {
    const list = new MovingList(40);
    const failure = new Error('no');
    const started: number[] = [];
    const error = await errorOf(
      list.paginate().forEach(
        async (entry) => {
          started.push(entry);
          await afterTurns(entry === 10 ? 2 : 5);
          if (entry === 10) throw failure;
        },
        { concurrency },
      ),
    );
    expect(error).toBe(failure);
    // Those that had begun were waited for.
    expect(error.done).toEqual(started.filter((entry) => entry !== 10));
    expect(started.length).toBeLessThanOrEqual(10 + concurrency);
    expect(Object.keys(failure)).toEqual([]);
  });

  test('goes on past the errors of single entries, however many work at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.record({ turns: fc.nat(9), fails: fc.boolean() }), { maxLength: 40 }),
        async (concurrency, entries) => {
          const list = new MovingList(entries.length);
          const told: [unknown, number][] = [];
          const work = async (entry: number): Promise<void> => {
            await afterTurns(entries[entry]!.turns);
            if (entries[entry]!.fails) throw new Error(`no ${entry}`);
          };
          const onError = (error: unknown, entry: number): unknown => told.push([error, entry]);
          const count = await list.paginate().forEach(work, { concurrency, onError });
          const failed = list.items.filter((entry) => entries[entry]!.fails);
          expect(count).toBe(entries.length - failed.length);
          expect(told.sort(([, a], [, b]) => a - b)).toEqual(failed.map((entry) => [new Error(`no ${entry}`), entry]));
        },
      ),
    );
  });

  test('stops when the function that is told of an error throws', async () => {
    const list = new MovingList(40);
    const started: number[] = [];
    const work = (entry: number): void => {
      started.push(entry);
      if (entry % 5 === 4) throw new Error(`no ${entry}`);
    };
    const onError = async (error: unknown, entry: number): Promise<void> => {
      await afterTurns(1);
      if (entry === 9) throw error;
    };
    const error = await errorOf(list.paginate().forEach(work, { onError }));
    expect(error).toMatchObject({ message: 'no 9', done: [0, 1, 2, 3, 5, 6, 7, 8] });
    expect(started).toHaveLength(10);
  });

  test('an aborted signal ends it, and is no error of an entry', async () => {
    const list = new MovingList(9);
    const controller = new AbortController();
    const onError = vi.fn<(error: unknown) => void>();
    const work = (entry: number): void => {
      if (entry !== 3) return;
      controller.abort();
      throw new Error('aborted');
    };
    const error = await errorOf(list.paginate().forEach(work, { onError, signal: controller.signal }));
    expect(error).toMatchObject({ done: [0, 1, 2] });
    expect(onError).not.toHaveBeenCalled();
  });

  test('an error of a page holds what was done, too', async () => {
    const { marketplace, sellerClient, seller_id, buyer, item_id } = createMarketplace({ maxRetries: 0 });
    for (let index = 0; index < 9; index += 1) marketplace.ask({ from: buyer, item_id, text: `Is there ${index}?` });
    const done: number[] = [];
    const work = ({ id }: { readonly id: number }): void => {
      done.push(id);
      if (done.length === 5)
        marketplace.failNext(endpoints.questions.search, { status: 500, message: 'Internal server error' });
    };
    const error = await errorOf(sellerClient.questions.search({ seller_id, limit: 5 }).forEach(work));
    expect(error).toBeInstanceOf(ServerError);
    expect(error.done).toMatchObject(done.map((id) => ({ id })));
    expect(done).toHaveLength(5);
  });

  test.each([
    ['of forEach', (signal: AbortSignal) => [undefined, { signal, concurrency: 4 }] as const],
    ['of the list', (signal: AbortSignal) => [{ signal }, { concurrency: 4 }] as const],
  ])('the signal %s ends it, and reaches the function', async (_, optionsOf) => {
    const { sellerClient, marketplace, seller_id, buyer, item_id } = createMarketplace();
    for (let index = 0; index < 29; index += 1) marketplace.ask({ from: buyer, item_id, text: `Is there ${index}?` });
    const controller = new AbortController();
    const [ofList, ofEach] = optionsOf(controller.signal);
    let count = 0;
    const error = await errorOf(
      sellerClient.questions.search({ seller_id, limit: 5 }, ofList).forEach((_entry, { signal }) => {
        expect(signal.aborted).toBe(false);
        if ((count += 1) === 7) controller.abort(new Error('closing'));
        expect(signal.aborted).toBe(count === 7);
      }, ofEach),
    );
    expect(error).toBeInstanceOf(RequestAbortedError);
    expect(error).toMatchObject({ cause: { message: 'closing' } });
    expect(error.done).toHaveLength(7);
    expect(count).toBe(7);
  });

  test('a function that throws at once, or something that is no error', async () => {
    const list = new MovingList(3);
    const thrown = await errorOf(
      list.paginate().forEach(() => {
        // oxlint-disable-next-line typescript/only-throw-error -- a function of the user may do that
        throw 'a text';
      }),
    );
    expect(thrown).toBe('a text');
    const frozen = Object.freeze(new Error('frozen'));
    expect(await errorOf(list.paginate().forEach(() => Promise.reject(frozen)))).toBe(frozen);
  });

  test.each([
    { concurrency: 0 },
    { concurrency: 1.5 },
    { concurrency: Infinity },
    { signal: {} as AbortSignal },
    { onError: 'skip' as never },
    { parallel: 2 },
  ])('an option that is wrong is rejected before anything is requested: %j', async (options) => {
    const list = new MovingList(3);
    expect(await errorOf(list.paginate().forEach(() => undefined, options))).toBeInstanceOf(InvalidInputError);
    expect(list.requests).toEqual([]);
  });
});

describe('what has begun when a list fails', () => {
  const [lost, late] = [new Error('down'), new TimeoutError('late', { attempts: 1 })];
  test.each<[string, Error, boolean, number[]]>([
    // It may be a write: it is not abandoned, and counts as done if it succeeds.
    ['with an error', lost, false, [1, 2]],
    ['with its deadline', late, true, [1]],
  ])('%s is ended: %s', async (_, failure, isEnded, done) => {
    const ends: (() => void)[] = [];
    const signals: AbortSignal[] = [];
    async function* list(): AsyncGenerator<number> {
      yield* [1, 2];
      await Promise.resolve();
      throw failure;
    }
    const work = (entry: number, { signal }: { signal: AbortSignal }): Promise<void> => {
      signals.push(signal);
      return new Promise((resolve, reject) => {
        ends.push(resolve);
        if (entry === 2) signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    };
    const failed = forEachOf(list(), work, { concurrency: 3 }).catch(
      (error: unknown) => error as Error & { done: number[] },
    );
    await afterTurns(20);
    expect(signals.map(({ aborted }) => aborted)).toEqual([isEnded, isEnded]);
    for (const end of ends) end();
    expect(await failed).toBe(failure);
    expect(await failed).toMatchObject({ done });
  });
});
