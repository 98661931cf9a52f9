import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { misreported, program as mistakes } from '../consumers/typescript/mistakes.mjs';

const root = join(import.meta.dirname, '../..');
const file = join(root, 'tests/types/mistakes-of-users.ts');

/** What the compiler of this project reports. Other versions are held by tests/consumers/typescript. */
function reported(): { line: number; column: number; text: string }[] {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
  const config = ts.getParsedCommandLineOfConfigFile(join(root, 'tsconfig.json'), {}, host);
  const options = { ...config?.options, noEmit: true };
  const compilerHost = ts.createCompilerHost(options);
  const program = ts.createProgram([file], options, {
    ...compilerHost,
    fileExists: (path) => path === file || compilerHost.fileExists(path),
    getSourceFile: (path, ...rest) =>
      path === file ? ts.createSourceFile(path, mistakes, rest[0]) : compilerHost.getSourceFile(path, ...rest),
  });
  const source = program.getSourceFile(file);
  return program.getSemanticDiagnostics(source).map(({ start = 0, messageText }) => {
    const { line = 0, character = 0 } = source?.getLineAndCharacterOfPosition(start) ?? {};
    return { line: line + 1, column: character + 1, text: ts.flattenDiagnosticMessageText(messageText, '\n') };
  });
}

test('the compiler reports a mistake in a call where it is', () => {
  expect(misreported(reported())).toEqual([]);
});
