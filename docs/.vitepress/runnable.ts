// Which examples of the documents run in a page, and what runs there.
import { javaScriptOf } from '../../tools/snippets.ts';
import type { Snippet } from '../../tools/snippets.ts';

/** What an example in a page may import: `playground.ts` has these. */
const modules = new Set([
  ...['', '/inbox', '/outbox', '/schemas', '/stores', '/testing', '/tools'].map(
    (entry) => `marketplace-seller-sdk${entry}`,
  ),
  'zod',
]);

/** Returns the first example of a guide that runs in a page and shows something, and each that says `run` in its fence. */
export function runnable<S extends Pick<Snippet, 'code' | 'marks'>>(path: string, snippets: readonly S[]): S[] {
  const isShownOnly = (marks: readonly string[]): boolean => marks.includes('no-run') || marks.includes('quoted');
  const able = snippets.filter(({ code, marks }) => !isShownOnly(marks) && runsInPage(code));
  const [first] = path.startsWith('docs/guide/') ? able : [];
  return able.filter((each) => each === first || each.marks.includes('run'));
}

function runsInPage(code: string): boolean {
  const imported = [...code.matchAll(/\bfrom '([^']+)'/g)].map(([, name = '']) => name);
  const showsSomething = /\bawait\b/.test(code) || code.includes('console.log(');
  return showsSomething && imported.every((name) => modules.has(name)) && !/\.listen\(|\bsqlite\w+\(/.test(code);
}

/** The tag that puts a button "Run" below an example. */
export function runButton(code: string): string {
  return `<RunExample program="${encodeURIComponent(javaScriptOf(code))}" />\n`;
}
