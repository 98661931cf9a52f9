import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import { matchPath } from '../../core/request/path-template.js';
import { endpoints, listEndpoints } from '../../endpoints.js';

/** All endpoints, those with fewer path parameters first: `/questions/search` is not a question. */
export const allEndpoints: readonly DescribedEndpoint[] = listEndpoints(endpoints).sort(
  (a, b) => parameterCount(a) - parameterCount(b),
);

function parameterCount({ path }: DescribedEndpoint): number {
  return path.split('{').length;
}

/** Returns the endpoints of the resource at a path, whatever their methods. */
export function endpointsAt(pathname: string): DescribedEndpoint[] {
  return allEndpoints.filter((each) => each.method !== 'OPTIONS' && paramsOf(each, pathname) !== undefined);
}

/** Returns the endpoint of a request. Items are read with PUT in the specification, with GET in the live service. */
export function endpointOf(method: string, pathname: string): DescribedEndpoint | undefined {
  const takes = (each: DescribedEndpoint): boolean =>
    each.method === method || (each.name === 'items.status' && method === 'PUT');
  return allEndpoints.find((each) => takes(each) && paramsOf(each, pathname) !== undefined);
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
