import { join, relative } from 'node:path';
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
  /** Those of them that this package declares. */
  readonly inherited: readonly Export[];
  readonly members: readonly Member[];
  /** The prose of the fields, if it is a schema. */
  readonly fields: () => Fields;
}

/** A public property or method of a class or an interface. */
export interface Member {
  readonly name: string;
  readonly kind: 'property' | 'method';
  readonly prose: Prose;
  /** The type of a property, or the overloads of a method, one per line. */
  readonly code: string;
  readonly optional: boolean;
}

/** The prose of the fields of a schema, and of the fields within them. */
export type Fields = ReadonlyMap<string, { readonly text: string; readonly inner: () => Fields }>;

/** The sources, parsed by the compiler of TypeScript. It resolves names, but no types: that takes a fraction of a second. */
export class Sources {
  readonly texts: ReadonlyMap<string, string>;
  readonly #root: string;
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;

  constructor(root: string) {
    // The page of the fake is a program: nothing of it is exported.
    const paths = ts.sys.readDirectory(join(root, 'src'), ['.ts'], ['**/dashboard/browser']);
    this.#root = root;
    const options = { noLib: true, noResolve: true, types: [], module: ts.ModuleKind.NodeNext };
    this.#program = ts.createProgram(paths, options);
    this.#checker = this.#program.getTypeChecker();
    this.texts = new Map(paths.map((path) => [this.#path(path), ts.sys.readFile(path) ?? '']));
  }

  /** Returns what a source file exports, but what is for this package alone, in its order. What one statement exports has the order of the declarations. */
  exportsOf(path: string): Export[] {
    const file = this.#program.getSourceFile(join(this.#root, path));
    const module = file && this.#checker.getSymbolAtLocation(file);
    const symbols = module ? this.#checker.getExportsOfModule(module) : [];
    const byStatement = Map.groupBy(symbols, ({ declarations }) => declarations?.[0]?.parent);
    const position = ({ declarations }: ts.Symbol): number => declarations?.[0]?.pos ?? 0;
    return [...byStatement.values()].flatMap((each) => {
      const originals = each.map((symbol) => this.#original(symbol)).sort((a, b) => position(a) - position(b));
      const shown = originals.filter(({ declarations = [] }) => !declarations.every(isInternal));
      return shown.map((symbol) => this.#describe(symbol));
    });
  }

  /** Returns the constants and types that a source file declares, exported or not. */
  declarationsOf(path: string): Export[] {
    const { statements = [] } = this.#program.getSourceFile(join(this.#root, path)) ?? {};
    return statements.flatMap((each) => {
      const declared = ts.isVariableStatement(each) ? each.declarationList.declarations : [each];
      return declared.flatMap((node) => {
        const isMeant =
          ts.isVariableDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);
        const symbol = isMeant && this.#checker.getSymbolAtLocation(node.name);
        return symbol ? [this.#describe(symbol)] : [];
      });
    });
  }

  #path(file: string): string {
    return relative(this.#root, file).replaceAll('\\', '/');
  }

  /** The symbol that an import or a re-export names. */
  #original(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }

  #describe({ name, declarations: all = [], members = new Map<ts.__String, ts.Symbol>() }: ts.Symbol): Export {
    // The first overload of some functions is for this package alone.
    const declarations = all.filter((each) => !isInternal(each));
    const [node] = declarations;
    if (!node) throw new Error(`${name} has no declaration`);
    const file = this.#path(node.getSourceFile().fileName);
    const common = {
      ...{ name, file, prose: proseOf(node), bases: [], inherited: [], members: [] },
      fields: () => this.#fieldsOf(node),
    };
    if (ts.isVariableDeclaration(node)) {
      const type = declaredType(node)?.getText();
      return { ...common, kind: 'constant', code: type ? `const ${name}: ${type}` : '' };
    }
    if (ts.isFunctionDeclaration(node)) return { ...common, kind: 'function', code: signatures(declarations) };
    if (!ts.isClassDeclaration(node) && !ts.isInterfaceDeclaration(node)) {
      return { ...common, kind: 'type', code: flat(node.getText()).replace(/^export /, '') };
    }
    const constructor = members.get(ts.InternalSymbolName.Constructor)?.declarations ?? [];
    const creators = constructor.filter((each) => !isInternal(each));
    const throws = [...common.prose.throws, ...creators.flatMap((each) => proseOf(each).throws)];
    return {
      ...common,
      kind: ts.isClassDeclaration(node) ? 'class' : 'interface',
      prose: { ...common.prose, throws },
      code: signatures(creators).replaceAll(/^constructor/gm, `new ${name}`),
      bases: (node.heritageClauses ?? []).flatMap(({ types }) => types.map((type) => type.getText())),
      inherited: (node.heritageClauses ?? []).flatMap(({ types }) => types.flatMap((type) => this.#inherited(type))),
      members: [...members.values()].flatMap(describeMember),
    };
  }

  /** A class or an interface of this package that another one extends, with the types that it is given. */
  #inherited({ expression, typeArguments }: ts.ExpressionWithTypeArguments): Export[] {
    const symbol = this.#checker.getSymbolAtLocation(expression);
    const original = symbol && this.#original(symbol);
    const node = original?.declarations?.[0];
    if (!original || !node || !(ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node))) return [];
    const { members, ...base } = this.#describe(original);
    const given = new Map((node.typeParameters ?? []).map(({ name }, index) => [name.text, typeArguments?.[index]]));
    const withGiven = (code: string): string => code.replace(/\w+/g, (word) => given.get(word)?.getText() ?? word);
    return [{ ...base, members: members.map((each) => ({ ...each, code: withGiven(each.code) })) }];
  }

  /** Follows names, spreads and calls to the object literals that have the fields. */
  #fieldsOf(node: ts.Node | undefined): Fields {
    const within = (nodes: readonly ts.Node[]): Fields => new Map(nodes.flatMap((each) => [...this.#fieldsOf(each)]));
    if (!node) return new Map();
    if (ts.isIdentifier(node)) return this.#fieldsOf(this.#constant(node));
    if (ts.isVariableDeclaration(node)) return this.#fieldsOf(node.initializer);
    if (ts.isAsExpression(node) || ts.isParenthesizedExpression(node) || ts.isSpreadAssignment(node)) {
      return this.#fieldsOf(node.expression);
    }
    if (ts.isCallExpression(node)) return within(node.arguments);
    if (ts.isArrayLiteralExpression(node)) return within(node.elements);
    if (ts.isObjectLiteralExpression(node)) return within(node.properties);
    const value = ts.isPropertyAssignment(node) ? node.initializer : node;
    if (!ts.isPropertyAssignment(node) && !ts.isShorthandPropertyAssignment(node)) return new Map();
    const constant = this.#constant(value);
    const text = proseOf(node).text || (constant ? proseOfSchema(constant) : '');
    return new Map([[node.name.getText(), { text, inner: () => this.#fieldsOf(constant ?? value) }]]);
  }

  /** The constant that a name stands for. */
  #constant(node: ts.Node): ts.VariableDeclaration | undefined {
    const symbol = ts.isShorthandPropertyAssignment(node)
      ? this.#checker.getShorthandAssignmentValueSymbol(node)
      : ts.isIdentifier(node) && this.#checker.getSymbolAtLocation(node);
    const declaration = symbol ? this.#original(symbol).valueDeclaration : undefined;
    return declaration && ts.isVariableDeclaration(declaration) ? declaration : undefined;
  }
}

/** The prose of a named schema, but not of general ones such as `integer`, which explains nothing. */
function proseOfSchema(constant: ts.VariableDeclaration): string {
  const isGeneral = /core\/schema\/(schema|long-integers)\.ts$/.test(constant.getSourceFile().fileName);
  return isGeneral ? '' : proseOf(constant).text;
}

/** The type of a constant that its declaration names. */
function declaredType({ type, initializer }: ts.VariableDeclaration): ts.TypeNode | undefined {
  if (type || !initializer || !ts.isAsExpression(initializer)) return type;
  return ts.isConstTypeReference(initializer.type) ? undefined : initializer.type;
}

function describeMember({ name, declarations = [] }: ts.Symbol): Member[] {
  const [node] = declarations;
  if (!node || !isPublic(node)) return [];
  const optional = 'questionToken' in node && node.questionToken !== undefined;
  const common = { name, prose: proseOf(node), optional };
  if (ts.isMethodDeclaration(node) || ts.isMethodSignature(node)) {
    return [{ ...common, kind: 'method', code: signatures(declarations) }];
  }
  const isProperty = ts.isPropertyDeclaration(node) || ts.isPropertySignature(node) || ts.isGetAccessor(node);
  return isProperty ? [{ ...common, kind: 'property', code: typeOf(node, optional) }] : [];
}

type Property = ts.PropertyDeclaration | ts.PropertySignature | ts.GetAccessorDeclaration;

/** The type of a property. That of an optional one is without `undefined`, and the brackets that a function needs for it. */
function typeOf(node: Property, optional: boolean): string {
  const type = flat(node.type?.getText() ?? '');
  if (type !== '') return optional ? type.replace(/^(?:\((\(.*\) => .*)\)|(.*)) \| undefined$/, '$1$2') : type;
  const value = 'initializer' in node ? node.initializer : undefined;
  if (value && ts.isNewExpression(value)) return value.expression.getText();
  if (value?.kind === ts.SyntaxKind.TrueKeyword) return 'true';
  return value && ts.isStringLiteral(value) ? 'string' : '';
}

/** The overloads as declared, without modifiers and bodies, one per line. The implementation of overloads is not one. */
function signatures(declarations: readonly ts.Declaration[]): string {
  const overloads = declarations.filter((each) => !('body' in each && each.body));
  const shown = overloads.length > 0 ? overloads : declarations;
  return shown.map((each) => flat(signature(each as ts.FunctionLikeDeclaration)).replace(/;$/, '')).join('\n');
}

function signature(node: ts.FunctionLikeDeclaration): string {
  return node.getSourceFile().text.slice((node.name ?? node).getStart(), node.body?.getStart() ?? node.getEnd());
}

/** Code without comments, on one line. */
function flat(code: string): string {
  const line = code.replace(/\/\*\*[\s\S]*?\*\//g, '').replace(/\s+/g, ' ');
  return line.replaceAll('( ', '(').replaceAll(', )', ')').trim();
}

/** A method that overrides one of the platform, such as `then`, needs no description. */
function isPublic(node: ts.Declaration): boolean {
  const hidden = ts.ModifierFlags.NonPublicAccessibilityModifier | ts.ModifierFlags.Override;
  const name = ts.getNameOfDeclaration(node);
  const isNamed = name !== undefined && !ts.isPrivateIdentifier(name) && !ts.isComputedPropertyName(name);
  return isNamed && !(ts.getCombinedModifierFlags(node) & hidden) && !isInternal(node);
}

function isInternal(node: ts.Node): boolean {
  return ts.getJSDocTags(node).some(({ tagName }) => tagName.text === 'internal');
}
