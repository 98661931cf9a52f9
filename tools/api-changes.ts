import ts from 'typescript';
import { usesIn } from './api-uses.ts';
import type { Uses } from './api-uses.ts';

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
  const usesOf = usesIn(old);
  const changes = new Map<string, Change>();
  for (const [name, each] of old) {
    const change = changeOf(each, current.get(name), usesOf(name));
    // One that is not exported matters to what mentions it, if it still does.
    const mentions = isExported(each) ? [name] : mentionsOf(name, current);
    for (const other of mentions) changes.set(other, gravest([change, changes.get(other) ?? 'patch']));
  }
  for (const [name, each] of current) if (!old.has(name) && isExported(each)) changes.set(name, 'added');
  return new Map([...changes].filter(([, change]) => change !== 'patch'));
}

function isExported(nodes: Nodes): boolean {
  return nodes.some(
    (each) =>
      ts.isExportDeclaration(each) || ts.getCombinedModifierFlags(each as ts.Declaration) & ts.ModifierFlags.Export,
  );
}

/** The exported names whose declarations mention a name, or others that are not exported and do. */
function mentionsOf(name: string, all: ReadonlyMap<string, Nodes>, seen = new Set([name])): string[] {
  const mention = new RegExp(`\\b${name}\\b`);
  return [...all].flatMap(([each, nodes]) => {
    if (seen.has(each) || !nodes.some((node) => mention.test(textOf(node)))) return [];
    seen.add(each);
    return isExported(nodes) ? [each] : mentionsOf(each, all, seen);
  });
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
  return name?.getText() ?? (isCallable(node) ? ts.SyntaxKind[node.kind] : textOf(node));
}

const texts = new WeakMap<ts.Node, string>();

/** The text of a node without comments and line breaks; a node that others mention is asked for it a hundred times. */
function textOf(node: ts.Node): string {
  const known = texts.get(node);
  if (known !== undefined) return known;
  const bare = node.getText().replaceAll(/\/\/.*$|\/\*[^]*?\*\//gm, '');
  const text = bare.replaceAll(/\s+/g, ' ').trim();
  texts.set(node, text);
  return text;
}

function textsOf(nodes: Nodes | undefined): string[] {
  return (nodes ?? []).map(textOf);
}

/** What replaces the declarations of a name: each has to be there, as it was or in a form that takes and gives as much. */
function changeOf(old: Nodes, current: Nodes | undefined, uses: Uses): Change {
  if (current === undefined) return 'breaking';
  const kinds = old.map((each) => {
    const best = current.map((other) => changeOfNode(each, other, uses)).sort((a, b) => RANK[a] - RANK[b]);
    return best[0] ?? 'breaking';
  });
  return gravest([...kinds, current.length > old.length ? 'added' : 'patch']);
}

function changeOfNode(old: ts.Node, current: ts.Node, uses: Uses): Change {
  if (textOf(old) === textOf(current)) return 'patch';
  if (ts.isUnionTypeNode(old) || ts.isUnionTypeNode(current)) return changeOfUnion(old, current, uses);
  if (old.kind !== current.kind || modifiersOf(old) !== modifiersOf(current)) return 'breaking';
  if (hasMembers(old) && hasMembers(current)) return changeOfMembers(old, current, uses);
  if (isCallable(old) && isCallable(current)) return changeOfCall(old, current, uses);
  if (ts.isPropertySignature(old) && ts.isPropertySignature(current)) return changeOfProperty(old, current, uses);
  if (ts.isTypeAliasDeclaration(old) && ts.isTypeAliasDeclaration(current))
    return gravest([changeOfTypeParameters(old, current), changeOfNode(old.type, current.type, uses)]);
  return changeOfParts(old, current, uses);
}

/** `readonly`, `protected`, `abstract` and the like. */
function modifiersOf(node: ts.Node): string {
  return ts.canHaveModifiers(node) ? textsOf(ts.getModifiers(node)).join(' ') : '';
}

type WithMembers = ts.InterfaceDeclaration | ts.ClassDeclaration | ts.TypeLiteralNode;

function hasMembers(node: ts.Node): node is WithMembers {
  return ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node) || ts.isTypeLiteralNode(node);
}

function changeOfMembers(old: WithMembers, current: WithMembers, uses: Uses): Change {
  const [members, others] = [grouped(old.members), grouped(current.members)];
  const kinds = [...members].map(([name, each]) => changeOf(each, others.get(name), uses));
  const more = [...others].filter(([name]) => !members.has(name)).flatMap(([, each]) => each);
  const isNeeded = (each: ts.Node): boolean =>
    ts.isClassDeclaration(current) ? modifiersOf(each).includes('abstract') : uses.given && !isOptional(each);
  const additions = more.map((each): Change => (isNeeded(each) ? 'breaking' : 'added'));
  return gravest([...kinds, ...additions, changeOfBases(old, current), changeOfTypeParameters(old, current)]);
}

