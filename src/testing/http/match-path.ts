import { fieldsOf, partsOf } from '../../core/request/path-template.js';

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
