import type { ResponseDifference } from './compare.js';
import type { Verified } from './replay.js';

/** What a verification says of a difference. Only a new one fails it. */
type DifferenceVerdict = 'new' | 'known' | 'allowed';

/** What a verification found, beside what is expected. */
export interface Judged {
  readonly results: readonly (Omit<Verified, 'differences'> & {
    readonly differences: readonly (ResponseDifference & { readonly verdict: DifferenceVerdict })[];
  })[];
  /** The differences of the baseline that no longer exist. */
  readonly gone: readonly string[];
  /** The patterns of `allow` that fit no difference. */
  readonly unused: readonly string[];
}

/** The differences of one endpoint, as the results of a verification have them. */
export type KnownDifferences = readonly Pick<Verified, 'endpoint' | 'differences'>[];

/** Compares differences with those of an earlier verification, and with patterns such as `questions.search total`. */
export function judge(
  results: readonly Verified[],
  { baseline = [], allow = [] }: { readonly baseline?: KnownDifferences; readonly allow?: readonly string[] } = {},
): Judged {
  const [known, found] = [new Set(keysOf(baseline)), new Set(keysOf(results))];
  const fits = (pattern: string, endpoint: string, { path }: ResponseDifference): boolean =>
    patternOf(pattern).test(`${endpoint} ${path}`);
  const verdictOf = (endpoint: string, difference: ResponseDifference): DifferenceVerdict =>
    known.has(keyOf(endpoint, difference))
      ? 'known'
      : allow.some((pattern) => fits(pattern, endpoint, difference))
        ? 'allowed'
        : 'new';
  return {
    results: results.map((result) => ({
      ...result,
      differences: result.differences.map((each) => ({ ...each, verdict: verdictOf(result.endpoint, each) })),
    })),
    gone: [...known].filter((key) => !found.has(key)),
    unused: allow.filter(
      (pattern) => !results.some((each) => each.differences.some((one) => fits(pattern, each.endpoint, one))),
    ),
  };
}

function keysOf(results: KnownDifferences): string[] {
  return results.flatMap(({ endpoint, differences }) => differences.map((each) => keyOf(endpoint, each)));
}

/** Names a difference. Its values do not count, because they change from day to day; those of a status and a code do. */
function keyOf(endpoint: string, difference: ResponseDifference): string {
  const { path, what } = difference;
  if (path === 'status' || path === 'code') return `${endpoint}  ${lineOf(difference)}`;
  const isOne = what === 'missing' || what === 'extra';
  const words = isOne ? what : `another ${what === 'entries' ? 'number of entries' : what}`;
  return `${endpoint}  ${path === '' ? 'the body' : path}: ${words}`;
}

/** `*` stands for any text. A pattern without a space is the name of an endpoint. */
function patternOf(text: string): RegExp {
  const escaped = text.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*');
  return new RegExp(`^${escaped}${text.includes(' ') ? '$' : '( |$)'}`);
}

/** Whether no difference is new. */
export function isAsExpected({ results }: Judged): boolean {
  return results.every(({ differences }) => differences.every(({ verdict }) => verdict !== 'new'));
}

/** Prints how far the fake is from the service: a line per endpoint, and what differs below it. */
export function reportOf(judged: Judged): string {
  const { results, gone, unused } = judged;
  const names = [...new Set(results.map(({ endpoint }) => endpoint))].sort();
  const width = Math.max(0, ...names.map(({ length }) => length));
  const same = results.filter(({ differences }) => differences.length === 0).length;
  return [
    ...names.map((name) => linesOf(name, width, judged)),
    ...gone.map((key) => `gone     ${key}`),
    ...unused.map((pattern) => `unused   --allow '${pattern}'`),
    `${same} of ${results.length} exchanges are the same.`,
  ].join('\n');
}

function linesOf(name: string, width: number, { results }: Judged): string {
  const own = results.filter(({ endpoint }) => endpoint === name);
  const same = own.filter(({ differences }) => differences.length === 0).length;
  const verdicts = own.flatMap(({ differences }) => differences.map(({ verdict }) => verdict));
  const worst = (['new', 'known', 'allowed'] as const).find((verdict) => verdicts.includes(verdict)) ?? 'same';
  const details = own.flatMap(({ differences, lacks }) => [
    ...differences.map((each) => (each.verdict === 'new' ? lineOf(each) : `${lineOf(each)} (${each.verdict})`)),
    ...(lacks === undefined ? [] : [lacks]),
  ]);
  const result = worst === 'new' ? 'differs' : worst;
  return [`${result.padEnd(7)}  ${name.padEnd(width)}  ${same}/${own.length}`, ...new Set(details)].join('\n  ');
}

/** Returns a difference in words: what the fake sends, and what the service sent. */
export function lineOf({ path, what, expected, actual }: ResponseDifference): string {
  const at = path === '' ? 'the body' : path;
  if (what === 'missing' || what === 'extra') return `${what} ${at}`;
  if (what === 'type') return `retyped ${at}: ${actual}, not ${expected}`;
  if (at === 'status' || at === 'code') return `${at} ${actual}, not ${expected}`;
  return `${at}: ${actual}${what === 'entries' ? ' entries' : ''}, not ${expected}`;
}
