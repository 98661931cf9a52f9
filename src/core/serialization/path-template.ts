import { InvalidInputError } from '../errors/errors.js';

/** A parsed path template. */
interface Template {
  /** The text before each field, and after the last field. */
  readonly fixed: readonly string[];
  readonly fields: readonly { readonly name: string; readonly several: boolean }[];
  /** Matches the paths that fit the template. */
  readonly pattern: RegExp;
}

const templates = new Map<string, Template>();

function templateOf(path: string): Template {
  const known = templates.get(path);
  if (known) return known;
  const fixed = path.split(/\{\w+\*?\}/);
  const fields = Array.from(path.matchAll(/\{(\w+)(\*?)\}/g), ([, name = '', star]) => ({
    name,
    several: star === '*',
  }));
  const groups = fields.map(({ several }) => (several ? '(.+)' : '([^/]+)'));
  const source = fixed.map((text, index) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') + (groups[index] ?? ''));
  const template: Template = { fixed, fields, pattern: new RegExp(`^${source.join('')}$`) };
  templates.set(path, template);
  return template;
}

/** The names of the fields in a path template. */
export function fieldsOf(path: string): readonly string[] {
  return templateOf(path).fields.map(({ name }) => name);
}

/**
 * Fills a path template.
 *
 * @throws {InvalidInputError} when a value could change the structure of the path.
 */
export function fillPath(path: string, valueOf: (name: string) => string): string {
  const { fixed, fields } = templateOf(path);
  let filled = fixed[0] ?? '';
  for (const [index, { name, several }] of fields.entries()) {
    const value = valueOf(name);
    filled += several
      ? value
          .split('/')
          .map((part) => segment(name, part))
          .join('/')
      : segment(name, value);
    filled += fixed[index + 1] ?? '';
  }
  return filled;
}

/** Returns the fields of a path that fits a template; otherwise `undefined`. */
export function matchPath(template: string, path: string): Record<string, string> | undefined {
  const { pattern, fields } = templateOf(template);
  const found = pattern.exec(path);
  if (!found) return undefined;
  try {
    return Object.fromEntries(fields.map(({ name }, index) => [name, decodeURIComponent(found[index + 1] ?? '')]));
  } catch {
    return undefined;
  }
}

const harmless = /^[\w-]+$/;

/** Encodes a value as one path segment. Characters that a server or proxy may treat as structure are rejected. */
function segment(name: string, value: string): string {
  if (harmless.test(value)) return value;
  const why = leavesItsSegment(value);
  if (why === undefined) return encodeURIComponent(value).replaceAll('%3A', ':').replaceAll('%40', '@');
  throw new InvalidInputError([{ path: [name], message: `\`${name}\` ${why}, so it cannot be part of a path` }]);
}

function leavesItsSegment(value: string): string | undefined {
  if (value.trim() === '') return value === '' ? 'is empty' : 'is blank';
  if (value === '.' || value === '..') return `is "${value}"`;
  if (/[/\\?#%\u0000-\u001f\u007f]/.test(value)) return 'contains one of / \\ ? # % or a control character';
  return value.isWellFormed() ? undefined : 'contains half a surrogate pair';
}
