import ts from 'typescript';

/** What a change of the public API means for a program that compiles today. */
export type Change = 'breaking' | 'added' | 'patch';

/** The declarations of an entry by the name that it exports, and the kind of each difference to another version. */
export type Changes = ReadonlyMap<string, Change>;

const RANK: Readonly<Record<Change, number>> = { patch: 0, added: 1, breaking: 2 };

/** The gravest of some changes. */
export function gravest(changes: Iterable<Change>): Change {
  return [...changes].reduce<Change>((most, each) => (RANK[each] > RANK[most] ? each : most), 'patch');
}

/** Compares two reports of API Extractor, and finds what changed by name. Comments and order do not count. */
export function changesBetween(before: string, after: string): Changes {
  const [old, current] = [declarationsIn(before), declarationsIn(after)];
  const changes = new Map<string, Change>();
  for (const [name, each] of old) changes.set(name, changeOf(each, current.get(name)));
  for (const name of current.keys()) if (!old.has(name)) changes.set(name, 'added');
  return new Map([...changes].filter(([, change]) => change !== 'patch'));
}

type Nodes = readonly ts.Node[];

/** Overloads of a function, and a value and a type of one name, are declared more than once. */
function declarationsIn(report: string): ReadonlyMap<string, Nodes> {
  const [, code] = /```ts\r?\n([^]*)```/.exec(report) ?? [];
  if (code === undefined && report !== '') throw new Error('A report of API Extractor has no code');
  const file = ts.createSourceFile('report.ts', code ?? '', ts.ScriptTarget.Latest, true);
  return grouped(
    file.statements
      .filter((each) => !ts.isImportDeclaration(each))
      .flatMap((each): Nodes => (ts.isVariableStatement(each) ? each.declarationList.declarations : [each])),
  );
}

function grouped(nodes: Nodes): Map<string, Nodes> {
  const named = new Map<string, Nodes>();
  for (const node of nodes) named.set(nameOf(node), [...(named.get(nameOf(node)) ?? []), node]);
  return named;
}

function nameOf(node: ts.Node): string {
  const { name } = node as { name?: ts.Node };
  return name?.getText() ?? textOf(node);
}

/** The text of a node without comments and line breaks. */
function textOf(node: ts.Node): string {
  return node
    .getText()
    .replaceAll(/\/\/.*$|\/\*[^]*?\*\//gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** What replaces the declarations of a name: each has to be there, as it was or in a form that takes and gives as much. */
function changeOf(old: Nodes, current: Nodes | undefined): Change {
  if (current === undefined) return 'breaking';
  const kinds = old.map((each) => {
    const best = current.map((other) => changeOfNode(each, other)).sort((a, b) => RANK[a] - RANK[b]);
    return best[0] ?? 'breaking';
  });
  return gravest([...kinds, current.length > old.length ? 'added' : 'patch']);
}

function changeOfNode(old: ts.Node, current: ts.Node): Change {
  if (textOf(old) === textOf(current)) return 'patch';
  if (old.kind !== current.kind) return 'breaking';
  if (hasMembers(old) && hasMembers(current)) return changeOfMembers(old, current);
  if (ts.isUnionTypeNode(old) && ts.isUnionTypeNode(current)) return changeOfUnion(old, current);
  if (isCallable(old) && isCallable(current)) return changeOfParameters(old, current);
  return changeOfParts(old, current);
}

type WithMembers = ts.InterfaceDeclaration | ts.ClassDeclaration | ts.TypeLiteralNode;

function hasMembers(node: ts.Node): node is WithMembers {
  return ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node) || ts.isTypeLiteralNode(node);
}

function changeOfMembers(old: WithMembers, current: WithMembers): Change {
  const [head, newHead] = [old, current].map((each) => textOf(each).split('{')[0]);
  if (head !== newHead) return 'breaking';
  const [members, others] = [grouped(old.members), grouped(current.members)];
  const kinds = [...members].map(([name, each]) => changeOf(each, others.get(name)));
  return gravest([...kinds, [...others.keys()].some((name) => !members.has(name)) ? 'added' : 'patch']);
}

/** A union with more members is an addition: a `switch` needs a default case anyway. */
function changeOfUnion(old: ts.UnionTypeNode, current: ts.UnionTypeNode): Change {
  const members = new Set(current.types.map(textOf));
  return old.types.every((each) => members.has(textOf(each))) ? 'added' : 'breaking';
}

type Callable =
  ts.FunctionDeclaration | ts.MethodDeclaration | ts.MethodSignature | ts.ConstructorDeclaration | ts.FunctionTypeNode;

function isCallable(node: ts.Node): node is Callable {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isMethodSignature(node) ||
    ts.isConstructorDeclaration(node) ||
    ts.isFunctionTypeNode(node)
  );
}

/** A further parameter is an addition if it may be left out. */
function changeOfParameters(old: Callable, current: Callable): Change {
  const rest = current.parameters.slice(old.parameters.length);
  const isSame = old.parameters.every((each, index) => textOf(each) === textOf(current.parameters[index] ?? current));
  const returns = [old, current].map(({ type }) => (type === undefined ? '' : textOf(type)));
  const types = [old, current].map(({ typeParameters = [] }) => typeParameters.map(textOf).join());
  const mayBeOmitted = rest.every((each) => each.questionToken !== undefined || each.dotDotDotToken !== undefined);
  return isSame && mayBeOmitted && returns[0] === returns[1] && types[0] === types[1] ? 'added' : 'breaking';
}

/** What is inside decides, if everything but the types inside is the same. */
function changeOfParts(old: ts.Node, current: ts.Node): Change {
  const [parts = [], others = []] = [old, current].map((each) => each.getChildren().flatMap(opened));
  if (parts.length !== others.length || parts.length < 2) return 'breaking';
  return gravest(parts.map((each, index) => changeOfNode(each, others[index] ?? current)));
}

/** The parts of a list, such as the arguments of a generic type. */
function opened(node: ts.Node): Nodes {
  return node.kind === ts.SyntaxKind.SyntaxList ? node.getChildren() : [node];
}
