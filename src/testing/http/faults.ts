import { createRandom } from '../random.js';
import { applyFault } from './apply-fault.js';
import type { Call, Interceptor } from './call.js';
import type { Fault } from './fault.js';
import { filteredOf, matchesFilter } from './request-filter.js';
import type { Routes } from './routes.js';
import { validateFault } from './validate-fault.js';

interface PendingFault {
  readonly fault: Fault;
  readonly random: () => number;
  skip: number;
  left: number;
}

/**
 * Injects faults between a client and the marketplace.
 *
 * @example
 * marketplace.faults.inject({ reset: 'after', endpoint: endpoints.questions.answer });
 * marketplace.faults.inject({ status: 503, headers: { 'retry-after': '1' }, times: 2 });
 * marketplace.faults.inject({ delayMs: 50, probability: 0.1, seed: 42 });
 * marketplace.faults.inject({ status: 500, skip: 2, match: { path: '/questions/*', user_id: 1001 } });
 * marketplace.faults.clear();
 */
export class Faults {
  #pending: PendingFault[] = [];
  readonly #listeners = new Set<(request: Request, fault: Fault) => void>();
  readonly #routes: Routes;

  /** @internal */
  constructor(routes: Routes) {
    this.#routes = routes;
  }

  /**
   * Adds a fault for the next calls that match. Faults apply in the order in which they were added.
   *
   * @throws {FakeMarketplaceError} when the fault is invalid
   */
  inject(fault: Fault): void {
    this.assertValid(fault);
    const { probability = 1, seed = 1, times = probability < 1 ? Infinity : 1 } = fault;
    this.#pending.push({ fault, random: createRandom(seed), skip: fault.skip ?? 0, left: times });
  }

  /** @internal @throws {FakeMarketplaceError} when the fault is invalid */
  assertValid(fault: Fault): void {
    validateFault(fault, this.#routes);
  }

  /** @internal Adds a listener for faults that apply to a request. @returns a function that removes it */
  onApplied(listener: (request: Request, fault: Fault) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Removes all faults. */
  clear(): void {
    this.#pending = [];
  }

  /** The pending faults, with the number of calls that each still applies to. */
  get all(): readonly { readonly fault: Fault; readonly left: number }[] {
    return this.#pending.map(({ fault, left }) => ({ fault, left }));
  }

  /** The number of pending faults. */
  get pending(): number {
    return this.#pending.length;
  }

  /** @internal */
  readonly interceptor: Interceptor = async (call, next) => {
    const fault = this.#take(call);
    if (!fault) return next();
    for (const listener of this.#listeners) listener(call.request, fault);
    return applyFault(fault, call, next);
  };

  #take(call: Call): Fault | undefined {
    const request = filteredOf(call);
    const found = this.#pending.find((pending) => {
      const { fault, random } = pending;
      if (!matchesFilter(request, { ...fault.match, endpoint: fault.endpoint })) return false;
      if (pending.skip > 0) {
        pending.skip -= 1;
        return false;
      }
      return random() < (fault.probability ?? 1);
    });
    if (!found) return undefined;
    found.left -= 1;
    if (found.left <= 0) this.#pending.splice(this.#pending.indexOf(found), 1);
    return found.fault;
  }
}
