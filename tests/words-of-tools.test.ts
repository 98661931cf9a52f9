import * as entry from 'marketplace-seller-sdk';
import { createTools } from 'marketplace-seller-sdk/tools';
import type { JsonSchema } from 'marketplace-seller-sdk/tools';
import { expect, test } from 'vitest';
import { remedyFor } from '../src/tools/own-operations.js';
import { createMarketplace } from './support/marketplace.ts';

const tools = createTools(createMarketplace().sellerClient);

/** What only a programmer can use: loops, types, methods and options of the client. */
const forProgrammers =
  /\bIterates?\b|\bloops?\b|\bBlob\b|\bstream(?:ed)?\b|\bresolves\b|\bundefined\b|seller\.\w|\w\(\w*\)|`\w+: null`|\b(?:accessToken|baseUrl|onDrift|maxRetries|concurrency|responseValidation|middleware|select|forEach|subclass|docsPath)\b|Error\b|(?<!ISO )\b(?:20[0-9]|40[0-9])\b/;

/** The names of operations as a program calls them. */
const methods = new RegExp(
  `\\b(?:${tools
    .filter(({ operation }) => operation.includes('.'))
    .map(({ operation }) => operation.replaceAll('.', '\\.'))
    .join('|')})\\b`,
);

function textsOf({ description = '', properties = {}, items }: JsonSchema): string[] {
  return [description, ...Object.values(properties).flatMap(textsOf), ...(items ? textsOf(items) : [])];
}

test.each(tools)('$name speaks to a model', ({ description, jsonSchema }) => {
  for (const text of [description, ...textsOf(jsonSchema)]) {
    expect(text).not.toMatch(forProgrammers);
    expect(text).not.toMatch(methods);
  }
  expect(description).toMatch(/^[A-Z].*\.$/);
});

test('names only tools that exist', () => {
  const named = tools.flatMap(({ description, jsonSchema }) =>
    [description, ...textsOf(jsonSchema)].flatMap((text) => text.match(/\b[a-z]+[A-Za-z]*_[a-z]+[A-Za-z]*\b/g) ?? []),
  );
  const groups = new Set(tools.map(({ name }) => name.split('_')[0]));
  const ofGroups = named.filter((name) => groups.has(name.split('_')[0]));
  expect(ofGroups.filter((name) => !tools.some((tool) => tool.name === name))).toEqual([]);
  expect(ofGroups.length).toBeGreaterThan(15);
});

test('what to do about an error is said to a model', () => {
  const remedies = Object.keys(entry).flatMap((kind) => {
    const remedy = remedyFor(kind);
    return remedy === undefined ? [] : [[kind, remedy] as const];
  });
  expect(remedies.length).toBeGreaterThan(50);
  expect(remedies.filter(([, remedy]) => forProgrammers.test(remedy) || methods.test(remedy))).toEqual([]);
});
