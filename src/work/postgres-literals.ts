import type { SqlValue, Statement } from './sql-rule.js';

/**
 * A statement with its values in it. Statements with parameters can only be sent one by one, each after the response to the one before.
 */
export function withLiterals({ sql, values }: Statement): string {
  let next = 0;
  return sql.replaceAll('?', () => literal(values[next++] ?? null));
}

/** A value as SQL: a text keeps each character, whatever the settings of the server. */
export function literal(value: SqlValue): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : `'${value}'::float8`;
  return `E'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
