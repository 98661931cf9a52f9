import { nodeModule } from '../core/scope/node-module.js';
import type { SqlValue, Statement } from './sql-rule.js';

const hash = nodeModule('node:crypto')?.hash;

/**
 * The statements of one connection. Each is prepared once, and then carried out with its values as literals: statements with
 * parameters can only be sent one by one, each after the response to the one before.
 *
 * Behind a pooler, a connection to the server may have statements of other processes: a name is the hash of its SQL, so it means the
 * same in all of them.
 */
export class PostgresStatements {
  readonly #names = new Map<string, string>();

  /** A statement as it is sent. */
  textOf(statement: Statement): string {
    const { sql, values } = statement;
    if (!hash) return plainTextOf(statement);
    const literals = values.length > 0 ? `(${values.map(literal).join(', ')})` : '';
    const known = this.#names.get(sql);
    if (known !== undefined) return `EXECUTE ${known}${literals}`;
    let count = 0;
    const text = sql.replaceAll('?', () => `$${(count += 1)}`);
    const name = `seller_work_${hash('sha256', text, 'hex').slice(0, 40)}`;
    this.#names.set(sql, name);
    return `PREPARE ${name} AS ${text};\nEXECUTE ${name}${literals}`;
  }
}

/** A value as SQL: a text keeps each character, whatever the settings of the server. */
export function literal(value: SqlValue): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : `'${value}'::float8`;
  return `E'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

/** A statement without preparing it: behind a proxy, the next transaction may have another connection to the server. */
export function plainTextOf({ sql, values }: Statement): string {
  let next = 0;
  return sql.replaceAll('?', () => literal(values[next++] ?? null));
}
