// What the benchmarks measured, as it is kept in bench/results.json, and the documents that show it.
import type { Figure, Row } from './measure.ts';

/** A row with what is to be known of its measurement. */
export interface Result extends Row {
  readonly origin: string;
}

/** The results with these rows: they replace those with their titles, and follow each other where they are new. */
export function merged(results: readonly Result[], rows: readonly Row[], origin: string): Result[] {
  const all = [...results];
  let before = all.length - 1;
  for (const row of rows) {
    const known = all.findIndex(({ title }) => title === row.title);
    before = known < 0 ? before + 1 : known;
    all.splice(before, known < 0 ? 0 : 1, { ...row, origin });
  }
  return all;
}

const about = [
  '# Results of `npm run bench`',
  '',
  'Medians of at least five runs that take turns, with the lowest and the highest run beside them. The ratio is to the first',
  'line of each table, run by run. Compare two lines only where their ranges do not touch. A figure without a range was',
  'measured once. Each section says when it was measured.',
  '',
].join('\n');

/** The page bench/results.md. */
export function page(results: readonly Result[]): string {
  return [about, ...results.map(section)].join('\n');
}

/** A row as a section of the page, as it is printed too. */
export function section(row: Result): string {
  const { title, goal, origin, unit, figures } = row;
  const head = `| | ${unit || 'count'} | range | ratio | range |\n| --- | ---: | ---: | ---: | ---: |`;
  return `## ${title}\n\nTo reach: ${goal}.${verdict(row)} ${origin}\n\n${head}\n${figures.map(line).join('\n')}\n`;
}

/** Whether the goal was met, in words. */
function verdict({ limits, figures }: Row): string {
  if (!limits) return '';
  const figureOf = (who: string): Figure | undefined => figures.find((each) => each.who === who);
  const isMet = limits.every(({ who, ratio = Infinity, of, value = Infinity, below = [] }) => {
    const figure = figureOf(who);
    if (!figure) return false;
    const others = below.map((other) => figureOf(other)?.value ?? Infinity);
    const base = of === undefined ? 1 : (figureOf(of)?.ratio ?? 0);
    return (
      (figure.ratio ?? 0) <= ratio * base && figure.value <= value && others.every((other) => figure.value < other)
    );
  });
  return isMet ? ' Met.' : ' **Missed.**';
}

function line({ who, value, range, ratio, ratioRange }: Figure): string {
  const ratios =
    ratio === undefined ? ' | ' : `${ratio.toFixed(2)} | ${between(ratioRange, (each) => each.toFixed(2))}`;
  return `| ${who} | ${round(value)} | ${between(range, round)} | ${ratios} |`;
}

function between(range: readonly [number, number] | undefined, written: (value: number) => string): string {
  return range === undefined ? '' : range.map(written).join(' to ');
}

function round(value: number): string {
  return value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}

/** The parts of the guide about performance that show figures, by the name of their region. */
export function regions(results: readonly Result[]): Record<string, string> {
  const origins = new Set([...callRows, ...sizeRows].flatMap(([title]) => find(results, title)?.origin ?? []));
  const legend = [
    'A figure is the median of at least five runs, with the lowest and the highest run in brackets, or it was counted.',
    '**Bold** is lower than all others in its row, with a range that touches no other. – was not measured.',
    'All calls are to one machine (loopback), over plain HTTP unless TLS is named.',
  ];
  return {
    calls: table(['this', 'over `fetch`', 'Stripe'], callRows, results, (row, column) =>
      cellOf(
        row,
        callColumns[column] ?? '',
        ({ ratio, ratioRange }) => [ratio, ratioRange],
        (value) => value.toFixed(2),
      ),
    ),
    sizes: table(['this', 'Notion', 'Octokit', 'Stripe', 'OpenAI'], sizeRows, results, (row, column) =>
      cellOf(row, sizeColumns[column] ?? '', ({ value, range }) => [value, range], round),
    ),
    legend: [...legend, ...measured(origins)].join('\n'),
    files: String(find(results, 'files that the import reads')?.figures[0]?.value ?? '?'),
    kib: kibOf(results, 'the whole client'),
    'kib-questions': kibOf(results, 'questions only'),
  };
}

/** When the shown rows were measured: a line for each environment, with its days. */
function measured(origins: Iterable<string>): string[] {
  const days = new Map<string, string[]>();
  for (const origin of [...origins].sort()) {
    const [, day = '', environment = ''] = /^Measured on (\S+) (.+)$/.exec(origin) ?? [];
    days.set(environment, [...(days.get(environment) ?? []), day]);
  }
  return [...days].map(([environment, each]) => `Measured on ${new Intl.ListFormat('en').format(each)} ${environment}`);
}

