import { decode, encode } from '@jridgewell/sourcemap-codec';
import ts from 'typescript';

const MARK = '/*@__PURE__*/';

/** A file of the build and its source map. */
export interface Chunk {
  readonly code: string;
  readonly map: { readonly mappings: string };
}

/**
 * Marks each call at the top level of a module as free of side effects, so that bundlers can remove unused code.
 *
 * No module does work at import time: such calls only describe something (`documentedError({...})`), but a bundler cannot
 * know that. The marks are added to the built files, because esbuild removes those in the sources with the white space.
 */
export function markPure({ code, map }: Chunk): Chunk {
  const file = ts.createSourceFile('chunk.js', code, ts.ScriptTarget.ES2023, true);
  const places = file.statements.filter(ts.isVariableStatement).flatMap((statement) => describing(statement, file));
  const marked = places.reduceRight((text, place) => text.slice(0, place) + MARK + text.slice(place), code);
  return { code: marked, map: { ...map, mappings: shifted(map.mappings, places, file) } };
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

/** Returns the mappings with each column shifted by the marks before it. */
function shifted(mappings: string, places: readonly number[], file: ts.SourceFile): string {
  const columns = new Map<number, number[]>();
  for (const place of places) {
    const { line, character } = file.getLineAndCharacterOfPosition(place);
    columns.set(line, [...(columns.get(line) ?? []), character]);
  }
  const lines = decode(mappings);
  for (const [line, segments] of lines.entries()) {
    const marks = columns.get(line) ?? [];
    let before = 0;
    for (const segment of segments) {
      while (before < marks.length && (marks[before] ?? Infinity) <= segment[0]) before += 1;
      segment[0] += before * MARK.length;
    }
  }
  return encode(lines);
}