function isOptional(node: ts.Node): boolean {
  const { questionToken, dotDotDotToken } = node as Partial<ts.ParameterDeclaration>;
  return questionToken !== undefined || dotDotDotToken !== undefined;
}

function changeOfBases(old: WithMembers, current: WithMembers): Change {
  const [before, now] = [old, current].map((each) =>
    ts.isTypeLiteralNode(each)
      ? []
      : (each.heritageClauses ?? []).flatMap(({ token, types }) => textsOf(types).map((type) => `${token} ${type}`)),
  ) as [string[], string[]];
  if (before.some((each) => !now.includes(each))) return 'breaking';
  return now.length > before.length ? 'added' : 'patch';
}

/** A further type parameter is an addition if it has a default. */
function changeOfTypeParameters(old: ts.Node, current: ts.Node): Change {
  const [before = [], now = []] = [old, current].map(
    (each) => (each as { typeParameters?: readonly ts.TypeParameterDeclaration[] }).typeParameters ?? [],
  );
  const rest = now.slice(before.length);
  const isSame = before.every((each, index) => textOf(each) === textsOf(now)[index]);
  if (!isSame || rest.some((each) => each.default === undefined)) return 'breaking';
  return rest.length > 0 ? 'added' : 'patch';
}

/** What a program gives may be more, and what it gets may be less; a literal more is an addition: see docs/versioning.md. */
function changeOfUnion(old: ts.Node, current: ts.Node, { delivered }: Uses): Change {
  const [before = [], now = []] = [old, current].map((each) => (ts.isUnionTypeNode(each) ? [...each.types] : [each]));
  const more = now.filter((each) => !textsOf(before).includes(textOf(each)));
  if (before.some((each) => !textsOf(now).includes(textOf(each)))) return 'breaking';
  const isLiteral = (each: ts.Node): boolean =>
    ts.isLiteralTypeNode(each) && each.literal.kind !== ts.SyntaxKind.NullKeyword;
  return more.length === 0 ? 'patch' : delivered && !more.every(isLiteral) ? 'breaking' : 'added';
}

function changeOfProperty(old: ts.PropertySignature, current: ts.PropertySignature, uses: Uses): Change {
  const isBreaking = isOptional(old) ? uses.given : uses.delivered;
  const optionality = isOptional(old) === isOptional(current) ? 'patch' : isBreaking ? 'breaking' : 'added';
  return gravest([optionality, changeOfNode(old.type ?? old, current.type ?? current, uses)]);
}

type Callable = ts.SignatureDeclaration;

function isCallable(node: ts.Node): node is Callable {
  return ts.isFunctionLike(node) && !ts.isIndexSignatureDeclaration(node);
}

/** Names of parameters do not count. A further parameter is an addition if it may be left out. */
function changeOfCall(old: Callable, current: Callable, uses: Uses): Change {
  const flipped = { given: uses.delivered, delivered: uses.given };
  const parameters = old.parameters.map((each, index): Change => {
    const other = current.parameters[index];
    if (!other?.type || !each.type || (isOptional(each) && !isOptional(other))) return 'breaking';
    const isLooser = isOptional(other) && !isOptional(each);
    return gravest([isLooser ? 'added' : 'patch', changeOfNode(each.type, other.type, flipped)]);
  });
  const rest = current.parameters.slice(old.parameters.length).map((each) => (isOptional(each) ? 'added' : 'breaking'));
  const [before = old, now = current] = [old.type, current.type];
  const result = before === old && now === current ? 'patch' : changeOfNode(before, now, uses);
  return gravest([...parameters, ...rest, result, changeOfTypeParameters(old, current)]);
}

/** What is inside decides, if everything but the types inside is the same. */
function changeOfParts(old: ts.Node, current: ts.Node, uses: Uses): Change {
  const [parts = [], others = []] = [old, current].map((each) => each.getChildren().flatMap(opened));
  if (parts.length !== others.length || parts.length < 2) return 'breaking';
  return gravest(parts.map((each, index) => changeOfNode(each, others[index] ?? current, uses)));
}

/** The parts of a list, such as the arguments of a generic type. */
function opened(node: ts.Node): Nodes {
  return node.kind === ts.SyntaxKind.SyntaxList ? node.getChildren() : [node];
}
