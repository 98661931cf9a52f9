import { posix } from 'node:path';
import ts from 'typescript';

/** An import: `static` loads the other file at once, `lazy` on first use, and `type` never. */
export interface Import {
  readonly from: string;
  /** A path like `from`, or the name of a package. */
  readonly to: string;
  readonly kind: 'static' | 'lazy' | 'type';
}

/** The imports and re-exports of a source file. */
export function importsOf(from: string, text: string): Import[] {
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, kind: Import['kind']): void => {
    if (specifier && ts.isStringLiteral(specifier)) found.push({ from, to: resolve(from, specifier.text), kind });
  };
  const visit = (node: ts.Node): void => {
    const isType = ts.isExportDeclaration(node) && node.isTypeOnly;
    const hasTypes = ts.isImportDeclaration(node) && node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node))
      add(node.moduleSpecifier, isType || hasTypes ? 'type' : 'static');
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, 'type');
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], 'lazy');
    if (isDeep || ts.isSourceFile(node)) ts.forEachChild(node, visit);
  };
  // All others are statements of the file.
  const isDeep = text.includes('import(');
  visit(ts.createSourceFile(from, text, ts.ScriptTarget.ES2023));
  return found;
}

function resolve(from: string, to: string): string {
  return to.startsWith('.') ? posix.join(posix.dirname(from), to).replace(/\.js$/, '.ts') : to;
}
