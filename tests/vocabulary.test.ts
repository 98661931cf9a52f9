import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

// The field has a standard term for each of these. A reader who knows HTTP clients should not have to learn ours.

/** A word that does not occur in the repository, and what to say instead. */
interface OldWord {
  /** As a whole word, also as a part of a name in camelCase. */
  readonly word: string;
  readonly instead: string;
  /** A word of English or of this domain as well: it is only kept out of the names in code. */
  readonly onlyInNames?: true;
  /** Where the word means something else. */
  readonly except?: RegExp;
}

const oldWords: readonly OldWord[] = [
  { word: 'errand', instead: '"request context": the state of one call' },
  { word: 'fate', instead: '"failed attempt": a failure that was classified' },
  { word: 'doubt', instead: '"outcome unknown": a write that may have been carried out' },
  { word: 'passage', instead: '"attempt report": what a limiter learns about an attempt' },
  { word: 'onion', instead: '"compose middleware"' },
  { word: 'telling', instead: '"emit": sending an event to its listeners' },
  { word: 'evidence', instead: '"diagnostics" of an error' },
  { word: 'refusal', instead: '"error response", or "documented error" for one of the specification' },
  {
    word: 'refused',
    instead: '"failed with 400" or "rejected"',
    except: /connection (was )?refused|refused connection/i,
  },
  { word: 'refuses', instead: '"rejects"' },
  { word: 'heard', instead: '"received"' },
  { word: 'heeds', instead: '"respects" or "ignores"' },
  { word: 'heed', instead: '"respect" or "ignore"' },
  { word: 'lane', instead: '"group": notifications that are handled in order' },
  { word: 'lanes', instead: '"groups"' },
  { word: 'loan', instead: '"lease": the time for which a worker has a notification' },
  { word: 'loans', instead: '"leases"' },
  { word: 'lend', instead: '"lease"' },
  { word: 'lends', instead: '"leases"' },
  { word: 'lent', instead: '"leased"' },
  { word: 'bury', instead: '"dead-letter"' },
  { word: 'buried', instead: '"dead-lettered"' },
  { word: 'grave', instead: '"dead letter"' },
  { word: 'graves', instead: '"dead letters"' },
  { word: 'obituary', instead: '"the data of a dead letter"' },
  { word: 'exhume', instead: '"redrive" or "remove" a dead letter' },
  { word: 'mailbox', instead: '"message store"' },
  { word: 'dice', instead: '"random": a seeded generator' },
  { word: 'planting', instead: '"applying a seed"' },
  { word: 'planted', instead: '"seeded"' },
  { word: 'sketch', instead: '"init": the initial values of an object, as in RequestInit' },
  { word: 'sketches', instead: '"inits"' },
  { word: 'manners', instead: '"conventions" or "options"' },
  { word: 'frontier', instead: '"offset tracker": the position in a list that changes' },
  { word: 'walk', instead: '"iterate" or "paginate"' },
  { word: 'walks', instead: '"iterates" or "paginates"' },
  { word: 'walked', instead: '"iterated" or "paginated"' },
  { word: 'road', instead: '"channel"' },
  { word: 'roads', instead: '"channels"' },
  { word: 'whoever', instead: 'the subject itself' },
  { word: 'in life', instead: '"in production"' },
  { word: 'so many', instead: 'the number or "how many"' },
  { word: 'law tests', instead: '"contract tests"' },
  { word: 'a page a class', instead: '"one page per class"' },
  { word: 'a line a request', instead: '"one line per request"' },
  { word: 'a bar a day', instead: '"one bar per day"' },
  { word: 'pace', instead: '"rate limiter" or "rate"', onlyInNames: true },
  { word: 'gate', instead: '"limiter": the option that a call acquires', onlyInNames: true },
  { word: 'sight', instead: '"observed page"', onlyInNames: true },
  { word: 'desk', instead: '"store" of the fake marketplace', onlyInNames: true },
  { word: 'behaviour', instead: '"handler" of the fake marketplace', onlyInNames: true },
  { word: 'behaviours', instead: '"handlers" of the fake marketplace', onlyInNames: true },
  { word: 'bounds', instead: '"cancel scope"', onlyInNames: true },
];

const root = join(import.meta.dirname, '..');
const folders = ['src', 'tests', 'tools', 'examples', 'bench', 'docs'];
const documents = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'llms.txt', '.ci/run'];

/** The repository's own texts but this list, by the files that are committed or about to be. */
const texts: readonly (readonly [path: string, text: string])[] = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', ...folders, ...documents],
  { cwd: root, encoding: 'utf8' },
)
  .split('\n')
  .filter((path) => /\.(ts|js|mjs|cjs|md|txt|html|css|json|vue)$|^\.ci\/run$/.test(path))
  .filter((path) => path !== 'tests/vocabulary.test.ts' && existsSync(join(root, path)))
  .map((path) => [path, readFileSync(join(root, path), 'utf8')]);

/** The lines that have a word in one of the ways in which it may be spelt, with their places. */
function linesWith(word: string): { at: string; line: string }[] {
  const spellings = [word, capitalized(word)];
  const having = texts.filter(([, text]) => spellings.some((each) => text.includes(each)));
  return having.flatMap(([path, text]) =>
    text.split('\n').map((line, index) => ({ at: `${path}:${index + 1}`, line })),
  );
}

describe('the repository uses the terms of its field', () => {
  test('the texts are found', () => {
    expect(texts.length).toBeGreaterThan(500);
    expect(linesWith('import').length).toBeGreaterThan(10_000);
  });

  test.each(oldWords)('"$word" is not used: say $instead', ({ word, except, onlyInNames }) => {
    const pattern = onlyInNames ? nameWith(word) : anyUse(word);
    const found = linesWith(word).filter(({ line }) => pattern.test(line) && !(except?.test(line) ?? false));
    expect(found.map(({ at, line }) => `${at}: ${line.trim().slice(0, 120)}`)).toEqual([]);
  });
});

function capitalized(word: string): string {
  return word[0]!.toUpperCase() + word.slice(1);
}

/** The word in prose, and as a part of a name: `errand`, `Errand`, `errandOf`, `thisErrand`. */
function anyUse(word: string): RegExp {
  const capital = capitalized(word);
  const inNames = word.includes(' ') ? '' : `|[a-z]${capital}(?![a-z])|(?<![A-Za-z])${word}(?=[A-Z])`;
  return new RegExp(`(?<![A-Za-z])(?:${word}|${capital})(?![A-Za-z])${inNames}`);
}

/** The word as a name that is declared, or a part of one: `class Gate`, `pace:`, `paceOf`. */
function nameWith(word: string): RegExp {
  const capital = capitalized(word);
  const declared = `(?:const|let|class|interface|type|function|readonly) (?:${word}|${capital})(?![a-z])`;
  return new RegExp(`${declared}|[a-z]${capital}(?![a-z])|(?<![A-Za-z])${word}(?=[A-Z])`);
}
