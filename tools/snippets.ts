import { join } from 'node:path';
import ts from 'typescript';

/** A piece of code in a document. */
export interface Snippet {
  /** Its position, e.g. `README.md:12`. */
  readonly at: string;
  readonly code: string;
  /** The words after `ts` in its fence, e.g. `no-run`. */
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

/** The names that a snippet may use without declaring them, with their types. */
export type Given = Readonly<Record<string, string>>;

/**
 * Checks the types of snippets, all in one program. Names that a snippet does not declare come from `given`.
 *
 * @returns one sentence per error.
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

/** A callback that is shown alone has parameters without types. */
const implicitAny = 7006;

function configHost(): ts.ParseConfigFileHost {
  return { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (found) => throwing(found.messageText) };
}

function throwing(message: string | ts.DiagnosticMessageChain): never {
  throw new Error(ts.flattenDiagnosticMessageText(message, '\n'));
}

/** Declares the given names on one line before the code, so that line numbers are easy to compute. */
function standalone(code: string, given: Given): string {
  const own = declaredIn(code);
  const declared = Object.entries(given)
    .filter(([name]) => uses(code, name) && !own.has(name))
    .map(([name, type]) => `declare const ${name}: ${type};`);
  return `${declared.join(' ')} export {};\n${code}`;
}

/** Returns whether a snippet uses one of these names without declaring it. */
export function usesAny({ code }: Snippet, given: Given): boolean {
  const own = declaredIn(code);
  return Object.keys(given).some((name) => uses(code, name) && !own.has(name));
}

/** Returns whether a snippet contains a word. Words in strings count as well, which is harmless. */
function uses(code: string, name: string): boolean {
  return new RegExp(`(?<!\\w|[^.]\\.)${name}\\b`).test(code);
}

/** Returns the names that a snippet imports or declares, in any scope. */
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
 * Runs a snippet. It may import `modules` and use the names in `given`.
 *
 * @throws what the snippet throws.
 */
export async function runSnippet(
  { code }: Snippet,
  modules: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
): Promise<void> {
  const compilerOptions = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.CommonJS };
  const { outputText } = ts.transpileModule(code, { compilerOptions });
  const load = (name: string): unknown => {
    if (!(name in modules)) throw new Error(`A snippet imports '${name}', which is not available`);
    return modules[name];
  };
  // Inside a block, a snippet may redeclare the given names.
  const run = new AsyncFunction('require', 'exports', ...Object.keys(given), `{${outputText}\n}`);
  await run(load, {}, ...Object.values(given));
}

const { constructor: AsyncFunction } = Object.getPrototypeOf(runSnippet) as {
  constructor: new (...parts: string[]) => (...values: unknown[]) => Promise<void>;
};
