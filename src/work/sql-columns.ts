import type { SqlValue } from './sql-rule.js';
import type { Notes } from './store.js';

/** Notes as a column has them: none are null. */
export function textOf(notes: Notes): string | null {
  return Object.keys(notes).length > 0 ? JSON.stringify(notes) : null;
}

/** The notes that a column has; nothing, if they are damaged. */
export function notesIn(text: SqlValue | undefined): Notes | undefined {
  return text === null ? {} : (objectIn(text) as Notes | undefined);
}

/** The object that a column has as JSON; nothing, if it is damaged. */
export function objectIn(text: SqlValue | undefined): object | undefined {
  try {
    const value: unknown = typeof text === 'string' ? JSON.parse(text) : undefined;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
