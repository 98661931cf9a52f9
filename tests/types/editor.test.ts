import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import type { Checker, Type } from 'typescript-native/unstable/async';
import { SignatureKind } from 'typescript-native/unstable/async';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listEndpoints } from '../../src/endpoints.js';
import { misreported, program as mistakes } from '../consumers/typescript/mistakes.mjs';
import { startEditor } from '../support/editor.ts';
import type { Editor, Position } from '../support/editor.ts';

// What an editor shows by the compiler of this project. One server answers: it reads the sources once.

const root = join(import.meta.dirname, '../..');
const hovered = readFileSync(join(root, 'tests/types/hovered.ts'), 'utf8');
let editor: Editor;

beforeAll(async () => {
  editor = await startEditor(root);
  editor.open('hovered.ts', hovered);
});
afterAll(() => editor.close());

interface Diagnostic {
  readonly range: { readonly start: Position };
  readonly severity: number;
  readonly message: string;
}

test('the compiler reports a mistake in a call where it is', async () => {
  editor.open('mistakes.ts', mistakes);
  const { items } = await editor.ask<{ items: Diagnostic[] }>('textDocument/diagnostic', 'mistakes.ts');
  // The others are hints.
  const errors = items.filter(({ severity }) => severity === 1);
  const reports = errors.map(({ range: { start }, message: text }) => {
    return { line: start.line + 1, column: start.character + 1, text };
  });
  expect(misreported(reports)).toEqual([]);
});

