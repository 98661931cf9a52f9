import type { SqlContext } from './sql-groups.js';
import type { SqlRule } from './sql-rule.js';
import type { RuleOptions } from './sql-store.js';

/** A rule that waits for its transaction. */
export interface PostgresJob extends RuleOptions {
  readonly rule: (context: SqlContext) => SqlRule<unknown>;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Which jobs of a transaction may run side by side: of each list, the lines may; of a line, one job after the other does. Jobs of one
 * group share a line; those that must be alone come last, one by one.
 *
 * @param groups The groups of entries by key.
 */
export function linesOf(
  jobs: readonly PostgresJob[],
  groups: ReadonlyMap<string, string>,
): readonly (readonly (readonly PostgresJob[])[])[] {
  const nameOf = ({ group, key = '' }: PostgresJob, index: number): string =>
    JSON.stringify(group ?? groups.get(key) ?? (key === '' ? index : { key }));
  const together = jobs.filter(({ isAlone }) => !isAlone);
  const lines = [...Map.groupBy(together.entries(), ([index, job]) => nameOf(job, index)).values()];
  return [
    lines.map((line) => line.map(([, job]) => job)),
    ...jobs.filter(({ isAlone }) => isAlone).map((job) => [[job]]),
  ];
}
