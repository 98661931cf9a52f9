import type { Endpoint } from '../../core/endpoint.js';
import { createRandom } from '../random.js';
import type { Accounts } from '../state/accounts.js';
import { applyFault } from './apply-fault.js';
import { bearerToken } from './authorization.js';
import type { Fault } from './fault.js';
import { copyBody } from './request-body.js';
import { matchesFilter } from './request-filter.js';
import type { FilteredRequest } from './request-filter.js';
import type { Interceptor } from './router.js';
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
  readonly #accounts: () => Accounts;
  #pending: PendingFault[] = [];
  readonly #listeners = new Set<(request: Request, fault: Fault) => void>();

  constructor(accounts: () => Accounts) {
    this.#accounts = accounts;
  }

  /**
   * Adds a fault for the next calls that match. Faults apply in the order in which they were added.
   *
   * @throws {FakeMarketplaceError} when the fault is invalid
   */
  inject(fault: Fault): void {
    validateFault(fault);
    const { probability = 1, seed = 1, times = probability < 1 ? Infinity : 1 } = fault;
    this.#pending.push({ fault, random: createRandom(seed), skip: fault.skip ?? 0, left: times });
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
  readonly interceptor: Interceptor = async (request, endpoint, next) => {
    const fault =
      this.#pending.length > 0 ? this.#take(await describeRequest(request, endpoint, this.#accounts())) : undefined;
    if (!fault) return next();
    for (const listener of this.#listeners) listener(request, fault);
    return applyFault(fault, request, next);
  };

  #take(request: FilteredRequest): Fault | undefined {
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

async function describeRequest(
  request: Request,
  endpoint: Endpoint | undefined,
  accounts: Accounts,
): Promise<FilteredRequest> {
  return {
    method: request.method,
    path: new URL(request.url).pathname,
    endpoint: endpoint?.name ?? null,
    user_id: accounts.bearerOf(bearerToken(request.headers) ?? '')?.user_id ?? null,
    body: (await copyBody(request)).value,
  };
}
