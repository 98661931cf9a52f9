import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const { argv } = process;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'messaging-'));
});
afterEach(() => {
  process.argv = argv;
  rmSync(folder, { recursive: true });
});

/** Runs a program with arguments and returns the lines it prints. */
async function printedBy(program: () => Promise<unknown>, ...given: string[]): Promise<string[]> {
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => lines.push(line));
  vi.resetModules();
  process.argv = ['node', 'program.ts', ...given];
  await program();
  return lines;
}

test('examples/first-contact.ts uses the channel that is open', async () => {
  expect(await printedBy(() => import('../../examples/first-contact.ts'))).toEqual([
    'REQUEST_BILLING_INFO (template): 1 left',
    'SEND_INVOICE_LINK (free_text): 1 left',
    'OTHER (free_text): 1 left',
    'DELIVERY_PROMISE (template): 1 left',
    'A delivery promise can be sent only once.',
    'Rejected (PERSONAL_DATA)',
    'Not sent: cap_exhausted',
    'Sent through the conversation',
  ]);
});

test('examples/conversation-with-a-file.ts sends bytes, or a file from disk', async () => {
  const program = (): Promise<unknown> => import('../../examples/conversation-with-a-file.ts');
  expect(await printedBy(program)).toEqual([
    '1002: Could I have an invoice?',
    '19 of 19 bytes',
    'Sent: Here is your invoice. 📄 invoice.pdf, 19 bytes',
  ]);
  const path = join(folder, 'factura.txt');
  writeFileSync(path, 'total: 10');
  expect((await printedBy(program, path)).at(-1)).toBe('Sent: Here is your invoice. 📄 factura.txt, 9 bytes');
});

test('examples/download.ts saves the files of the buyer', async () => {
  const lines = await printedBy(() => import('../../examples/download.ts'), folder);
  expect(lines).toEqual(['photo.jpg: 21 bytes, image/jpeg']);
  expect(readFileSync(join(folder, 'photo.jpg'), 'utf8')).toBe('a photo of the parcel');
});
