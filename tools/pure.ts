import { decode, encode } from '@jridgewell/sourcemap-codec';
import ts from 'typescript';

const MARK = '/*@__PURE__*/';

/** A file of the build and its source map. */
export interface Chunk {
  readonly code: string;
  readonly map: { readonly mappings: string };
}

/** A text to add to a file. */
interface Insertion {
  readonly at: number;
  readonly text: string;
}

/**
 * Marks each call at the top level of a module as free of side effects, so that bundlers can remove unused code.
 *
 * No module does work at import time: such calls only describe something (`documentedError({...})`), but a bundler cannot
 * know that. The marks are added to the built files, because esbuild removes those in the sources with the white space.
 */
export function markPure({ code, map }: Chunk): Chunk {
  const file = ts.createSourceFile('chunk.js', code, ts.ScriptTarget.ES2023, true);
  const insertions = file.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => declarationList.declarations)
    .flatMap(({ initializer }) => (initializer ? pureMarks(initializer, file) : []));
  const marked = insertions.reduceRight(
    (text, { at, text: added }) => text.slice(0, at) + added + text.slice(at),
    code,
  );
  return { code: marked, map: { ...map, mappings: shifted(map.mappings, insertions, file) } };
}

/**
 * The marks of an initializer, in the order of their positions. A spread reads properties, which may have side effects
 * for all a bundler knows, also in the arguments of a pure call: within a pure function it has none.
 */
function pureMarks(initializer: ts.Expression, file: ts.SourceFile): Insertion[] {
  if (!spreads(initializer)) return describing(initializer, file).map((at) => ({ at, text: MARK }));
  return [
    { at: initializer.getStart(file), text: `${MARK}(()=>(` },
    { at: initializer.getEnd(), text: '))()' },
  ];
}

/** Whether an expression spreads something where it stands, not in a function. */
function spreads(node: ts.Node): boolean {
  if (ts.isFunctionLike(node) || ts.isClassLike(node)) return false;
  if (ts.isSpreadAssignment(node) || ts.isSpreadElement(node)) return true;
  return ts.forEachChild(node, (child) => spreads(child) || undefined) ?? false;
}

/** Returns the positions of calls that run with the statement, not of those inside functions. */
function describing(node: ts.Node, file: ts.SourceFile): number[] {
  if (ts.isFunctionLike(node) || ts.isClassLike(node)) return [];
  const inside = node.getChildren(file).flatMap((child) => describing(child, file));
  return isCall(node) ? [node.getStart(file), ...inside].sort((a, b) => a - b) : inside;
}

/** Accepts `f()`, `a.f()` and `new F()`. In a longer chain, the mark would apply to its first call only. */
function isCall(node: ts.Node): boolean {
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return false;
  const { expression } = node;
  if (ts.isPropertyAccessExpression(expression)) return ts.isIdentifier(expression.expression);
  return ts.isIdentifier(expression);
}

/** Returns the mappings with each column shifted by the texts before it. */
function shifted(mappings: string, insertions: readonly Insertion[], file: ts.SourceFile): string {
  const columns = new Map<number, { readonly column: number; readonly length: number }[]>();
  for (const { at, text } of insertions) {
    const { line, character: column } = file.getLineAndCharacterOfPosition(at);
    columns.set(line, [...(columns.get(line) ?? []), { column, length: text.length }]);
  }
  const lines = decode(mappings);
  for (const [line, segments] of lines.entries()) {
    const added = columns.get(line) ?? [];
    let [before, shift] = [0, 0];
    for (const segment of segments) {
      for (let next = added[before]; next && next.column <= segment[0]; next = added[before]) {
        shift += next.length;
        before += 1;
      }
      segment[0] += shift;
    }
  }
  return encode(lines);
}
