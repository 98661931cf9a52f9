import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { beforeAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const file = join(root, 'tests/types/hovered.ts');
const text = readFileSync(file, 'utf8');
let service: ts.LanguageService;
let hovered: ReturnType<typeof hovers>;

beforeAll(() => {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => readFileSync(path, 'utf8')) as {
    config: object;
  };
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
  service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) =>
      ts.sys.fileExists(path) ? ts.ScriptSnapshot.fromString(readFileSync(path, 'utf8')) : undefined,
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists.bind(ts.sys),
    readFile: ts.sys.readFile.bind(ts.sys),
  });
  // Before the other test: the compiler prints the members of a union in the order in which it first saw them.
  hovered = hovers();
});

/** What an editor shows over each name that is marked with an arrow in a comment below it. */
function hovers(): { name: string; shown: string; docs: string }[] {
  return Array.from(text.matchAll(/^( *\/\/ *)\^$/gm), (mark) => {
    const above = text.lastIndexOf('\n', mark.index - 2) + 1;
    const { displayParts, documentation, textSpan } = service.getQuickInfoAtPosition(
      file,
      above + (mark[1]?.length ?? 0),
    ) ?? { displayParts: [], documentation: [], textSpan: { start: 0, length: 0 } };
    return {
      name: text.slice(textSpan.start, textSpan.start + textSpan.length),
      shown: ts.displayPartsToString(displayParts),
      docs: ts.displayPartsToString(documentation),
    };
  });
}

test('an editor shows named types and prose on hover', async () => {
  expect(hovered.length).toBeGreaterThan(15);
  for (const { name, shown, docs } of hovered) {
    expect(shown.length, `${name}: ${shown}`).toBeLessThan(420);
    const spellings = new Set(Array.from(shown.matchAll(/"(\w+)"/g), ([, value = '']) => value));
    const values = [...spellings].map((value) => value.toLowerCase());
    expect(values, `${name}: a value in two spellings`).toEqual([...new Set(values)]);
    if (/^\((method|class|constructor|function)|^function|^class/.test(shown)) expect(docs, name).not.toBe('');
  }
  const printed = hovered.map(({ shown, docs }) => `${shown}\n\n${docs.replace(/^/gm, '    ')}\n`).join('\n');
  await expect(printed).toMatchFileSnapshot('hovers.txt');
});

/** What an editor shows over each field of each input, also of the objects in it. */
function fieldsOfInputs(): { field: string; shown: string }[] {
  const program = service.getProgram()!;
  const checker = program.getTypeChecker();
  const declared = program.getSourceFile(file)!.statements.find(ts.isVariableStatement)!.declarationList
    .declarations[0]!;
  const found: { field: string; shown: string }[] = [];
  resource(checker.getTypeAtLocation(declared), 'seller', 0);
  return found;

  function resource(type: ts.Type, path: string, depth: number): void {
    for (const member of type.getProperties().filter(({ name }) => !name.startsWith('__#'))) {
      const memberType = checker.getTypeOfSymbol(member);
      const signatures = memberType.getCallSignatures();
      for (const [parameter] of signatures.map(({ parameters }) => parameters)) {
        if (parameter?.name === 'input') fields(checker.getTypeOfSymbol(parameter), `${path}.${member.name}`, 0);
      }
      if (signatures.length === 0 && depth < 3) resource(memberType, `${path}.${member.name}`, depth + 1);
    }
  }

  function fields(type: ts.Type, path: string, depth: number): void {
    for (const each of checker.getNonNullableType(type).isUnion() ? (type as ts.UnionType).types : [type]) {
      if (checker.isArrayType(each)) fields(checker.getTypeArguments(each as ts.TypeReference)[0]!, `${path}[]`, depth);
      else if (each.flags & ts.TypeFlags.Object || each.isIntersection()) {
        for (const property of each.getProperties()) {
          const declaredIn = property.declarations?.[0]?.getSourceFile().fileName ?? '';
          if (!declaredIn.includes('/src/')) continue;
          const propertyType = checker.getTypeOfSymbol(property);
          const at = `${path}.${property.name}`;
          found.push({ field: at, shown: checker.typeToString(propertyType) });
          if (depth < 4) fields(propertyType, at, depth + 1);
        }
      }
    }
  }
}

test('each field of an input is a plain type on hover', () => {
  const all = fieldsOfInputs();
  expect(all.length).toBeGreaterThan(100);
  expect(all.map(({ field }) => field)).toContain('seller.messages.send.to.user_id');
  expect(all.filter(({ shown }) => /Schema|Fields<|Shape|\bInput</.test(shown))).toEqual([]);
});
