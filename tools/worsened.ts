// Compares figures with those of the last version, and finds what became worse without a word in the changelog.

/** What is counted and how much of it there is. Less is better. */
export type Figures = Readonly<Record<string, number>>;

/** A figure that is larger than in the last version, both rounded. */
export interface Worsened {
  readonly what: string;
  readonly before: number;
  readonly now: number;
}

/** The last version in a changelog that is not its first entry: that one is under way. */
export function lastVersionIn(changelog: string): string | undefined {
  const [, ...earlier] = entriesOf(changelog);
  return earlier.map((entry) => /^\[(\d[^\]]*)\]/.exec(entry)?.[1]).find((version) => version !== undefined);
}

export function worsened(before: Figures, now: Figures): Worsened[] {
  return Object.entries(before).flatMap(([what, figure]) => {
    const found = { what, before: Math.round(figure), now: Math.round(now[what] ?? 0) };
    return found.now > found.before ? [found] : [];
  });
}

/** Those of which the first entry does not state both figures under "What became worse". */
export function unsaid(changelog: string, worse: readonly Worsened[]): Worsened[] {
  const [current = ''] = entriesOf(changelog);
  const said = /^### What became worse\n([^]*?)(?=^### |$(?![^]))/m.exec(current)?.[1] ?? '';
  const figures = new Set(said.match(/\d+/g)?.map(Number));
  return worse.filter(({ before, now }) => !figures.has(before) || !figures.has(now));
}

function entriesOf(changelog: string): string[] {
  return changelog.split(/^## /m).slice(1);
}
