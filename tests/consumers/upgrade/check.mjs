// Runs the port as an application would, against the installed package.
import { readFileSync, writeFileSync } from 'node:fs';
import ts from 'typescript';

const { outputText } = ts.transpileModule(readFileSync('after/bot.ts', 'utf8'), {
  compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
});
writeFileSync('after/bot.js', outputText);
const { test } = await import('./after/bot.js');
await test();
