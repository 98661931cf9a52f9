import { join } from 'node:path';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { listEndpoints } from '../../src/endpoints.js';

const root = join(import.meta.dirname, '../..');
const file = join(root, 'tests/types/completed.ts');
const header = `import type { SellerClient } from 'marketplace-seller-sdk';
import type { Outbox } from 'marketplace-seller-sdk/outbox';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import type { FakeMarketplace } from 'marketplace-seller-sdk/testing';
declare const outbox: Outbox;
declare const seller: SellerClient;
declare const marketplace: FakeMarketplace;
`;

const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
  config: object;
};
const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
/** The file in the editor, and how often it has changed: all else is read once. */
const edited = { text: header, version: 0 };
const read = (path: string): string | undefined => (path === file ? edited.text : ts.sys.readFile(path));
const service = ts.createLanguageService({
  getCompilationSettings: () => options,
  getScriptFileNames: () => [file],
  getScriptVersion: (path) => String(path === file ? edited.version : 0),
  getScriptSnapshot: (path) => {
    const content = read(path);
    return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
  },
  getCurrentDirectory: () => root,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: (path) => path === file || ts.sys.fileExists(path),
  readFile: read,
});

/** What an editor offers at the mark in a line of code. */
function completionsOf(code: string): string[] {
  edited.text = header + code.replace('^', '');
  edited.version += 1;
  const found = service.getCompletionsAtPosition(file, header.length + code.indexOf('^'), {});
  return (found?.entries ?? []).map(({ name }) => name).sort();
}

const whose = "site_id: 'MLA', user_id: 7, service_id: 1";
const job = "key: 'invoice-42', user_id: 7";
const upload = 'endpoint: endpoints.messages.upload';
const ofUpload = ['contentType', 'file', 'filename', 'site_id', 'size'];
const ofMessage = ['application_id', 'attachments', 'client_id', 'from', 'pack_id', 'text', 'to', 'user_id'];
const names = listEndpoints(endpoints)
  .map(({ name }) => name)
  .sort();

const statuses = ['ANSWERED', 'BANNED', 'CLOSED_UNANSWERED', 'DELETED', 'UNANSWERED', 'UNDER_REVIEW'];

test.each<[string, readonly string[], boolean]>([
  [`seller.flex.configuration({ ${whose}, select: { ^ } });`, ['address', 'delivery_ranges', 'zones'], false],
  [`seller.flex.configuration({ ${whose}, select: { zones: { ^ } } });`, ['id', 'label', 'price', 'selected'], false],
  [
    "seller.actionGuide.send({ pack_id: 1, option_id: '^' });",
    ['DELIVERY_PROMISE', 'OTHER', 'REQUEST_BILLING_INFO', 'REQUEST_VARIANTS', 'SEND_INVOICE_LINK'],
    true,
  ],
  ['outbox.add({ ^ });', ['contact', 'endpoint', 'input', 'key', 'steps', 'user_id'], true],
  [`outbox.add({ ${job}, endpoint: endpoints.messages.send, input: { ^ } });`, ofMessage, true],
  [`outbox.add({ ${job}, contact: { ^ } });`, ofMessage, true],
  [`outbox.add({ ${job}, steps: [{ ^ }] });`, ['contact', 'endpoint', 'input'], true],
  [`outbox.add({ ${job}, steps: [{ ${upload}, input: { ^ } }] });`, ofUpload, true],
  [`outbox.add({ steps: [{ ${upload}, input: { ^ } }] });`, ofUpload, true],
  [
    `outbox.add({ ${job}, steps: [{ ${upload}, input: { site_id: 'MLA', file } }, { contact: { ^ } }] });`,
    ofMessage,
    true,
  ],
  ["seller.questions.search({ seller_id: 7, filters: { status: '^' } });", statuses, true],
  ["seller.questions.search({ item: 'MLA1', filters: { status: ['^'] } });", statuses, true],
  ["marketplace.requests.filter({ endpoint: '^' });", names, true],
  ["marketplace.faults.inject({ endpoint: '^' });", names, true],
])('an editor offers what fits: %s', (code, offered, isAll) => {
  const found = completionsOf(code);
  if (isAll) expect(found).toEqual(offered);
  else expect(found).toEqual(expect.arrayContaining([...offered]));
  // None of the hundreds of global names.
  expect(found.length).toBeLessThan(60);
});
