import { posix } from 'node:path';
import ts from 'typescript';

/** A variable of a module that can change. */
export interface ModuleVariable {
  readonly file: string;
  readonly name: string;
}

/** Classes whose instances remember something, and are empty at first. */
const rememberers = /^(?:\w*Map|\w*Set|AsyncLocalStorage|FinalizationRegistry|Array)$/;
/** Methods that change what they are called on. */
const changing = new Set(['set', 'add', 'delete', 'clear', 'push', 'pop', 'shift', 'unshift', 'splice', 'sort', 'reverse', 'fill', 'replace']); // prettier-ignore
/** Functions whose first argument is changed. */
const changingFirst = new Set(['Object.assign', 'Object.defineProperty', 'Reflect.set', 'all.replace']);

/**
 * The variables of modules that can change: `let`, static fields, what remembers, and constants that some file changes. `others` are files
 * outside of them that may change them, such as tests.
 */
export function moduleVariables(
  files: ReadonlyMap<string, string>,
  others: ReadonlyMap<string, string>,
): ModuleVariable[] {
  const found = new Map<string, ModuleVariable>();
  const add = (file: string, name: string): void => void found.set(`${file}#${name}`, { file, name });
  const constants = new Set<string>();
  const parsed = [...files, ...others].map(([file, text]) =>
    ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true),
  );
  for (const source of parsed.filter(({ fileName }) => files.has(fileName)))
    for (const { name, isVariable } of declaredIn(source)) {
      if (isVariable) add(source.fileName, name);
      else constants.add(`${source.fileName}#${name}`);
    }
  for (const source of parsed)
    for (const { file, name } of changedIn(source)) if (constants.has(`${file}#${name}`)) add(file, name);
  return [...found.values()];
}

function* declaredIn(source: ts.SourceFile): Generator<{ readonly name: string; readonly isVariable: boolean }> {
  for (const statement of source.statements) {
    if (ts.isClassDeclaration(statement)) yield* staticFieldsOf(statement);
    if (!ts.isVariableStatement(statement)) continue;
    const isConstant = (statement.declarationList.flags & ts.NodeFlags.Const) !== 0;
    for (const { name, initializer } of statement.declarationList.declarations)
      yield { name: name.getText(), isVariable: !isConstant || remembers(initializer) };
  }
}

function* staticFieldsOf({ name, members }: ts.ClassDeclaration): Generator<{ name: string; isVariable: boolean }> {
  for (const member of members.filter(ts.isPropertyDeclaration)) {
    const kinds = member.modifiers?.map(({ kind }) => kind) ?? [];
    if (!kinds.includes(ts.SyntaxKind.StaticKeyword)) continue;
    const isConstant = kinds.includes(ts.SyntaxKind.ReadonlyKeyword) && !remembers(member.initializer);
    yield { name: `${name?.text ?? ''}.${member.name.getText()}`, isVariable: !isConstant };
  }
}

/** Whether a value is there to be changed. A map or a set with its content is a table, unless something changes it. */
export function remembers(value: ts.Expression | undefined): boolean {
  const of = (value as { readonly expression?: ts.Expression } | undefined)?.expression;
  if (value && (ts.isAsExpression(value) || ts.isParenthesizedExpression(value))) return remembers(value.expression);
  if (value && ts.isCallExpression(value)) return value.expression.getText() === 'ofProcess';
  if (!value || !ts.isNewExpression(value) || !of || !rememberers.test(of.getText())) return false;
  const [content] = value.arguments ?? [];
  const isTable = content !== undefined && /^(?:Map|Set)$/.test(of.getText());
  return !isTable;
}

/** What a file changes: its own variables, and those that it imports. */
function* changedIn(source: ts.SourceFile): Generator<ModuleVariable> {
  const imported = importedBy(source);
  const nodes: ts.Node[] = [source];
  for (let node = nodes.pop(); node; node = nodes.pop()) {
    ts.forEachChild(node, (child) => void nodes.push(child));
    const changed = changedBy(node);
    if (changed === undefined) continue;
    yield imported.get(changed) ?? { file: source.fileName, name: changed };
  }
}

function changedBy(node: ts.Node): string | undefined {
  if (ts.isBinaryExpression(node) && isAssignment(node.operatorToken.kind)) return ownerOf(node.left);
  if (ts.isDeleteExpression(node)) return ownerOf(node.expression);
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node))
    return [ts.SyntaxKind.PlusPlusToken, ts.SyntaxKind.MinusMinusToken].includes(node.operator)
      ? ownerOf(node.operand)
      : undefined;
  if (!ts.isCallExpression(node)) return undefined;
  const {
    expression,
    arguments: [first],
  } = node;
  if (first && ts.isIdentifier(first) && changingFirst.has(expression.getText())) return first.text;
  return ts.isPropertyAccessExpression(expression) && changing.has(expression.name.text)
    ? ownerOf(expression)
    : undefined;
}

function isAssignment(kind: ts.SyntaxKind): boolean {
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}

/** `a` of `a.b.c` and `a[0]`; `undefined` for a variable itself, which is declared with `let`. */
function ownerOf(target: ts.Node): string | undefined {
  if (!ts.isPropertyAccessExpression(target) && !ts.isElementAccessExpression(target)) return undefined;
  const { expression } = target;
  return ts.isIdentifier(expression) ? expression.text : ownerOf(expression);
}

function importedBy({ fileName, statements }: ts.SourceFile): Map<string, ModuleVariable> {
  const imported = new Map<string, ModuleVariable>();
  for (const statement of statements.filter(ts.isImportDeclaration)) {
    const to = (statement.moduleSpecifier as ts.StringLiteral).text;
    const file = to === '#platform' ? platformFile : posix.join(posix.dirname(fileName), to).replace(/\.js$/, '.ts');
    const bindings = statement.importClause?.namedBindings;
    for (const { name, propertyName } of bindings && ts.isNamedImports(bindings) ? bindings.elements : [])
      imported.set(name.text, { file, name: propertyName?.text ?? name.text });
  }
  return imported;
}

const platformFile = 'src/core/transport/platform-node.ts';
