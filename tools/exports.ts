import { posix } from 'node:path';
import ts from 'typescript';
import { proseOf } from './prose.ts';
import type { Prose } from './prose.ts';

/** A name that an entry of the package exports, as its declaration describes it. */
export interface Export {
  readonly name: string;
  readonly kind: 'class' | 'interface' | 'type' | 'function' | 'constant';
  /** The source file that declares it, e.g. `src/client.ts`. */
  readonly file: string;
  readonly prose: Prose;
  /** What it is in code: the overloads of a function, the definition of a type, the constructor of a class. */
  readonly code: string;
  /** The types that it extends or implements. */
  readonly bases: readonly string[];
  readonly members: readonly Member[];
}

/** A public property or method of a class or an interface. */
export interface Member {
  readonly name: string;
  readonly kind: 'property' | 'method';
  readonly prose: Prose;
  /** The type of a property, or the overloads of a method. */
  readonly code: string;
  readonly optional: boolean;
}

/** Parsed sources, by path. */
export type Sources = ReadonlyMap<string, ts.SourceFile>;

/** Parses sources, given as path and text. */
export function parseSources(texts: ReadonlyMap<string, string>): Sources {
  return new Map(
    [...texts].map(([path, text]) => [path, ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true)]),
  );
}

/** Returns what a source file exports, in its order. It follows re-exports, and resolves no types. */
export function exportsOf(sources: Sources, path: string): Export[] {
  const file = sources.get(path);
  if (!file) throw new Error(`There is no source ${path}`);
  const found = file.statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement)) return describeStatement(statement, file);
    const { exportClause, moduleSpecifier } = statement;
    if (!moduleSpecifier || (exportClause && !ts.isNamedExports(exportClause))) return [];
    const target = resolve(path, (moduleSpecifier as ts.StringLiteral).text);
    if (!exportClause) return exportsOf(sources, target);
    const names = new Set(exportClause.elements.map(({ name }) => name.text));
    return exportsOf(sources, target).filter(({ name }) => names.has(name));
  });
  return withoutImplementations(found);
}

/** Combines the overloads of a function. The first has the prose, and the implementation is the last. */
function withoutImplementations(found: readonly Export[]): Export[] {
  const byName = new Map<string, Export[]>();
  for (const each of found) byName.set(each.name, [...(byName.get(each.name) ?? []), each]);
  return [...byName.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const overloads = [first, ...others.slice(0, -1)];
    return { ...first, code: overloads.map(({ code }) => code).join('\n') };
  });
}

function resolve(from: string, to: string): string {
  return posix.join(posix.dirname(from), to).replace(/\.js$/, '.ts');
}

function describeStatement(statement: ts.Statement, file: ts.SourceFile): Export[] {
  if (!isExported(statement)) return [];
  const common = { file: file.fileName, prose: proseOf(statement), bases: [], members: [] };
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map((each) => {
      const type = declaredType(each);
      const name = each.name.getText(file);
      return { ...common, name, kind: 'constant', code: type ? `const ${name}: ${type.getText(file)}` : '' };
    });
  }
  if (ts.isFunctionDeclaration(statement) && statement.name) {
    return [{ ...common, name: statement.name.text, kind: 'function', code: signatureOf(statement, file) }];
  }
  if (ts.isTypeAliasDeclaration(statement)) {
    return [{ ...common, name: statement.name.text, kind: 'type', code: flat(statement.getText(file)) }];
  }
  if (ts.isInterfaceDeclaration(statement) || (ts.isClassDeclaration(statement) && statement.name)) {
    return [describeObject(statement as NamedObject, file)];
  }
  return [];
}

/** The type of a constant that its declaration names. */
function declaredType({ type, initializer }: ts.VariableDeclaration): ts.TypeNode | undefined {
  if (type || !initializer || !ts.isAsExpression(initializer)) return type;
  return ts.isConstTypeReference(initializer.type) ? undefined : initializer.type;
}

type NamedObject = (ts.InterfaceDeclaration | ts.ClassDeclaration) & { name: ts.Identifier };

