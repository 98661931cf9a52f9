// The page bench/results.md: one section for each row. A benchmark replaces its own sections, so it can be repeated alone.
import type { Figure, Row } from './measure.ts';

const preface = [
  '# Results of `npm run bench`',
  '',
  'Medians of interleaved runs, with the middle half of the measurements beside them. The ratio is to the first line of each',
  'table. Ratios move by about a tenth between runs: compare two lines only where their middle halves do not touch. Each',
  'section says when it was measured.',
  '',
].join('\n');

/**
 * The page with these rows: they replace the sections with their titles, and follow each other where they are new. Other
 * sections stay.
 */
export function pageWith(page: string, rows: readonly Row[], origin: string): string {
  const sections = new Map(
    page
      .split(/^(?=## )/m)
      .slice(1)
      .map((text) => [titleOf(text), text]),
  );
  let before: string | undefined;
  let titles = [...sections.keys()];
  for (const row of rows) {
    if (!sections.has(row.title)) {
      const at = before === undefined ? titles.length : titles.indexOf(before) + 1;
      titles = titles.toSpliced(at, 0, row.title);
    }
    sections.set(row.title, section(row, origin));
    before = row.title;
  }
  return [preface, ...titles.map((title) => `${(sections.get(title) ?? '').trimEnd()}\n`)].join('\n');
}

/** A row as a section, as it is printed too. */
export function section(row: Row, origin: string): string {
  const lines = row.figures.map(line).join('\n');
  return `## ${row.title}\n\nTo reach: ${row.goal}. ${origin}\n\n${header(row.unit)}\n${lines}\n`;
}

function titleOf(text: string): string {
  return /^## (.*)/.exec(text)?.[1] ?? '';
}

function header(unit: string): string {
  return `| | ${unit || 'count'} | middle half | ratio |\n| --- | ---: | ---: | ---: |`;
}

function line({ who, value, spread, ratio }: Figure): string {
  const half = spread ? `${round(spread[0])} to ${round(spread[1])}` : '';
  return `| ${who} | ${round(value)} | ${half} | ${ratio === undefined ? '' : ratio.toFixed(2)} |`;
}

function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}
