// Turns the results of the mutation tester into bench/mutation.md and into the list of survivors.

/**
 * @typedef {{ mutatorName: string, replacement: string, status?: string, statusReason?: string,
 *   coveredBy?: string[], testsCompleted?: number,
 *   location: { start: Position, end: Position } }} Mutant a fault put into the source; lines and columns count from 1
 * @typedef {{ line: number, column: number }} Position
 * @typedef {{ source: string, mutants: Mutant[] }} MutatedFile
 * @typedef {Record<string, MutatedFile>} MutatedFiles
 */

const noticed = new Set(['Killed', 'Timeout']);
const survived = new Set(['Survived', 'NoCoverage']);

/**
 * @typedef {{ name: string, noticed: number, faults: number, timedOut: number, tested: string }} Score the faults of one
 *   file, and the day of the test
 */

/**
 * The part of bench/mutation.md about one room: the score of the room and of each file, worst first.
 *
 * @param {string} room
 * @param {Score[]} scores
 * @param {string} origin what was run
 */
export function section(room, scores, origin) {
  const all = scores
    .filter(({ faults }) => faults > 0)
    .sort((a, b) => a.noticed / a.faults - b.noticed / b.faults || b.faults - a.faults);
  /** @param {'noticed' | 'faults' | 'timedOut'} column */
  const sum = (column) => all.reduce((total, score) => total + score[column], 0);
  const total = { noticed: sum('noticed'), faults: sum('faults'), timedOut: sum('timedOut'), tested: '' };
  return [
    `## ${room}`,
    '',
    origin,
    '',
    '| File | Noticed | Faults | Survived | Timed out | Tested |',
    '| --- | ---: | ---: | ---: | ---: | --- |',
    row({ name: `**${all.length} ${all.length === 1 ? 'file' : 'files'}**`, ...total }),
    ...all.map(({ name, ...score }) => row({ name: `\`${name}\``, ...score })),
    '',
  ].join('\n');
}

/**
 * @param {string} name
 * @param {Mutant[]} mutants those that were tested; others are constants of a module, or do not run
 * @param {string} tested
 * @returns {Score}
 */
export function score(name, mutants, tested) {
  const seen = mutants.filter(({ status }) => noticed.has(status ?? '')).length;
  const left = mutants.filter(({ status }) => survived.has(status ?? '')).length;
  const timedOut = mutants.filter(isTimeout).length;
  return { name, noticed: seen, faults: seen + left, timedOut, tested };
}

/** @param {Score} line */
function row({ name, noticed, faults, timedOut, tested }) {
  const share = `${Math.floor((100 * noticed) / faults)} %`;
  return `| ${name} | ${share} | ${faults} | ${faults - noticed} | ${timedOut} | ${tested} |`;
}

/**
 * The scores of the files of a room that the page lists.
 *
 * @param {string} page
 * @param {string} room
 * @returns {Score[]}
 */
export function listedScores(page, room) {
  const part = page.split(/^## /m).find((text) => text.startsWith(`${room}\n`)) ?? '';
  const rows = part.matchAll(/^\| `(.+?)` \| \d+ % \| (\d+) \| (\d+) \| (\d+) \| (.+?) \|$/gm);
  return [...rows].map(([, name = '', faults, left, timedOut, tested = '']) => ({
    name,
    noticed: Number(faults) - Number(left),
    faults: Number(faults),
    timedOut: Number(timedOut),
    tested,
  }));
}

/**
 * One line per fault that no test noticed: where, what the source says there, and what it was replaced by.
 *
 * @param {MutatedFiles} files
 */
export function survivors(files) {
  return Object.entries(files).flatMap(([name, { source, mutants }]) =>
    mutants
      .filter(({ status }) => survived.has(status ?? ''))
      .map(({ location: { start, end }, replacement, mutatorName }) => {
        const original = textBetween(source, start, end);
        return `${name}:${start.line}:${start.column} ${mutatorName}: ${oneLine(original)} -> ${oneLine(replacement)}`;
      }),
  );
}

/**
 * @param {string} source
 * @param {Position} start
 * @param {Position} end
 */
function textBetween(source, start, end) {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  const last = lines.length - 1;
  lines[last] = (lines[last] ?? '').slice(0, end.column - 1);
  lines[0] = (lines[0] ?? '').slice(start.column - 1);
  return lines.join('\n');
}

/** @param {string} text */
function oneLine(text) {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}

/**
 * Tells whether a fault was noticed only because a test, or the whole run, took too long.
 *
 * @param {Mutant} mutant
 */
export function isTimeout({ status, statusReason }) {
  return status === 'Timeout' || (status === 'Killed' && (statusReason ?? '').includes('timed out'));
}

/**
 * The page with another text in the place of the section of the room, or at its end.
 *
 * @param {string} page
 * @param {string} room
 * @param {string} text
 */
export function replaceSection(page, room, text) {
  const sections = page.trimEnd().split(/\n+(?=## )/);
  const at = sections.findIndex((part) => part.startsWith(`## ${room}\n`));
  sections.splice(at < 0 ? sections.length : at, at < 0 ? 0 : 1, text.trimEnd());
  return `${sections.join('\n\n')}\n`;
}

/**
 * Tells whether a fault counts as a survivor although not all of its tests ran: then the tools are broken, not the tests.
 *
 * @param {Mutant} mutant
 */
export function isIncomplete({ status, coveredBy = [], testsCompleted = 0 }) {
  return status === 'Survived' && testsCompleted < coveredBy.length;
}
