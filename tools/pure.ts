import { decode, encode } from '@jridgewell/sourcemap-codec';
import ts from 'typescript';

const MARK = '/*@__PURE__*/';

/** A finished file of the build, and its source map. */
export interface Chunk {
  readonly code: string;
  readonly map: { readonly mappings: string };
}

/**
 * Marks each call that a module makes while it loads as free of effects, so that bundlers leave out what is not used.
 *
 * Nothing at import time does work: such calls only describe (`entity({...})`, `refusal({...})`), which a bundler
 * cannot know. The marks are written into what was built, because esbuild drops those it finds with the white space.
 */
export function markPure({ code, map }: Chunk): Chunk {
  const file = ts.createSourceFile('chunk.js', code, ts.ScriptTarget.ES2023, true);
  const places = file.statements.filter(ts.isVariableStatement).flatMap((statement) => describing(statement, file));
  const marked = places.reduceRight((text, place) => text.slice(0, place) + MARK + text.slice(place), code);
  return { code: marked, map: { ...map, mappings: shifted(map.mappings, places, file) } };
}

/** Where calls begin that are made as the statement is reached: not those inside functions. */
function describing(node: ts.Node, file: ts.SourceFile): number[] {
  if (ts.isFunctionLike(node) || ts.isClassLike(node)) return [];
  const inside = node.getChildren(file).flatMap((child) => describing(child, file));
  return isCall(node) ? [node.getStart(file), ...inside].sort((a, b) => a - b) : inside;
}

/** `f()`, `a.f()`, `new F()`; of a longer chain the mark would mean its beginning. */
function isCall(node: ts.Node): boolean {
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return false;
  const { expression } = node;
  if (ts.isPropertyAccessExpression(expression)) return ts.isIdentifier(expression.expression);
  return ts.isIdentifier(expression);
}

/** The mappings, with each column moved by the marks before it. */
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
