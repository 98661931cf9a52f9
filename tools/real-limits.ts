import ts from 'typescript';

/** A limit of real time in a test. */
export interface RealLimit {
  readonly line: number;
  readonly text: string;
}

/** Options that end what takes longer, in milliseconds. */
const options = /^(?:deadlineMs|timeoutMs|graceMs|leaseMs|handlerTimeoutMs|notFoundTimeoutMs)$/;
/** Where these are called, no time passes by itself. */
const stopped = /\b(?:useFakeTimers|fakeTimersOfInbox|overSockets|simulate|remembering)\b/;
/** A busy machine takes no longer for what a test waits for, in milliseconds. */
const leastMs = 10_000;

/**
 * The limits below ten seconds that a test reaches by real time: on a busy machine, its verdict would depend on them. A limit that must end
 * what never ends has a comment with `real:` and the reason.
 */
export function realLimits(text: string): RealLimit[] {
  const source = ts.createSourceFile('a.test.ts', text, ts.ScriptTarget.ES2023, true);
  const found: RealLimit[] = [];
  const stopping = new Set(source.statements.filter(ts.isFunctionDeclaration).filter(stops).map(nameOf));
  // What stands beside the tests is used by those of the file.
  const isStoppedFile = stopped.test(text.replace(/^import .*$/gm, ''));
  const visit = (node: ts.Node, isStopped: boolean): void => {
    if (isLimit(node) && !isStopped && !hasReason(node, source)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push({ line: line + 1, text: node.getText().slice(0, 100) });
    }
    // The hooks of a file or a `describe` stand beside the tests.
    const hooks = blockOf(node)?.statements.filter(isHook) ?? [];
    const isBeside = ts.isVariableStatement(node) || ts.isFunctionDeclaration(node);
    const isOfTest = isTest(node) && (stops(node) || [...stopping].some((name) => node.getText().includes(`${name}(`)));
    const isNowStopped = isStopped || isOfTest || hooks.some(stops) || (isBeside && isStoppedFile);
    ts.forEachChild(node, (child) => visit(child, isNowStopped));
  };
  visit(source, false);
  return found;
}

const stops = (node: ts.Node): boolean => stopped.test(node.getText());
const nameOf = ({ name }: ts.FunctionDeclaration): string => name?.text ?? '';

function blockOf(node: ts.Node): { readonly statements: ts.NodeArray<ts.Statement> } | undefined {
  return ts.isSourceFile(node) || ts.isBlock(node) ? node : undefined;
}

function isHook(statement: ts.Statement): boolean {
  if (ts.isImportDeclaration(statement)) return false;
  return ts.isExpressionStatement(statement) && !/^(?:test|describe|it)\b/.test(statement.getText());
}

/** A test with its table, or the table of a `describe`. */
function isTest(node: ts.Node): boolean {
  return ts.isCallExpression(node) && /^(?:test|it|describe\.each)\b/.test(node.expression.getText());
}

function isLimit(node: ts.Node): boolean {
  // A lease of some milliseconds is over when it is looked at.
  const isOver = /leaseMs: \d\b/.test(node.getText());
  if (ts.isPropertyAssignment(node) && options.test(node.name.getText())) return !isOver && isShort(node.initializer);
  if (!ts.isCallExpression(node)) return false;
  const name = node.expression.getText();
  const [first, second] = node.arguments;
  // Without a limit of their own, they have that of tests/support/restore.ts.
  if (name === 'vi.waitFor' || name === 'vi.waitUntil')
    return second !== undefined && !isShort(second, leastMs, Infinity);
  return name === 'AbortSignal.timeout' && first !== undefined && isShort(first);
}

/** 0 ends nothing that has begun to wait. */
function isShort(value: ts.Expression, from = 1, to = leastMs): boolean {
  if (!ts.isNumericLiteral(value)) return false;
  const ms = Number(value.text);
  return ms >= from && ms < to;
}

function hasReason(node: ts.Node, source: ts.SourceFile): boolean {
  const { line } = source.getLineAndCharacterOfPosition(node.getStart());
  const lines = source.text.split('\n');
  return /\/\/.*\breal: \S/.test(`${lines[line - 1] ?? ''}\n${lines[line] ?? ''}`);
}
