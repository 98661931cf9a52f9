import type { DescribedEndpoint, Endpoint } from '../../core/operation/endpoint.js';
import { FakeMarketplaceError } from '../errors.js';
import { didYouMean } from '../../core/options/nearest.js';
import { allEndpoints, bySpecificity, paramsOf } from './all-endpoints.js';

/** The endpoints of one marketplace: those of the service, and those that its user added. */
export class Routes {
  #all = allEndpoints;

  /** All endpoints, the most specific paths first. */
  get all(): readonly DescribedEndpoint[] {
    return this.#all;
  }

  /** Replaces the endpoints of the user. Where one has the path of an endpoint of the service, it handles the calls. */
  set(own: readonly DescribedEndpoint[]): void {
    this.#all = bySpecificity([...own, ...allEndpoints]);
  }

  /**
   * Returns the endpoint of a request; `undefined` if there is none. HEAD is that of GET. The specification reads items with PUT,
   * the live service with GET.
   */
  of(method: string, pathname: string): DescribedEndpoint | undefined {
    const asked = method === 'HEAD' ? 'GET' : method;
    const takes = (each: DescribedEndpoint): boolean =>
      each.method === asked || (each.name === 'items.status' && method === 'PUT');
    return this.#all.find((each) => takes(each) && paramsOf(each, pathname) !== undefined);
  }

  /** Returns the endpoints of the resource at a path, whatever their methods. */
  at(pathname: string): DescribedEndpoint[] {
    return this.#all.filter((each) => each.method !== 'OPTIONS' && paramsOf(each, pathname) !== undefined);
  }

  /** @throws {FakeMarketplaceError} when no endpoint has this name */
  assertName(endpoint: Pick<Endpoint, 'name'> | string): void {
    const name = endpointName(endpoint);
    const names = this.#all.map((each) => each.name);
    if (names.includes(name)) return;
    const hint = didYouMean(name, names, `the endpoints are ${names.toSorted().join(', ')}`);
    throw new FakeMarketplaceError(`there is no endpoint "${name}"; ${hint}`);
  }
}

/** Returns the name of an endpoint that is given by its name or by itself. */
export function endpointName(endpoint: Pick<Endpoint, 'name'> | string): string {
  return typeof endpoint === 'string' ? endpoint : endpoint.name;
}
