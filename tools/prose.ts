import { posix } from 'node:path';
import ts from 'typescript';

/** What a JSDoc comment says. */
export interface Prose {
  /** The text before the tags, one line per paragraph, without the request. */
  readonly text: string;
  /** The request that a method sends, e.g. `GET /currencies`. */
  readonly request: string | undefined;
  readonly throws: readonly { readonly error: string; readonly when: string }[];
  readonly returns: string | undefined;
  /** What `@default` says. */
  readonly defaultValue: string | undefined;
  readonly examples: readonly string[];
}

export interface MethodProse {
  readonly prose: Prose;
  /** Each overload as declared, without the body. */
  readonly signatures: readonly string[];
}

export interface ClassProse {
  readonly name: string;
  readonly file: string;
  readonly base: string | undefined;
  readonly prose: Prose;
  readonly methods: ReadonlyMap<string, MethodProse>;
  /** The declared type of each property, and its prose. */
  readonly properties: ReadonlyMap<string, { readonly type: string; readonly prose: Prose }>;
}

/** The prose of one field of a schema, and of the fields within it. */
export interface FieldProse {
  readonly text: string;
  readonly inner: () => ReadonlyMap<string, FieldProse>;
}

/** All prose of the sources, found by name. */
export interface ProseIndex {
  readonly classes: ReadonlyMap<string, ClassProse>;
  /** The prose of an exported constant, by its name. */
  readonly constants: ReadonlyMap<string, Prose>;
  /** The prose on the fields of a schema that is an exported constant. */
  fieldsOf(constant: string): ReadonlyMap<string, FieldProse>;
}

/** Reads the prose of sources, given as path and text. It reads syntax only and resolves no types. */
export function indexProse(sources: ReadonlyMap<string, string>): ProseIndex {
  const files = new Map(
    [...sources].map(([path, text]) => [path, ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true)]),
  );
  const classes = new Map<string, ClassProse>();
  const constants = new Map<string, Prose>();
  const homes = new Map<string, ts.SourceFile>();
  for (const file of files.values()) {
    for (const statement of file.statements) {
      if (ts.isClassDeclaration(statement) && statement.name) {
        classes.set(statement.name.text, classProse(statement, file));
      }
      for (const { name } of constantsOf(statement)) {
        if (!isExported(statement) || !ts.isIdentifier(name)) continue;
        constants.set(name.text, proseOf(statement));
        homes.set(name.text, file);
      }
    }
  }
  const fields = new FieldReader(files);
  return {
    classes,
    constants,
    fieldsOf: (constant) => {
      const home = homes.get(constant);
      return home ? fields.ofName(constant, home) : new Map();
    },
  };
}

function constantsOf(statement: ts.Statement): readonly ts.VariableDeclaration[] {
  return ts.isVariableStatement(statement) ? statement.declarationList.declarations : [];
}

function isExported(statement: ts.Statement): boolean {
  return ts.canHaveModifiers(statement)
    ? (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
    : false;
}

function classProse(node: ts.ClassDeclaration, file: ts.SourceFile): ClassProse {
  const methods = new Map<string, MethodProse>();
  const properties = new Map<string, { type: string; prose: Prose }>();
  for (const member of node.members) {
    const name = member.name?.getText(file) ?? '';
    if (ts.isMethodDeclaration(member)) methods.set(name, withSignature(methods.get(name), member, file));
    if (ts.isPropertyDeclaration(member)) {
      properties.set(name, { type: member.type?.getText(file) ?? '', prose: proseOf(member) });
    }
  }
  return {
    name: node.name?.text ?? '',
    file: file.fileName,
    base: node.heritageClauses?.[0]?.types[0]?.expression.getText(file),
    prose: proseOf(node),
    methods,
    properties,
  };
}

/** The first overload has the prose. The implementation is not an overload. */
function withSignature(known: MethodProse | undefined, node: ts.MethodDeclaration, file: ts.SourceFile): MethodProse {
  const prose = known?.prose ?? proseOf(node);
  if (node.body && known) return known;
  const start = node.getStart(file);
  const end = node.body?.getStart(file) ?? node.getEnd();
  const signature = file.text
    .slice(start, end)
    .replace(/\s+/g, ' ')
    .replaceAll('( ', '(')
    .replaceAll(', )', ')')
    .trim()
    .replace(/;$/, '');
  return { prose, signatures: [...(known?.signatures ?? []), signature] };
}

/** Reads the JSDoc before a node. */
export function proseOf(node: ts.Node): Prose {
  const parts = ts.getJSDocCommentsAndTags(node);
  const whole = parts.filter(ts.isJSDoc).map((each) => words(each.comment));
  const tags = parts.flatMap((each) => (ts.isJSDoc(each) ? [...(each.tags ?? [])] : [each]));
  const { text, request } = withoutRequest(paragraphs(whole.at(-1) ?? ''));
  return {
    text,
    request,
    throws: tags.filter(ts.isJSDocThrowsTag).map((tag) => ({
      error: tag.typeExpression?.type.getText() ?? '',
      when: paragraphs(words(tag.comment)),
    })),
    returns: tags.filter(ts.isJSDocReturnTag).map((tag) => paragraphs(words(tag.comment)))[0],
    defaultValue: tags.filter((tag) => tag.tagName.text === 'default').map((tag) => paragraphs(words(tag.comment)))[0],
    examples: tags.filter((tag) => tag.tagName.text === 'example').map((tag) => words(tag.comment)),
  };
}

function words(comment: Parameters<typeof ts.getTextOfJSDocComment>[0]): string {
  return ts.getTextOfJSDocComment(comment) ?? '';
}

/** Joins the lines of each paragraph. List items stay on their own lines. */
function paragraphs(text: string): string {
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replace(/\n(?!\s*[-*] )\s*/g, ' ').trim())
    .join('\n\n');
}

