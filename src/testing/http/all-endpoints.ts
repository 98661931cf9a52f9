import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import { matchPath } from './match-path.js';
import { endpoints, listEndpoints } from '../../endpoints.js';

/** All endpoints of the service, the most specific paths first. */
export const allEndpoints: readonly DescribedEndpoint[] = bySpecificity(listEndpoints(endpoints));

/** Sorts endpoints: those with fewer path parameters come first, since `/questions/search` is not a question. */
export function bySpecificity(endpoints: readonly DescribedEndpoint[]): readonly DescribedEndpoint[] {
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