type Line = readonly [title: string, label: string];
const own = 'marketplace-seller-sdk';
const callColumns = [own, `${own} over fetch`, 'Stripe'];
const sizeColumns = [own, 'Notion', 'Octokit', 'Stripe', 'OpenAI'];
const bundle = 'weight in a bundle, minified and gzipped';
const callRows: readonly Line[] = [
  ['fresh process: import and first response', 'import and first response, time'],
  ['fresh process: CPU of import and first response over TLS', 'the same over TLS, CPU'],
  ['CPU of a call over loopback, 1 KB, 1 at a time', 'CPU per call, sequential'],
  ['CPU of a call over loopback, 1 KB, 16 at a time', 'CPU per call, 16 in parallel'],
  ['CPU of a call over loopback, 1 KB, 64 at a time', 'CPU per call, 64 in parallel'],
  ['tsc on 20 lines, TypeScript 6, skipLibCheck on', '`tsc` on 20 lines, TypeScript 6'],
  ['tsc on 20 lines, TypeScript 7, skipLibCheck on', '`tsc` on 20 lines, TypeScript 7'],
];
const sizeRows: readonly Line[] = [
  ['import alone', 'import alone, ms'],
  [bundle, 'bundle, minified and gzipped, KiB'],
  ['packages installed', 'packages installed'],
  ['installed, with dependencies', 'installed, with dependencies, MiB'],
];

interface Cell {
  readonly text: string;
  readonly range: readonly [number, number];
}

function table(
  columns: readonly string[],
  lines: readonly Line[],
  results: readonly Result[],
  cell: (row: Result, column: number) => Cell | undefined,
): string {
  const rows = lines.flatMap(([title, label]) => {
    const row = find(results, title);
    if (!row) return [];
    const cells = columns.map((_, column) => cell(row, column));
    const rivals = cells.filter((each) => each !== undefined);
    return `| ${label} | ${cells.map((each) => (each ? emphasized(each, rivals) : '–')).join(' | ')} |`;
  });
  return [`| | ${columns.join(' | ')} |`, `| --- |${' ---: |'.repeat(columns.length)}`, ...rows].join('\n');
}

/** A cell, bold where it is below all others and its range touches no other. */
function emphasized(cell: Cell, rivals: readonly Cell[]): string {
  const isLowest = rivals.every((other) => other === cell || cell.range[1] < other.range[0]);
  return isLowest ? `**${cell.text}**` : cell.text;
}

function cellOf(
  { title, figures }: Result,
  who: string,
  read: (figure: Figure) => readonly [number | undefined, readonly [number, number] | undefined],
  written: (value: number) => string,
): Cell | undefined {
  const figure = figures.find((each) => each.who === (title === bundle && who === own ? 'the whole client' : who));
  const [value, range] = figure ? read(figure) : [];
  if (value === undefined) return undefined;
  const text = range ? `${written(value)} (${between(range, written)})` : written(value);
  return { text, range: range ?? [value, value] };
}

function kibOf(results: readonly Result[], who: string): string {
  return (
    find(results, bundle)
      ?.figures.find((each) => each.who === who)
      ?.value.toFixed(0) ?? '?'
  );
}

function find(results: readonly Result[], title: string): Result | undefined {
  return results.find((each) => each.title === title);
}

/** A document with new contents of its regions, each on lines of its own or within a line. */
export function withRegions(document: string, contents: Readonly<Record<string, string>>): string {
  return document.replace(
    /(<!-- #region (\S+) -->)(\n?)[\s\S]*?(<!-- #endregion \2 -->)/g,
    (whole: string, open: string, name: string, newline: string, close: string) => {
      const space = newline.repeat(2);
      return name in contents ? [open, contents[name], close].join(space) : whole;
    },
  );
}

/** The libraries that the table of faults in the guide about performance shows. */
const shown = ['this library', 'Stripe', 'OpenAI', 'Anthropic', 'Octokit'];

/** The cells of each row of the table in bench/faults.md: the scenarios, without titles, packages and scores. */
export function faultRows(faults: string): string[][] {
  return cellsIn(faults).filter(([name = '']) => !/^$|^---|^package$|^\*\*/.test(name));
}

/** How many scenarios each library passed, of those that apply. */
export function scoresOf(rows: readonly (readonly string[])[]): string[] {
  const [first = []] = rows;
  return first.slice(2).map((_, index) => {
    const marks = rows.map((row) => row[index + 2]?.charAt(0)).filter((mark) => mark !== '–');
    return `${marks.filter((mark) => mark === '✓').length} of ${marks.length}`;
  });
}

/** The part of that guide that shows each verdict of bench/faults.md, without what was observed. */
export function faultsRegion(faults: string): string {
  const [head = [], , , ...rows] = cellsIn(faults);
  const columns = shown.map((name) => head.indexOf(name));
  const cellsOf = (row: readonly string[]): string[] =>
    columns.map((at) => /^[✓✗–]|[\d ]*of \d+/.exec(row[at] ?? '')?.[0] ?? '');
  const lines = rows.map((row) => `| ${(row[0] ?? '').replaceAll('**', '')} | ${cellsOf(row).join(' | ')} |`);
  return [`| | ${shown.join(' | ')} |`, `| --- |${' :-: |'.repeat(shown.length)}`, ...lines].join('\n');
}

function cellsIn(table: string): string[][] {
  const lines = table.split('\n').filter((each) => each.startsWith('|'));
  return lines.map((each) =>
    each
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}