function withoutRequest(text: string): { text: string; request: string | undefined } {
  const found = /\s*\bRequest: ([A-Z]+ \/\S+)\.(?=\s|$)/.exec(text);
  return { text: found ? text.replace(found[0], '').trim() : text, request: found?.[1] };
}

/** Finds the prose on fields of schemas. It follows names, imports, spreads and calls to the object literal. */
class FieldReader {
  readonly #files: ReadonlyMap<string, ts.SourceFile>;

  constructor(files: ReadonlyMap<string, ts.SourceFile>) {
    this.#files = files;
  }

  ofName(name: string, file: ts.SourceFile): ReadonlyMap<string, FieldProse> {
    const found = this.#declaration(name, file);
    return found?.declaration.initializer ? this.#of(found.declaration.initializer, found.file) : new Map();
  }

  #of(node: ts.Expression, file: ts.SourceFile): ReadonlyMap<string, FieldProse> {
    if (ts.isAsExpression(node) || ts.isParenthesizedExpression(node)) return this.#of(node.expression, file);
    if (ts.isIdentifier(node)) return this.ofName(node.text, file);
    if (ts.isCallExpression(node)) return merged(node.arguments.map((each) => this.#of(each, file)));
    if (ts.isArrayLiteralExpression(node)) return merged(node.elements.map((each) => this.#of(each, file)));
    if (!ts.isObjectLiteralExpression(node)) return new Map();
    return merged(node.properties.map((each) => this.#ofProperty(each, file)));
  }

  #ofProperty(node: ts.ObjectLiteralElementLike, file: ts.SourceFile): ReadonlyMap<string, FieldProse> {
    if (ts.isSpreadAssignment(node)) return this.#of(node.expression, file);
    const name = node.name.getText(file);
    const own = proseOf(node).text;
    if (ts.isShorthandPropertyAssignment(node)) {
      return new Map([[name, { text: own || this.#proseBehind(name, file), inner: () => this.ofName(name, file) }]]);
    }
    if (!ts.isPropertyAssignment(node)) return new Map();
    const { initializer } = node;
    const behind = ts.isIdentifier(initializer) ? this.#proseBehind(initializer.text, file) : '';
    return new Map([[name, { text: own || behind, inner: () => this.#of(initializer, file) }]]);
  }

  /** Returns the prose of a named schema, but not of general ones such as `integer`, which explains nothing. */
  #proseBehind(name: string, file: ts.SourceFile): string {
    const found = this.#declaration(name, file);
    if (!found || /core\/schema\/(schema|long-integers)\.ts$/.test(found.file.fileName)) return '';
    return proseOf(found.declaration.parent.parent).text;
  }

  #declaration(
    name: string,
    file: ts.SourceFile,
  ): { declaration: ts.VariableDeclaration; file: ts.SourceFile } | undefined {
    const declaration = file.statements
      .flatMap((statement) => constantsOf(statement))
      .find((each) => each.name.getText(file) === name);
    if (declaration) return { declaration, file };
    const home = file.statements.filter(ts.isImportDeclaration).find((each) => imports(each, name));
    const path = home && ts.isStringLiteral(home.moduleSpecifier) ? home.moduleSpecifier.text : '';
    const other = path.startsWith('.') ? this.#files.get(resolved(file.fileName, path)) : undefined;
    return other && this.#declaration(name, other);
  }
}

function merged(maps: readonly ReadonlyMap<string, FieldProse>[]): ReadonlyMap<string, FieldProse> {
  return new Map(maps.flatMap((each) => [...each]));
}

function imports(node: ts.ImportDeclaration, name: string): boolean {
  const bindings = node.importClause?.namedBindings;
  return (
    bindings !== undefined && ts.isNamedImports(bindings) && bindings.elements.some((each) => each.name.text === name)
  );
}

/** Returns the source file that a relative import in `.js` refers to. */
function resolved(from: string, to: string): string {
  return posix.join(posix.dirname(from), to).replace(/\.js$/, '.ts');
}