function describeObject(node: NamedObject, file: ts.SourceFile): Export {
  const isClass = ts.isClassDeclaration(node);
  const heritage = (node.heritageClauses ?? []).flatMap(({ types }) => types.map((type) => type.getText(file)));
  const creator = isClass && node.members.find((each) => ts.isConstructorDeclaration(each) && !isInternal(each));
  const prose = proseOf(node);
  return {
    name: node.name.text,
    kind: isClass ? 'class' : 'interface',
    file: file.fileName,
    prose: creator ? { ...prose, throws: [...prose.throws, ...proseOf(creator).throws] } : prose,
    code: creator
      ? `new ${node.name.text}${signatureOf(creator as ts.ConstructorDeclaration, file).replace('constructor', '')}`
      : '',
    bases: heritage,
    members: merged([...node.members].filter(isPublic).flatMap((each) => describeMember(each, file))),
  };
}

function describeMember(node: ts.ClassElement | ts.TypeElement, file: ts.SourceFile): Member[] {
  const common = { name: node.name?.getText(file) ?? '', prose: proseOf(node), optional: isOptional(node) };
  if (ts.isMethodDeclaration(node) || ts.isMethodSignature(node)) {
    return [{ ...common, kind: 'method', code: signatureOf(node, file) }];
  }
  if (ts.isPropertyDeclaration(node) || ts.isPropertySignature(node) || ts.isGetAccessor(node)) {
    return [{ ...common, kind: 'property', code: typeOf(node, file) }];
  }
  return [];
}

/** Combines the overloads of a method. The first has the prose; an implementation after overloads is not one. */
function merged(members: readonly Member[]): Member[] {
  const byName = new Map<string, Member>();
  for (const each of members) {
    const known = byName.get(each.name);
    byName.set(each.name, known ? { ...known, code: `${known.code}\n${each.code}` } : each);
  }
  return [...byName.values()];
}

function typeOf(
  node: ts.PropertyDeclaration | ts.PropertySignature | ts.GetAccessorDeclaration,
  file: ts.SourceFile,
): string {
  const written = node.type?.getText(file);
  if (written !== undefined) return isOptional(node) ? bare(flat(written)) : flat(written);
  const value = ts.isPropertyDeclaration(node) ? node.initializer : undefined;
  if (value && ts.isNewExpression(value)) return value.expression.getText(file);
  return value && ts.isStringLiteral(value) ? 'string' : '';
}

/** The type of an optional field without `undefined`, and without the brackets that a function needed for that. */
function bare(type: string): string {
  return type.replace(/ \| undefined$/, '').replace(/^\((\(.*\) => .*)\)$/, '$1');
}

type Callable = ts.FunctionDeclaration | ts.MethodDeclaration | ts.MethodSignature | ts.ConstructorDeclaration;

/** The declaration without modifiers and body, on one line. */
function signatureOf(node: Callable, file: ts.SourceFile): string {
  const start = (ts.isFunctionDeclaration(node) ? node.name : undefined)?.getStart(file) ?? firstWord(node, file);
  const end = 'body' in node && node.body ? node.body.getStart(file) : node.getEnd();
  return flat(file.text.slice(start, end)).replace(/;$/, '');
}

function firstWord(node: Callable, file: ts.SourceFile): number {
  const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : [];
  const last = modifiers.at(-1);
  if (last === undefined) return node.getStart(file);
  return last.getEnd() + (file.text.slice(last.getEnd()).search(/\S/) || 0);
}

function flat(code: string): string {
  return code
    .replace(/\/\*\*[\s\S]*?\*\//g, '')
    .replace(/^export (declare )?/, '')
    .replace(/\s+/g, ' ')
    .replaceAll('( ', '(')
    .replaceAll(', )', ')')
    .trim();
}

function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
  return modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
}

function isPublic(node: ts.ClassElement | ts.TypeElement): boolean {
  const { name } = node;
  if (!name || ts.isPrivateIdentifier(name) || ts.isComputedPropertyName(name) || isInternal(node)) return false;
  const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : [];
  const hidden = [ts.SyntaxKind.PrivateKeyword, ts.SyntaxKind.ProtectedKeyword, ts.SyntaxKind.StaticKeyword];
  // A method that overrides one of the platform, such as `then`, needs no description.
  return !modifiers.some(({ kind }) => hidden.includes(kind) || kind === ts.SyntaxKind.OverrideKeyword);
}

function isInternal(node: ts.Node): boolean {
  return ts.getJSDocTags(node).some(({ tagName }) => tagName.text === 'internal');
}

function isOptional(node: ts.ClassElement | ts.TypeElement): boolean {
  return 'questionToken' in node && node.questionToken !== undefined;
}
