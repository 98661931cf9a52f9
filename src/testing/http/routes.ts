import { fieldsOf, partsOf, type DescribedEndpoint, type Endpoint } from '../../core/operation/endpoint.js';
import { didYouMean, endpointError } from '../../core/options/rules.js';
import { endpoints, listEndpoints } from '../../endpoints.js';
import { FakeMarketplaceError } from '../errors.js';

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
    const hasName =
      typeof endpoint === 'string' || typeof (endpoint as Partial<Endpoint> | undefined)?.name === 'string';
    const wrong = hasName ? undefined : endpointError(endpoint);
    if (wrong) throw new FakeMarketplaceError(wrong.message.replace('Not sent: ', ''));
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

/** All endpoints of the service, the most specific paths first. */
export const allEndpoints: readonly DescribedEndpoint[] = bySpecificity(listEndpoints(endpoints));

/** Sorts endpoints: those with fewer path parameters come first, since `/questions/search` is not a question. */
function bySpecificity(endpoints: readonly DescribedEndpoint[]): readonly DescribedEndpoint[] {
  return endpoints.toSorted((a, b) => parameterCount(a) - parameterCount(b));
}

/** The number of parameters of a path; one that takes several segments counts more than any other. */
function parameterCount({ path }: DescribedEndpoint): number {
  return path.split('{').length + 100 * (path.split('*}').length - 1);
}

/** Replaces an empty path segment while a path is matched. */
const emptySegment = '%00';

/**
 * Returns the decoded parameters of a path; `undefined` if it does not fit. An empty segment is an empty parameter, because
 * the service has an error for an empty site.
 */
export function paramsOf({ path }: DescribedEndpoint, pathname: string): Readonly<Record<string, string>> | undefined {
  const params = matchPath(path, pathname.replaceAll('//', `/${emptySegment}/`));
  if (!params || !pathname.includes('//')) return params;
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, value.replaceAll('\0', '')]));
}

const patterns = new Map<string, RegExp>();

/** Returns the fields of a path that fits a template; otherwise `undefined`. */
export function matchPath(template: string, path: string): Record<string, string> | undefined {
  const found = patternOf(template).exec(path);
  if (!found) return undefined;
  try {
    return Object.fromEntries(
      fieldsOf(template).map((name, index) => [name, decodeURIComponent(found[index + 1] ?? '')]),
    );
  } catch {
    return undefined;
  }
}

/** Matches the paths that fit a template. */
function patternOf(template: string): RegExp {
  const known = patterns.get(template);
  if (known) return known;
  const source = partsOf(template).map((part, index) => {
    if (index % 3 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return index % 3 === 1 ? '' : part === '*' ? '(.+)' : '([^/]+)';
  });
  const pattern = new RegExp(`^${source.join('')}$`);
  patterns.set(template, pattern);
  return pattern;
}
