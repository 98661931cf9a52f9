import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { here } from '../measure.ts';

/** Counts the lines of code in a folder of `src`, or in all of it, without blank lines and comments. */
export function linesOfCode(folder = '', isLeftOut: (path: string) => boolean = () => false): number {
  const root = here(`../src/${folder}`);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const counted = files.filter((path) => !isLeftOut(path));
  return counted.reduce((sum, path) => sum + linesIn(readFileSync(join(root, path), 'utf8')), 0);
}

/** Counts the lines of a text in TypeScript that hold at least a part of a token. */
export function linesIn(code: string): number {
  const file = ts.createSourceFile('it.ts', code, ts.ScriptTarget.Latest);
  const lines = new Set<number>();
  const lineOf = (position: number): number => file.getLineAndCharacterOfPosition(position).line;
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(file);
    if (children.length > 0) {
      children.forEach(visit);
      return;
    }
    const [start, end] = [node.getStart(file), node.getEnd()];
    if (end > start) for (let line = lineOf(start); line <= lineOf(end); line += 1) lines.add(line);
  };
  visit(file);
  return lines.size;
}
