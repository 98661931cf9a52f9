import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { createTypedProject } from './typed-project.ts';

/** A piece of code in a document. */
export interface Snippet {
  /** Its position, e.g. `README.md:12`. */
  readonly at: string;
  readonly code: string;
  /** The words after `ts` in its fence, e.g. `no-run`. */
  readonly marks: readonly string[];
}

/** The TypeScript blocks of a Markdown document, without those that quote a part of a program (`ts quoted`). */
export function snippetsIn(document: string, markdown: string): Snippet[] {
  const fences = /^```(?:ts|typescript)\b(?! quoted)([^\n]*)\n([\s\S]*?)^```/gm;
  return [...markdown.matchAll(fences)].map(({ index, 1: marks = '', 2: code = '' }) => ({
    at: `${document}:${lineAt(markdown, index) + 1}`,
    code,
    marks: marks.split(/\s+/).filter((mark) => mark !== ''),
  }));
}

/** The `@example` blocks in the JSDoc of a source file. */
export function examplesIn(path: string, text: string): Snippet[] {
  const examples = /^( *)\* @example(.*\n(?:\1\*(?! @|\/).*\n)*)/gm;
  return [...text.matchAll(examples)].map(({ index, 2: lines = '' }) => ({
    at: `${path}:${lineAt(text, index) + 1}`,
    code: lines.replace(/^ *\* ?(```.*)?/gm, '').trimStart(),
    marks: [],
  }));
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

/** The names that a snippet may use without declaring them, with their types. */
export type Given = Readonly<Record<string, string>>;

/**
 * Checks the types of snippets, all in one program. Names that a snippet does not declare come from `given`.
 *
 * @returns one sentence per error.
 */
export async function typeErrors(
  root: string,
  snippets: readonly Snippet[],
  given: (snippet: Snippet) => Given,
): Promise<string[]> {
  const files = snippets.map((each, index) => [`snippet-${index}.ts`, standalone(each.code, given(each))] as const);
  const folder = createTypedProject(root, Object.fromEntries(files));
  try {
    const options = ['--singleThreaded', '--pretty', 'false'];
    await promisify(execFile)(process.execPath, [join(root, 'tools/tsc.mjs'), ...options], { cwd: folder });
    return [];
  } catch (error) {
    const printed = (error as { stdout?: string }).stdout ?? '';
    const errors = [...printed.matchAll(/^(\S+)\((\d+),\d+\): error TS(\d+): (.*(?:\n .*)*)/gm)];
    if (errors.length === 0) throw error;
    return errors
      .filter(([, , , code]) => code !== implicitAny)
      .map(([, file = '', line, , text]) => {
        const snippet = snippets[files.findIndex(([name]) => name === file)];
        return `${snippet?.at ?? file}, line ${Number(line) - 1} of it: ${text}`;
      });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A callback that is shown alone has parameters without types. */
const implicitAny = '7006';

/** Declares the given names on one line before the code, so that line numbers are easy to compute. */
function standalone(code: string, given: Given): string {
  const declared = namesFrom(given, code).map((name) => `declare const ${name}: ${given[name]};`);
  return `${declared.join(' ')} export {};\n${code}`;
}

/** The given names that code uses without declaring them. A word in a string counts as well, which is harmless. */
export function namesFrom(given: Given, code: string): string[] {
  const own = declaredIn(code);
  return Object.keys(given).filter((name) => !own.has(name) && new RegExp(`(?<!\\w|[^.]\\.)${name}\\b`).test(code));
}

/** Returns the names that a snippet imports or declares, in any scope. */
function declaredIn(code: string): Set<string> {
  const names = new Set<string>();
  const collect = (node: ts.Node): void => {
    const isDeclared = ts.isImportSpecifier(node) || ts.isVariableDeclaration(node) || ts.isBindingElement(node);
    const isNamed = isDeclared || ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node);
    if (isNamed && node.name && ts.isIdentifier(node.name)) names.add(node.name.text);
    ts.forEachChild(node, collect);
  };
  collect(ts.createSourceFile('snippet.ts', code, ts.ScriptTarget.ES2023));
  return names;
}

/**
 * Runs a snippet. It may import `modules` and use the names in `given`.
 *
 * @throws what the snippet throws.
 */
export async function runSnippet(
  { code }: Snippet,
  modules: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
): Promise<void> {
  await compiled(code)(modules, given);
}

/** A snippet as CommonJS, without its types. */
export function javaScriptOf(code: string): string {
  const compilerOptions = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.CommonJS };
  return ts.transpileModule(code, { compilerOptions }).outputText;
}

/** Runs compiled code. It may import `modules` and use the names in `given`. */
export type RunCompiled = (
  modules: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
) => Promise<void>;

/** Compiles a snippet, which can then run several times. */
export function compiled(code: string): RunCompiled {
  const program = javaScriptOf(code);
  return async (modules, given) => {
    const load = (name: string): unknown => {
      if (!(name in modules)) throw new Error(`A snippet imports '${name}', which is not available`);
      return modules[name];
    };
    // Inside a block, a snippet may redeclare the given names.
    const run = new AsyncFunction('require', 'exports', ...Object.keys(given), `{${program}\n}`);
    await run(load, {}, ...Object.values(given));
  };
}

const { constructor: AsyncFunction } = Object.getPrototypeOf(runSnippet) as {
  constructor: new (...parts: string[]) => (...values: unknown[]) => Promise<void>;
};
