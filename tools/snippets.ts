import { join } from 'node:path';
import ts from 'typescript';

/** A piece of code in a document. */
export interface Snippet {
  /** Where it stands, e.g. `README.md:12`. */
  readonly at: string;
  readonly code: string;
  /** What its fence says after `ts`, e.g. `no-run`. */
  readonly marks: readonly string[];
}

/** The TypeScript blocks of a Markdown document. */
export function snippetsIn(document: string, markdown: string): Snippet[] {
  const fences = /^```(?:ts|typescript)\b([^\n]*)\n([\s\S]*?)^```/gm;
  return [...markdown.matchAll(fences)].map(({ index, 1: marks = '', 2: code = '' }) => ({
    at: `${document}:${lineAt(markdown, index) + 1}`,
    code,
    marks: marks.split(/\s+/).filter((mark) => mark !== ''),
  }));
}

/** The `@example` blocks in the JSDoc of a source file. */
export function examplesIn(path: string, text: string): Snippet[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  const found = new Map<number, Snippet>();
  const visit = (node: ts.Node): void => {
    for (const tag of ts.getJSDocTags(node).filter(({ tagName }) => tagName.text === 'example')) {
      const code = ts.getTextOfJSDocComment(tag.comment) ?? '';
      found.set(tag.pos, { at: `${path}:${lineAt(text, tag.pos) + 1}`, code: `${unfenced(code)}\n`, marks: [] });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return [...found.values()];
}

function unfenced(code: string): string {
  return code.replace(/^```\w*\n([\s\S]*?)\n```$/m, '$1');
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

/** Names that a snippet may use without declaring them, and their types. */
export type Given = Readonly<Record<string, string>>;

/**
 * Checks the types of snippets, all in one program. What a snippet uses and does not declare comes from `given`.
 *
 * @returns a sentence for each thing that is wrong.
 */
export function typeErrors(root: string, snippets: readonly Snippet[], given: (snippet: Snippet) => Given): string[] {
  const config = ts.getParsedCommandLineOfConfigFile(join(root, 'tsconfig.json'), {}, configHost());
  const options = { ...config?.options, noEmit: true };
  const virtual = new Map(
    snippets.map((snippet, index) => [
      join(root, 'docs', `snippet-${index}.ts`),
      { snippet, text: standalone(snippet.code, given(snippet)) },
    ]),
  );
  const host = ts.createCompilerHost(options);
  const withSnippets: ts.CompilerHost = {
    ...host,
    fileExists: (path) => virtual.has(path) || host.fileExists(path),
    readFile: (path) => virtual.get(path)?.text ?? host.readFile(path),
    getSourceFile: (path, ...rest) => {
      const text = virtual.get(path)?.text;
      return text === undefined ? host.getSourceFile(path, ...rest) : ts.createSourceFile(path, text, rest[0]);
    },
  };
  const program = ts.createProgram([...virtual.keys()], options, withSnippets);
  return [...virtual].flatMap(([path, { snippet }]) => {
    const file = program.getSourceFile(path);
    const diagnostics = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return diagnostics.filter(({ code }) => code !== implicitAny).map((each) => sentence(each, snippet));
  });
}

/** A callback shown by itself has parameters that only its user gives types. */
const implicitAny = 7006;

function configHost(): ts.ParseConfigFileHost {
  return { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (found) => throwing(found.messageText) };
}

function throwing(message: string | ts.DiagnosticMessageChain): never {
  throw new Error(ts.flattenDiagnosticMessageText(message, '\n'));
}

/** What is given stands on one line before the code, so that line numbers are easily told. */
function standalone(code: string, given: Given): string {
  const own = declaredIn(code);
  const declared = Object.entries(given)
    .filter(([name]) => uses(code, name) && !own.has(name))
    .map(([name, type]) => `declare const ${name}: ${type};`);
  return `${declared.join(' ')} export {};\n${code}`;
}

/** Whether a snippet uses one of these names without declaring it. */
export function usesAny({ code }: Snippet, given: Given): boolean {
  const own = declaredIn(code);
  return Object.keys(given).some((name) => uses(code, name) && !own.has(name));
}

/** Whether a snippet has a word; words in strings count too, which does no harm. */
function uses(code: string, name: string): boolean {
  return new RegExp(`(?<!\\w|[^.]\\.)${name}\\b`).test(code);
}

/** The names that a snippet imports or declares, in whatever scope. */
function declaredIn(code: string): Set<string> {
  const names = new Set<string>();
  const collect = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && isNameOf(node.parent, node)) names.add(node.text);
    ts.forEachChild(node, collect);
  };
  collect(ts.createSourceFile('snippet.ts', code, ts.ScriptTarget.ES2023, true));
  return names;
}

function isNameOf(node: ts.Node, name: ts.Identifier): boolean {
  if (ts.isImportSpecifier(node) || ts.isVariableDeclaration(node) || ts.isBindingElement(node))
    return node.name === name;
  return (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) && node.name === name;
}

function sentence({ file, start, messageText }: ts.Diagnostic, snippet: Snippet): string {
  const line = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line : 0;
  const text = ts.flattenDiagnosticMessageText(messageText, '\n');
  return `${snippet.at}, line ${line} of it: ${text}`;
}

/**
 * Runs a snippet: `modules` are what it may import, `given` are names it finds as they are.
 *
 * @throws whatever it throws.
 */
export async function runSnippet(
  { code }: Snippet,
  modules: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
): Promise<void> {
  const compilerOptions = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.CommonJS };
  const { outputText } = ts.transpileModule(code, { compilerOptions });
  const load = (name: string): unknown => {
    if (!(name in modules)) throw new Error(`A snippet imports '${name}', which it is not given`);
    return modules[name];
  };
  // Within a block, a snippet may declare again what it is given.
  const run = new AsyncFunction('require', 'exports', ...Object.keys(given), `{${outputText}\n}`);
  await run(load, {}, ...Object.values(given));
}

const { constructor: AsyncFunction } = Object.getPrototypeOf(runSnippet) as {
  constructor: new (...parts: string[]) => (...values: unknown[]) => Promise<void>;
};
