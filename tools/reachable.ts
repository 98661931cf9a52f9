import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

/**
 * Lists what the declarations of dist contain although no entry exports it: a type or a constant that something exported names, and that
 * is therefore kept as it is in every later version.
 */
export function hiddenDeclarations(root: string): string[] {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, { import?: { types: string } }>;
  };
  const entries = Object.values(exports).flatMap(({ import: entry }) => (entry ? [resolve(root, entry.types)] : []));
  const moduleResolution = ts.ModuleResolutionKind.Bundler;
  const program = ts.createProgram(entries, { module: ts.ModuleKind.ESNext, moduleResolution, types: [] });
  const checker = program.getTypeChecker();

  const original = (symbol: ts.Symbol): ts.Symbol =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const exported = entries.flatMap((entry) => {
    const source = program.getSourceFile(entry);
    const module = source && checker.getSymbolAtLocation(source);
    return module ? checker.getExportsOfModule(module).map(original) : [];
  });
  const reached = new Set(exported);
  // A set grows while it is read: what is reached is searched, too.
  for (const symbol of reached) symbol.declarations?.forEach(search);
  return [...reached]
    .filter((symbol) => !exported.includes(symbol))
    .map(({ name }) => name)
    .sort();

  function search(node: ts.Node): void {
    const named = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined;
    if (named && isOfFile(original(named))) reached.add(original(named));
    ts.forEachChild(node, search);
  }

  /** Whether a symbol is declared at the top of a file of the package, not inside a declaration or by a library. */
  function isOfFile({ declarations: [declaration] = [] }: ts.Symbol): boolean {
    if (!declaration?.getSourceFile().fileName.startsWith(resolve(root, 'dist'))) return false;
    if (ts.isSourceFile(declaration) || ts.isImportSpecifier(declaration)) return false;
    const { parent } = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
    return ts.isSourceFile(parent);
  }
}
