import ts from 'typescript';
import { remembers } from './module-variables.ts';

/** A class, or a function whose result keeps variables, that remembers something from one use to the next. */
export interface RememberingClass {
  readonly file: string;
  readonly name: string;
}

/**
 * What remembers: a class with a field that can change, or that is empty at first and filled; and a function that returns functions which
 * change a variable of it. What is assigned in a constructor only does not change.
 */
export function rememberingClasses(files: ReadonlyMap<string, string>): RememberingClass[] {
  return [...files].flatMap(([file, text]) => {
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
    return [...declaredIn(source)].map((name) => ({ file, name }));
  });
}

function* declaredIn(source: ts.SourceFile): Generator<string> {
  for (const statement of source.statements) {
    if (ts.isClassDeclaration(statement) && statement.members.some(canChange)) yield statement.name?.text ?? '';
    if (ts.isFunctionDeclaration(statement) && returnsMemory(statement)) yield statement.name?.text ?? '';
  }
}

function canChange(member: ts.ClassElement): boolean {
  if (!ts.isPropertyDeclaration(member)) return false;
  const kinds = member.modifiers?.map(({ kind }) => kind) ?? [];
  if (kinds.includes(ts.SyntaxKind.StaticKeyword) || kinds.includes(ts.SyntaxKind.DeclareKeyword)) return false;
  return !kinds.includes(ts.SyntaxKind.ReadonlyKeyword) || isEmpty(member.initializer);
}

/** Whether a value is there to be filled. */
function isEmpty(value: ts.Expression | undefined): boolean {
  return remembers(value) || (value !== undefined && ts.isArrayLiteralExpression(value) && value.elements.length === 0);
}

/** Whether a function returns functions that change one of its own variables. */
function returnsMemory({ body }: ts.FunctionDeclaration): boolean {
  const own = new Set<string>();
  for (const statement of body?.statements ?? []) {
    if (!ts.isVariableStatement(statement)) continue;
    const isConstant = (statement.declarationList.flags & ts.NodeFlags.Const) !== 0;
    for (const { name, initializer } of statement.declarationList.declarations)
      if (!isConstant || isEmpty(initializer)) own.add(name.getText());
  }
  return (body?.statements ?? []).some(
    (statement) => ts.isReturnStatement(statement) && statement.expression && changes(statement.expression, own, false),
  );
}

function changes(node: ts.Node, own: ReadonlySet<string>, isInside: boolean): boolean {
  const isWithin = isInside || ts.isFunctionLike(node);
  if (isWithin && ts.isBinaryExpression(node) && own.has(node.left.getText()) && isAssignment(node)) return true;
  if (isWithin && ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression))
    if (
      own.has(node.expression.expression.getText()) &&
      /^(?:set|add|delete|push|clear)$/.test(node.expression.name.text)
    )
      return true;
  return ts.forEachChild(node, (child) => changes(child, own, isWithin) || undefined) ?? false;
}

function isAssignment({ operatorToken: { kind } }: ts.BinaryExpression): boolean {
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}
