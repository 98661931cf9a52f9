import { InvalidInputError } from 'marketplace-seller-sdk';
import type { CallOptions } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { inspect } from '../../src/core/schema/schema.js';
import type { StandardSchema } from '../../src/core/schema/schema.js';
import { everyEndpoint } from '../support/every-endpoint.ts';
import { createMarketplace } from '../support/marketplace.ts';
import { errorOf, stubbed } from '../support/stubs.ts';

const shapes = ['wrapped', 'legacy', 'current'] as const;
const offering = everyEndpoint.filter(({ endpoint }) => endpoint.supportsAttributes);
const others = everyEndpoint.filter(({ endpoint }) => !endpoint.supportsAttributes);

/** A marketplace in which each of these endpoints has something to return, and the ids of what it has. */
async function createEverything() {
  const { marketplace, sellerClient, item_id, question_id } = createMarketplace();
  marketplace.viewPhone({ item_id });
  marketplace.flex.subscribe({ user_id: 7 });
  const shipment_id = marketplace.flex.ship({ user_id: 7 });
  marketplace.flex.assignDriver(shipment_id, 345);
  const pack = marketplace.addPack({ seller_id: 7, buyer_id: 31 });
  const { id: message_id } = marketplace.buyerWrites({ pack, text: 'Hello' });
  const { pack_id } = marketplace.addPack({ seller_id: 7, buyer_id: 31 });
  await sellerClient.questions.answer({ question_id, text: 'Yes' });
  const ids = { question_id, item_id, shipment_id, message_id, pack_id, ids: [item_id], offset: undefined };
  return { marketplace, sellerClient, ids };
}

const { marketplace, sellerClient, ids } = await createEverything();

/** The valid input, with the ids of what the marketplace has. */
function withIds(input: Readonly<Record<string, unknown>>): object {
  return { ...input, ...Object.fromEntries(Object.entries(ids).filter(([name]) => name in input)) };
}

/** The names of the fields of a response, or of each entry of a list. */
function fieldsOf(schema: StandardSchema): string[] {
  const found = inspect(schema);
  if (found.kind === 'array' || found.kind === 'preprocess') return fieldsOf(found.of);
  if (found.kind === 'union') return found.of.flatMap(fieldsOf);
  return found.kind === 'object' ? Object.keys(found.shape) : [];
}

const pick = (value: unknown, name: string): unknown => {
  if (Array.isArray(value)) return value.map((entry) => pick(entry, name));
  return Object.fromEntries(Object.entries(value as object).filter(([key]) => key === name));
};

const cases = shapes.flatMap((shape) => offering.map((trial) => ({ shape, ...trial })));

test.each(cases)('$name: each field alone is what the whole response has ($shape)', async ({ shape, ...trial }) => {
  marketplace.messages.shape = shape;
  const input = withIds(trial.input);
  const whole = await sellerClient.call(trial.endpoint, input);
  expect(JSON.stringify(whole).length).toBeGreaterThan(2);
  const names = fieldsOf(trial.endpoint.output);
  expect(names).not.toEqual([]);
  for (const name of names) {
    const options = { attributes: [name] } as CallOptions;
    expect(await sellerClient.call(trial.endpoint, input, options), name).toEqual(pick(whole, name));
  }
});

test.each(others)('$name, whose response could not be read then, rejects `attributes`', async ({ endpoint, input }) => {
  const { sellerClient, sent } = stubbed([Response.json({})]);
  const error = await errorOf(sellerClient.call(endpoint, input, { attributes: ['id'] }));
  expect(error).toBeInstanceOf(InvalidInputError);
  expect(error.message).toContain('takes no `attributes`: a reduced response could not be read');
  expect(sent).toEqual([]);
});

describe('query parameters that change the shape of a response', () => {
  test.each(['attributes', 'callback'])('`%s` is not accepted by the option `query`', async (name) => {
    const query = { [name]: 'id' };
    const { sellerClient, sent } = stubbed([Response.json({})]);
    for (const { endpoint, input } of everyEndpoint) {
      const error = await errorOf(sellerClient.call(endpoint, input, { query }));
      expect(error).toBeInstanceOf(InvalidInputError);
      expect(error.message).toContain(`the option \`query\` has \`${name}\`, which `);
    }
    expect(sent).toEqual([]);
  });

  test.each(['attributes', 'callback'])('`%s` is accepted by no `filters`', async (name) => {
    const { sellerClient, sent } = stubbed([Response.json({})]);
    const filters = { [name]: 'id' };
    const searches = [
      sellerClient.questions.search({ seller_id: 7, filters }),
      sellerClient.sites.search({ site_id: 'MLA', filters }),
    ];
    for (const search of searches) {
      const error = await errorOf<InvalidInputError>(search.first());
      expect(error).toBeInstanceOf(InvalidInputError);
      expect(error.issues).toMatchObject([{ path: ['filters', name] }]);
      expect(error.message).toContain(`\`filters.${name}\` `);
    }
    expect(sent).toEqual([]);
  });
});
