import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { headingsOf } from '../tools/headings.ts';

const root = join(import.meta.dirname, '..');
const inDocs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md') || name === 'llms.txt'),
  ...inDocs
    .filter((path) => path.endsWith('.md') && !path.includes('node_modules'))
    .map((path) => `docs/${path.replaceAll('\\', '/')}`),
  'examples/README.md',
];

test('every relative link leads to a file, and to a heading where it names one', () => {
  const broken = documents.flatMap((from) => {
    return linksIn(from)
      .filter((link) => !leads(from, link))
      .map((link) => `${from}: ${link}`);
  });
  expect(broken).toEqual([]);
});

test('no page of the package leads to a file that the package does not contain', () => {
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] };
  const always = ['README.md', 'LICENSE', 'package.json'];
  const isPacked = (path: string): boolean =>
    [...always, ...files].some((each) => path === each || path.startsWith(`${each}/`));
  const packed = documents.filter(isPacked);
  expect(packed.length).toBeGreaterThan(30);
  const astray = packed.flatMap((from) =>
    [...linksIn(from), ...imagesIn(from)]
      .map((link) => posix.join(dirname(from), link.split('#')[0] ?? ''))
      .filter((path) => !isPacked(path.replace(/\/$/, '')) && path !== posix.join(dirname(from), ''))
      .map((path) => `${from}: ${path}`),
  );
  expect(astray).toEqual([]);
});

test.each(['docs/README.md', 'llms.txt'])('%s names every guide', (index) => {
  const guides = documents.filter((path) => path.startsWith('docs/guide/'));
  const named = linksIn(index).map((link) => posix.join(dirname(index), link));
  expect(guides.filter((path) => !named.includes(path))).toEqual([]);
});

test('the promise of a version is about every entry', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: object };
  const text = readFileSync(join(root, 'docs/versioning.md'), 'utf8');
  const entries = Object.keys(exports).filter((entry) => entry !== './package.json');
  expect(entries.filter((entry) => !text.includes(`\`${entry}\``))).toEqual([]);
});

test('the list of decisions names every decision', () => {
  const decisions = documents.filter((path) => path.startsWith('docs/decisions/') && !path.endsWith('README.md'));
  const named = linksIn('docs/decisions/README.md').map((link) => posix.join('docs/decisions', link));
  expect(decisions.filter((path) => !named.includes(path))).toEqual([]);
});

/** The targets of the links of a document that stay within the project. */
function linksIn(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8').replace(/^```[\s\S]*?^```/gm, '');
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

/** The images of a document, which are elements of HTML where they have a version for dark screens. */
function imagesIn(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(/\b(?:src|srcset)="([^"]+)"/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

function leads(from: string, link: string): boolean {
  const [path = '', heading] = link.split('#');
  const target = path === '' ? from : posix.join(dirname(from), path);
  if (!existsSync(join(root, target))) return false;
  if (heading === undefined) return true;
  return headingsOf(readFileSync(join(root, target), 'utf8')).some(({ anchor }) => anchor === heading);
}
