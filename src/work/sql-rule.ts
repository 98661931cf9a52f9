/** What a column holds. */
export type SqlValue = string | number | null;

/** A row; each query has only the columns that it names. PostgreSQL returns large integers as texts. */
export type Row = Readonly<Record<string, SqlValue>>;

/** A statement, with a `?` for each value. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** What a store does in one transaction: it yields statements, and gets their rows. */
export type SqlRule<R> = Generator<Statement, R, readonly Row[]>;

/** Runs a statement, and returns its rows. */
export function* all(sql: string, ...values: readonly SqlValue[]): SqlRule<readonly Row[]> {
  return yield { sql, values };
}

/** Runs a statement, and returns its first row. */
export function* first(sql: string, ...values: readonly SqlValue[]): SqlRule<Row | undefined> {
  return (yield* all(sql, ...values))[0];
}

/** As many `?` as there are values, for a list in which something is looked up; nothing is found in an empty one. */
export function places(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ') || 'NULL';
}
