import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { missingSteps } from '../tools/prestart.mjs';

const root = join(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  name: string;
  exports: Record<string, { import: { default: string }; require: { default: string } } | string>;
  dependencies: Record<string, string>;
};
const entries = Object.entries(manifest.exports).flatMap(([path, target]) =>
  typeof target === 'string'
    ? []
    : [{ name: manifest.name + path.slice(1), esm: target.import.default, cjs: target.require.default }],
);

beforeAll(() => {
  const steps = missingSteps(root).map(({ reason, command }) => `${command} (${reason})`);
  if (steps.length > 0) throw new Error(`These tests read dist; first run: ${steps.join(', ')}`);
});

describe.each(entries)('$name', ({ name, esm, cjs }) => {
  test('gives the same names to ES modules and to CommonJS', () => {
    const said = run(`
      const { createRequire } = await import('node:module');
      const required = createRequire(process.cwd() + '/')('${name}');
      const imported = await import('${name}');
      say({ imported: Object.keys(imported), required: Object.keys(required) });
    `) as { imported: string[]; required: string[] };
    expect(said.imported).not.toEqual([]);
    expect(said.required.toSorted()).toEqual(said.imported.toSorted());
  });

  test('does no work when it is loaded', () => {
    const left = run(`
      await import('${name}');
      // What read the files themselves is done by then.
      await new Promise((resolve) => setTimeout(resolve, 20));
      say(process.getActiveResourcesInfo());
    `) as string[];
    // Node itself opens its standard output for the first `Request` that is made.
    expect(left.filter((each) => !/^(Pipe|TTY)Wrap$/.test(each))).toEqual([]);
  });

  test('loads no package with itself, in either form', () => {
    const [imported, required] = [loadedWith(esm), loadedWith(cjs)];
    const packages = [...imported, ...required].filter((each) => Object.keys(manifest.dependencies).includes(each));
    expect(packages).toEqual([]);
    // Both are split alike: what one way of reading the files sees, the other does.
    expect(required).toHaveLength(imported.length);
    expect(imported.length).toBeGreaterThan(1);
  });
});

test('the client runs where there is no Node: nothing of it is loaded with the main entry', () => {
  const { esm } = entries.find(({ name }) => name === manifest.name)!;
  expect(loadedWith(esm).filter((each) => each.startsWith('node:'))).toEqual([]);
});

test('an error is recognised by the classes of another copy of the package', () => {
  const said = run(`
    const { createRequire } = await import('node:module');
    const cjs = createRequire(process.cwd() + '/')('${manifest.name}');
    const esm = await import('${manifest.name}');
    const details = { status: 400, headers: new Headers(), body: undefined, causes: [] };
    const error = new cjs.QuestionNotOpenError('refused', details);
    const is = (name) => error instanceof esm[name];
    const names = ['QuestionNotOpenError', 'BadRequestError', 'ApiError', 'SellerError', 'NotFoundError'];
    say({ same: cjs.ApiError === esm.ApiError, is: names.map(is) });
  `);
  expect(said).toEqual({ same: false, is: [true, true, true, true, false] });
});

test('the page that an error points to is in the package', () => {
  const docs = run(`
    const { ConfigurationError } = await import('${manifest.name}');
    say(new ConfigurationError('wrong').docs);
  `) as string;
  expect(existsSync(join(root, relative(manifest.name, docs)))).toBe(true);
});

/** Runs a program that finds the package by its name, as users do; gives back what it says. */
function run(program: string): unknown {
  const say = 'const say = (value) => process.stdout.write(JSON.stringify(value));';
  const node = [
    process.execPath,
    ['--input-type=module', '-e', say + program],
    { cwd: root, encoding: 'utf8' },
  ] as const;
  return JSON.parse(execFileSync(...node)) as unknown;
}

/** How esbuild writes what is loaded at once, at the beginning of a line: `import`, `export ... from`, `require`. */
const loads =
  /^(?:(?:import|export)\s+(?:[^'";]*?from\s+)?|(?:var|const) \w+ = (?:__toESM\()?require\()["']([^"']+)["']/gm;

/** The files of dist and the packages that come with a file of dist, without what it loads later. */
function loadedWith(start: string): string[] {
  const found = new Set([start.replace(/^\.\//, '')]);
  for (const file of found) {
    if (!file.startsWith('dist/')) continue;
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, to = ''] of text.matchAll(loads)) found.add(to.startsWith('.') ? join(file, '..', to) : to);
  }
  return [...found];
}