describe('on hover', () => {
  interface Hover {
    readonly contents: { readonly value: string };
  }

  /** What an editor shows over each name that is marked with an arrow in a comment below it. */
  async function hovers(): Promise<{ name: string; shown: string; docs: string }[]> {
    const { checker } = await editor.projectOf('hovered.ts');
    return Promise.all(
      Array.from(hovered.matchAll(/^( *\/\/ *)\^$/gm), async ({ index, 1: before = '' }) => {
        const character = before.length;
        const at = hovered.lastIndexOf('\n', index - 2) + 1 + character;
        const line = hovered.slice(0, at).split('\n').length - 1;
        const { contents } = await editor.ask<Hover>('textDocument/hover', 'hovered.ts', { line, character });
        const [, shown = '', prose = ''] =
          /^```typescript\n([^]*?)\n```\n?([^]*?)(?:\n*\*@[^]*)?$/.exec(contents.value) ?? [];
        // TypeScript 7.0 knows the prose of a field and leaves it out: github.com/microsoft/typescript-go/issues/3659.
        const symbol = await checker.getSymbolAtPosition('hovered.ts', at);
        const docs = prose || ((await symbol?.getDocumentationComment(checker)) ?? '');
        return { name: symbol?.name ?? '', shown, docs };
      }),
    );
  }

  test('an editor shows named types and prose', async () => {
    const all = await hovers();
    expect(all.length).toBeGreaterThan(15);
    for (const { name, shown, docs } of all) {
      expect(shown.length, `${name}: ${shown}`).toBeLessThan(420);
      const spellings = new Set(Array.from(shown.matchAll(/"(\w+)"/g), ([, value = '']) => value));
      const values = [...spellings].map((value) => value.toLowerCase());
      expect(values, `${name}: a value in two spellings`).toEqual([...new Set(values)]);
      if (/^\((method|class|constructor|function)|^function|^class/.test(shown)) expect(docs, name).not.toBe('');
    }
    const printed = all.map(({ shown, docs }) => `${shown}\n\n${docs.replace(/^/gm, '    ')}\n`).join('\n');
    await expect(printed).toMatchFileSnapshot('hovers.txt');
  });

  test('each field of an input is a plain type', async () => {
    const { checker } = await editor.projectOf('hovered.ts');
    const seller = await checker.getTypeAtPosition('hovered.ts', hovered.indexOf('seller ='));
    const all = await fieldsOfInputs(checker, seller!, 'seller');
    expect(all.length).toBeGreaterThan(100);
    expect(all.map(({ field }) => field)).toContain('seller.messages.send.to.user_id');
    expect(all.filter(({ shown }) => /Schema|Fields<|Shape|\bInput</.test(shown))).toEqual([]);
  });
});

interface Field {
  readonly field: string;
  readonly shown: string;
}

/** The fields of the inputs of all methods of a resource and of those in it, also of the objects in these inputs. */
async function fieldsOfInputs(checker: Checker, resource: Type, path: string): Promise<Field[]> {
  const found: Field[] = [];
  const members = await checker.getPropertiesOfType(resource);
  for (const member of members.filter(({ name }) => !/^__#|\./.test(name))) {
    const type = (await checker.getTypeOfSymbol(member))!;
    const signatures = await checker.getSignaturesOfType(type, SignatureKind.Call);
    for (const signature of signatures) {
      const [input] = await signature.getParameters();
      if (input?.name !== 'input') continue;
      const inputType = (await checker.getTypeOfSymbol(input))!;
      found.push(...(await fieldsOf(checker, inputType, `${path}.${member.name}`)));
    }
    const isResource = signatures.length === 0 && path.split('.').length < 4;
    if (isResource) found.push(...(await fieldsOfInputs(checker, type, `${path}.${member.name}`)));
  }
  return found;
}

async function fieldsOf(checker: Checker, type: Type, path: string, depth = 0): Promise<Field[]> {
  const found: Field[] = [];
  const given = (await checker.getNonNullableType(type)) ?? type;
  for (const each of given.isUnionType() ? await given.getTypes() : [given]) {
    if (await checker.isArrayType(each)) {
      const [entry] = each.isTypeReference() ? await checker.getTypeArguments(each) : [];
      if (entry) found.push(...(await fieldsOf(checker, entry, `${path}[]`, depth)));
    } else if (each.isObjectType() || each.isIntersectionType()) {
      for (const property of await checker.getPropertiesOfType(each)) {
        if (!property.declarations[0]?.path.includes('/src/')) continue;
        const fieldType = (await checker.getTypeOfSymbol(property))!;
        const field = `${path}.${property.name}`;
        found.push({ field, shown: await checker.typeToString(fieldType) });
        if (depth < 4) found.push(...(await fieldsOf(checker, fieldType, field, depth + 1)));
      }
    }
  }
  return found;
}

describe('while one writes', () => {
  const header = `import type { SellerClient } from 'marketplace-seller-sdk';
import type { Outbox } from 'marketplace-seller-sdk/outbox';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import type { FakeMarketplace } from 'marketplace-seller-sdk/testing';
declare const outbox: Outbox;
declare const seller: SellerClient;
declare const marketplace: FakeMarketplace;
`;
  const whose = "site_id: 'MLA', user_id: 7, service_id: 1";
  const job = "key: 'invoice-42', user_id: 7";
  const upload = 'endpoint: endpoints.messages.upload';
  const ofUpload = ['contentType', 'file', 'filename', 'site_id', 'size'];
  const ofMessage = ['application_id', 'attachments', 'client_id', 'from', 'pack_id', 'text', 'to', 'user_id'];
  const names = listEndpoints(endpoints)
    .map(({ name }) => name)
    .sort();

  const statuses = ['ANSWERED', 'BANNED', 'CLOSED_UNANSWERED', 'DELETED', 'UNANSWERED', 'UNDER_REVIEW'];

  /** A line of code with a mark where one writes, what is offered there, and whether nothing else is. */
  type Case = readonly [code: string, offered: readonly string[], isAll: boolean];
  const cases: readonly Case[] = [
    [`seller.flex.configuration({ ${whose}, select: { ^ } });`, ['address', 'delivery_ranges', 'zones'], false],
    [`seller.flex.configuration({ ${whose}, select: { zones: { ^ } } });`, ['id', 'label', 'price', 'selected'], false],
    [
      "seller.actionGuide.send({ pack_id: 1, option_id: '^' });",
      ['DELIVERY_PROMISE', 'OTHER', 'REQUEST_BILLING_INFO', 'REQUEST_VARIANTS', 'SEND_INVOICE_LINK'],
      true,
    ],
    ['outbox.add({ ^ });', ['contact', 'endpoint', 'input', 'key', 'notBefore', 'steps', 'user_id'], true],
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
  ];

  beforeAll(() => editor.open('completed.ts', `${header}${cases.map(([code]) => code.replace('^', '')).join('\n')}\n`));

  test.each(cases)('an editor offers what fits: %s', async (code, offered, isAll) => {
    const line = header.split('\n').length - 1 + cases.findIndex(([each]) => each === code);
    const position = { line, character: code.indexOf('^') };
    const { items } = await editor.ask<{ items: { label: string }[] }>(
      'textDocument/completion',
      'completed.ts',
      position,
    );
    // A field that need not be given has a question mark.
    const found = items.map(({ label }) => label.replace(/\?$/, '')).sort();
    if (isAll) expect(found).toEqual(offered);
    else expect(found).toEqual(expect.arrayContaining([...offered]));
    // None of the hundreds of global names.
    expect(found.length).toBeLessThan(60);
  });
});
