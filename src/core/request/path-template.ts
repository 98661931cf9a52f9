import { InvalidInputError } from '../errors/errors.js';

const templates = new Map<string, readonly string[]>();

/** The parts of a path template: text, the name of a field and its star, text, and so on. */
export function partsOf(path: string): readonly string[] {
  const known = templates.get(path);
  if (known) return known;
  const parts = path.split(/\{(\w+)(\*?)\}/);
  templates.set(path, parts);
  return parts;
}

/** The names of the fields in a path template. */
export function fieldsOf(path: string): readonly string[] {
  return partsOf(path).filter((_, index) => index % 3 === 1);
}

/**
 * Fills a path template.
 *
 * @throws {InvalidInputError} when a value could change the structure of the path.
 */
export function fillPath(path: string, valueOf: (name: string) => string): string {
  const parts = partsOf(path);
  let filled = parts[0] ?? '';
  for (let at = 1; at < parts.length; at += 3) {
    const name = parts[at] ?? '';
    const values = parts[at + 1] === '*' ? valueOf(name).split('/') : [valueOf(name)];
    filled += values.map((value) => segment(name, value)).join('/') + (parts[at + 2] ?? '');
  }
  return filled;
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
