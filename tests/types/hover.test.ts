import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { beforeAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const file = join(root, 'tests/types/hovered.ts');
const text = readFileSync(file, 'utf8');
let service: ts.LanguageService;

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
  const all = hovers();
  expect(all.length).toBeGreaterThan(15);
  for (const { name, shown, docs } of all) {
    expect(shown.length, `${name}: ${shown}`).toBeLessThan(420);
    const values = Array.from(shown.matchAll(/"(\w+)"/g), ([, value = '']) => value.toLowerCase());
    expect(values, `${name}: a value in two spellings`).toEqual([...new Set(values)]);
    if (/^\((method|class|constructor|function)|^function|^class/.test(shown)) expect(docs, name).not.toBe('');
  }
  const printed = all.map(({ shown, docs }) => `${shown}\n\n${docs.replace(/^/gm, '    ')}\n`).join('\n');
  await expect(printed).toMatchFileSnapshot('hovers.txt');
});
