import type { Endpoint } from '../../core/endpoint.js';
import { matchPath } from '../../core/serialization/path-template.js';

/** Replaces an empty path segment while a path is matched. */
const emptySegment = '%00';

/** Matches a path; an empty segment is an empty parameter, because the service has an error for an empty site. */
export function matchRoute({ path }: Endpoint, pathname: string): Readonly<Record<string, string>> | undefined {
  const params = matchPath(path, pathname.replaceAll('//', `/${emptySegment}/`));
  if (!params || !pathname.includes('//')) return params;
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, value.replaceAll('\0', '')]));
}
