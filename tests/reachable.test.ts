import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { missingSteps } from '../tools/prestart.mjs';
import { hiddenDeclarations } from '../tools/reachable.ts';

const root = join(import.meta.dirname, '..');
/** An application that has installed the package. */
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reachable-')));

beforeAll(() => {
  const missing = missingSteps(root).map(({ reason, command }) => `${command} (${reason})`);
  if (missing.length > 0) throw new Error(`These tests read dist; first run: ${missing.join(', ')}`);
  const installed = join(folder, 'node_modules/marketplace-seller-sdk');
  mkdirSync(installed, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  for (const name of ['package.json', 'dist/esm']) cpSync(join(root, name), join(installed, name), { recursive: true });
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test('what is declared and not exported does not become more', () => {
  const hidden = hiddenDeclarations(root);
  expect(hidden.length, hidden.join('\n')).toBeLessThanOrEqual(60);
});

const program = `
import { SellerClient } from 'marketplace-seller-sdk';
import { createInbox, openInbox } from 'marketplace-seller-sdk/inbox';
import { createOAuth, createSellers, type OAuthOptions, type TokenStore } from 'marketplace-seller-sdk/oauth';
import { createOutbox, openOutbox } from 'marketplace-seller-sdk/outbox';
import { memoryStore } from 'marketplace-seller-sdk/stores';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

declare const [options, tokens]: [OAuthOptions, TokenStore];
export const client = new SellerClient({ baseUrl: 'https://api.example.com' });
export const list = client.questions.search({ seller_id: 7 });
export const conversation = client.messages.conversation({ pack_id: 1, user_id: 7 });
export const oauth = createOAuth(options);
export const sellers = createSellers({ client, tokens, refresh: oauth.refresh });
export const store = memoryStore();
export const inbox = createInbox({ store, clientFor: sellers.for, on: {} });
export const outbox = createOutbox({ store, clientFor: sellers.for });
export const [storedInbox, storedOutbox] = [openInbox(store), openOutbox(store)];
export const marketplace = new FakeMarketplace();
`;

test('an application that writes declarations may export every member of what it has made', () => {
  const members = membersOf(program);
  expect(members.length).toBeGreaterThan(250);
  const lines = members.map((path, index) => `export const member${index} = ${path};`);
  writeFileSync(join(folder, 'app.ts'), `${program}${lines.join('\n')}\n`);
  const compiler = join(root, 'tools/tsc.mjs');
  const options =
    '--declaration --emitDeclarationOnly --strict --target es2023 --module nodenext --types --skipLibCheck';
  const { stdout } = spawnSync(process.execPath, [compiler, ...options.split(' '), 'app.ts', '--outDir', 'out'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const text = readFileSync(join(folder, 'app.ts'), 'utf8').split('\n');
  const errors = stdout.replaceAll(/^app\.ts\((\d+),.*?\): /gm, (_, line) => `${text[Number(line) - 1]} `);
  expect(errors).toBe('');
});

/** Every member of what the program exports, and their members, as the program reaches them. */
function membersOf(text: string): string[] {
  const file = join(folder, 'made.ts');
  writeFileSync(file, text);
  const { NodeNext } = ts.ModuleKind;
  const options = { module: NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, strict: true, types: [] };
  const program = ts.createProgram([file], options);
  const checker = program.getTypeChecker();
  const found: string[] = [];
  const seen = new Set<ts.Type>();
  const visit = (path: string, type: ts.Type): void => {
    if (seen.has(type)) return;
    seen.add(type);
    for (const member of checker.getPropertiesOfType(type)) {
      const [declaration] = member.declarations ?? [];
      const isOurs = declaration?.getSourceFile().fileName.includes('marketplace-seller-sdk/dist');
      if (!isOurs || !/^[a-z]\w*$/i.test(member.name)) continue;
      if (ts.getCombinedModifierFlags(declaration!) & ts.ModifierFlags.NonPublicAccessibilityModifier) continue;
      const of = checker.getTypeOfSymbol(member);
      found.push(`${path}.${member.name}`);
      if (of.flags & ts.TypeFlags.Object && of.getCallSignatures().length === 0) visit(`${path}.${member.name}`, of);
    }
  };
  const source = program.getSourceFile(file);
  for (const made of checker.getExportsOfModule(checker.getSymbolAtLocation(source!)!))
    visit(made.name, checker.getTypeOfSymbol(made));
  return found;
}
