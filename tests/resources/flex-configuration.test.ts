import { inspect } from 'node:util';
import { anyText } from '../support/any-text.ts';
import { fc } from '../support/fast-check.ts';
import { Kind, parse } from 'graphql';
import type { FieldNode, SelectionSetNode } from 'graphql';
import {
  ApiError,
  BadRequestError,
  InvalidInputError,
  InvalidQueryError,
  NotFoundError,
  SellerClient,
  ServerError,
  SubscriptionNotFoundError,
  UnexpectedResponseError,
  UserNotFoundError,
} from 'marketplace-seller-sdk';
import { endpoints, flexConfiguration } from 'marketplace-seller-sdk/schemas';
import type { FlexConfiguration, ZonePrice } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { inspect as inspectSchema } from '../../src/core/schema/schema.js';
import type { StandardSchema } from '../../src/core/schema/schema.js';
import { stubbed } from '../support/stubs.js';
import { receiving } from '../support/stubs.ts';

const anySeller = { site_id: 'MLA', user_id: 7, service_id: 1001 };

function createShop() {
  const marketplace = new FakeMarketplace({ now: '2026-03-10T15:00:00Z' });
  const { user_id, site_id } = marketplace.addUser();
  const { service_id } = marketplace.flex.subscribe({ user_id });
  return { marketplace, sellerClient: marketplace.clientFor({ user_id }), whose: { site_id, user_id, service_id } };
}

describe('the selection of fields', () => {
  test('a selection delivers exactly its fields, through lists and nulls, in type and value', async () => {
    const { sellerClient, whose } = createShop();
    const found = await sellerClient.flex.configuration({
      ...whose,
      select: {
        address: { city: { name: true } },
        delivery_ranges: { week: { from: true }, sunday: { from: true } },
        zones: { id: true, price: true },
      },
    });
    expectTypeOf(found).toEqualTypeOf<{
      readonly address?:
        | { readonly city?: { readonly name?: string | null | undefined } | null | undefined }
        | null
        | undefined;
      readonly delivery_ranges?:
        | {
            readonly week?: { readonly from?: number | null | undefined }[] | null | undefined;
            readonly sunday?: { readonly from?: number | null | undefined }[] | null | undefined;
          }
        | null
        | undefined;
      readonly zones?: { readonly id: string; readonly price?: ZonePrice | null | undefined }[] | null | undefined;
    }>();
    const price = { cents: '00', fraction: '500', currency_id: 'ARS', decimal_separator: ',', symbol: '$' };
    expect(found).toEqual({
      address: { city: { name: 'Buenos Aires metropolitan area' } },
      delivery_ranges: { week: [{ from: 9 }], sunday: null },
      zones: [
        { id: 'MLA-1', price },
        { id: 'MLA-2', price },
      ],
    });
  });

  test('without a selection every documented field is requested', async () => {
    const { sellerClient, whose } = createShop();
    const found = await sellerClient.flex.configuration(whose);
    expectTypeOf(found).toEqualTypeOf<FlexConfiguration>();
    expect(Object.keys(found).toSorted()).toEqual(Object.keys(flexConfiguration.shape).toSorted());
    expect(found.subscription).toMatchObject({ status: { id: 'in' }, training_times: { remaining: { value: 0 } } });
  });

  test('fields that were not selected are dropped', async () => {
    const configuration = { zones: [{ id: 'a', label: 'A', price: { cents: '1', tax: 3 } }, null], is_moderated: true };
    const sellerClient = answering({ configuration: { ...configuration, zones: configuration.zones.slice(0, 1) } });
    const found = await sellerClient.flex.configuration({ ...anySeller, select: { zones: { id: true, price: true } } });
    expect(found).toEqual({ zones: [{ id: 'a', price: { cents: '1' } }] });
  });

  test('an unknown field at any depth is rejected', async () => {
    const { sellerClient, sent } = recording();
    const expectIssue = async (select: object, sentence: string) => {
      const failure = await sellerClient.flex
        .configuration({ ...anySeller, select: select as { address: true } })
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(InvalidInputError);
      expect(String(failure)).toContain(sentence);
    };
    await expectIssue({ adress: true }, '`select.adress` is not a field here');
    await expectIssue({ address: { city: { nmae: true } } }, '`select.address.city.nmae` is not a field here');
    await expectIssue({ address: {} }, '`select.address` selects nothing');
    await expectIssue({ address: false }, '`select.address` takes `true` or an object of fields');
    await expectIssue({ is_moderated: { x: true } }, '`select.is_moderated` has no fields to select');
    await expectIssue({ toString: true }, '`select.toString` is not a field here');
    await expectIssue([], '`select` takes `true` or an object of fields');
    expect(sent).toEqual([]);
  });

  test('the compiler checks a selection', () => {
    const { sellerClient } = recording();
    const never = () => [
      // @ts-expect-error -- a field that there is not
      sellerClient.flex.configuration({ ...anySeller, select: { adress: true } }),
      // @ts-expect-error -- a field that there is not, further down
      sellerClient.flex.configuration({ ...anySeller, select: { address: { city: { nmae: true } } } }),
      // @ts-expect-error -- within a list
      sellerClient.flex.configuration({ ...anySeller, select: { zones: { prize: true } } }),
      // @ts-expect-error -- a field that holds no others
      sellerClient.flex.configuration({ ...anySeller, select: { is_moderated: { yes: true } } }),
      // @ts-expect-error -- a list of unknown entries
      sellerClient.flex.configuration({ ...anySeller, select: { zones: { neighborhoods: { id: true } } } }),
      // @ts-expect-error -- `false` selects nothing
      sellerClient.flex.configuration({ ...anySeller, select: { address: false } }),
      // @ts-expect-error -- whose configuration it is must be said
      sellerClient.flex.configuration({ site_id: 'MLA', select: { address: true } }),
    ];
    expect(never).toBeTypeOf('function');
  });
});

describe('the GraphQL query', () => {
  test('only the query is sent', async () => {
    const { sellerClient, sent } = recording();
    await sellerClient.flex.configuration({
      ...anySeller,
      select: { address: { city: { name: true } }, is_moderated: true },
    });
    expect(sent).toEqual([
      {
        url: 'https://api.example.com/shipping/flex/sites/MLA/configuration/v3',
        body: { query: '{configuration(user_id:7,service_id:1001){address{city{name}} is_moderated}}' },
      },
    ]);
  });

  test('no input can change the query', async () => {
    const anyId = fc.oneof(fc.string(), anyText(), fc.double(), fc.bigInt().map(String));
    const id = fc.oneof({ weight: 4, arbitrary: fc.maxSafeNat() }, { weight: 1, arbitrary: anyId });
    const field = fc.constantFrom(
      ...Object.keys(flexConfiguration.shape),
      'id',
      'city',
      'name',
      'price',
      'week',
      'from',
    );
    const name = fc.oneof({ weight: 9, arbitrary: field }, { weight: 1, arbitrary: fc.string() });
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        fc.constant(true),
        fc.dictionary(name, tie('tree'), { maxKeys: 3, noNullPrototype: true }),
      ),
    }));
    let sentAtAll = 0;
    await fc.assert(
      fc.asyncProperty(id, id, tree, async (user_id, service_id, select) => {
        const { sellerClient, sent } = recording();
        const input = { site_id: 'MLA', user_id, service_id, select };
        const failure = await sellerClient.flex.configuration(input as never).then(
          () => undefined,
          (error: unknown) => error,
        );
        if (failure) {
          expect(failure).toBeInstanceOf(InvalidInputError);
          return;
        }
        sentAtAll += 1;
        expect(sent.map(({ body }) => asked(body.query))).toEqual([expected(input)]);
      }),
      { numRuns: 150 },
    );
    expect(sentAtAll).toBeGreaterThan(5);
  });

  test('a query of the user is sent as it is, and its data is delivered as it came', async () => {
    const { sellerClient, whose } = createShop();
    const query = `query Mine { mine: configuration(user_id: ${whose.user_id}, service_id: ${whose.service_id}) { is_moderated } }`;
    const data = await sellerClient.flex.query({ site_id: 'MLA', query });
    expectTypeOf(data).toEqualTypeOf<unknown>();
    expect(data).toEqual({ mine: { is_moderated: false } });
  });

  test('a mutation is not sent', async () => {
    const { sellerClient, sent } = recording();
    for (const query of [
      'mutation { a }',
      'query A { a } mutation B { b }',
      'query A{a}mutation B{b}',
      '# hi\nsubscription { a }',
      '} mutation { a }',
      '{ a } } mutation { b }',
      '',
    ]) {
      await expect(sellerClient.flex.query({ site_id: 'MLA', query }), query).rejects.toBeInstanceOf(InvalidInputError);
    }
    const harmless =
      '# mutation\n{ mutation: a(text: "} mutation {", long: """ } mutation \\""" """) { subscription } }';
    await sellerClient.flex.query({ site_id: 'MLA', query: harmless });
    expect(sent.map(({ body }) => body.query)).toEqual([harmless]);
  });

  test('an empty query is not sent', async () => {
    const { sellerClient, sent } = recording();
    const blank = sellerClient.call(endpoints.flex.configuration, { site_id: 'MLA', query: '  ' });
    await expect(blank).rejects.toThrow('`query` is empty; it takes a GraphQL query');
    expect(sent).toEqual([]);
  });

  test('invalid GraphQL is not sent', async () => {
    const { sellerClient, sent } = recording();
    const failure = await sellerClient.flex.query({ site_id: 'MLA', query: '{a' }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InvalidInputError);
    expect(String(failure)).toContain('`query` is not GraphQL: Syntax Error: Expected Name, found <EOF>');
    expect(sent).toEqual([]);
  });

  test('a query excludes the other fields', async () => {
    const { sellerClient } = recording();
    const extra = { site_id: 'MLA', query: '{a}', variables: { a: 1 } };
    await expect(sellerClient.flex.query(extra)).rejects.toThrow('`variables` is not a field here');
  });

  test('the query is a read, so it is retried after a fault', async () => {
    let calls = 0;
    const sellerClient = new SellerClient({
      baseUrl: 'https://api.example.com',
      fetch: async () => {
        calls += 1;
        if (calls === 1) return new Response('', { status: 503, headers: { 'retry-after': '0' } });
        return Response.json({ configuration: { is_moderated: false } });
      },
    });
    const { data, response } = await sellerClient.flex
      .configuration({ ...anySeller, select: { is_moderated: true } })
      .withResponse();
    expect(data).toEqual({ is_moderated: false });
    expect(response).toMatchObject({ status: 200, attempts: 2 });
  });
});

describe('the response to the query', () => {
  const select = { is_moderated: true } as const;

  test.each([
    ['bare', { configuration: { is_moderated: true } }],
    ['as GraphQL', { data: { configuration: { is_moderated: true } } }],
    ['with an empty list of errors', { data: { configuration: { is_moderated: true } }, errors: [] }],
    ['with no errors', { data: { configuration: { is_moderated: true } }, errors: null }],
  ])('the response may come %s', async (_, body) => {
    expect(await answering(body).flex.configuration({ ...anySeller, select })).toEqual({ is_moderated: true });
  });

  test.each([
    ['the message of a documented error', { message: 'invalid query' }, InvalidQueryError, 400],
    ['a status', { message: 'Gone fishing', extensions: { status: 503 } }, ServerError, 503],
    ['a status as its code', { message: 'No.', extensions: { code: '403' } }, ApiError, 403],
    ['a number that is no status', { message: 'No.', extensions: { status: 42, code: 700 } }, ApiError, 200],
    ['a usual code', { message: 'who?', extensions: { code: 'NOT_FOUND' } }, NotFoundError, 404],
    ['a pair without subscription', { message: 'no subscription found' }, SubscriptionNotFoundError, 404],
    ['an unknown user', { message: 'user not found', extensions: { code: 'X' } }, UserNotFoundError, 404],
    ['an unknown message', { message: 'hm' }, ApiError, 200],
    ['not even an object', 'boom', ApiError, 200],
  ])('an error inside a 200 response is thrown: %s', async (_, error, Class, status) => {
    const body = { data: { configuration: { is_moderated: true } }, errors: [error, { message: 'second' }] };
    const failure = await answering(body)
      .flex.configuration({ ...anySeller, select })
      .catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(Class);
    expect(failure).toMatchObject({ status });
    expect((failure as ApiError).causes.at(-1)).toEqual({ message: 'second' });
    expect((failure as ApiError).body).toEqual(body);
    expect(inspect(failure)).not.toContain('configuration(user_id');
  });

  const good = { data: { configuration: { is_moderated: true } } };

  test.each([
    ['an unavailable service', { status: 503 }],
    ['a fault of the service', { code: 'INTERNAL_SERVER_ERROR' }],
    ['a rate limit', { statusCode: 429 }],
  ])('%s inside a 200 response is retried, like an error response', async (_, extensions) => {
    const { sellerClient, sent } = stubbed(
      [Response.json({ errors: [{ message: 'not now', extensions }] }), Response.json(good)],
      { maxRetryDelayMs: 1 },
    );
    const { data, response } = await sellerClient.flex.configuration({ ...anySeller, select }).withResponse();
    expect([data, response.attempts, sent.length]).toEqual([{ is_moderated: true }, 2, 2]);
  });

  test('a query that is forbidden inside a 200 response is not retried', async () => {
    const { sellerClient, sent } = stubbed([Response.json({ errors: [{ extensions: { code: 'FORBIDDEN' } }] })]);
    await expect(sellerClient.flex.configuration({ ...anySeller, select })).rejects.toMatchObject({ status: 403 });
    expect(sent).toHaveLength(1);
  });

  test('a token that is rejected inside a 200 response is replaced once', async () => {
    const rejected = Response.json({ errors: [{ message: 'expired', extensions: { code: 'UNAUTHENTICATED' } }] });
    let turn = 0;
    const accessToken = async (): Promise<string> => `token-${(turn += 1)}`;
    const { sellerClient, sent } = stubbed([rejected, Response.json(good), rejected], { accessToken });
    expect(await sellerClient.flex.configuration({ ...anySeller, select })).toEqual({ is_moderated: true });
    expect(new Set(sent.map(({ headers }) => headers.get('authorization'))).size).toBe(2);
    const error = sellerClient.flex.configuration({ ...anySeller, select });
    await expect(error).rejects.toMatchObject({ name: 'AuthenticationError', status: 401, attempts: 2 });
    expect(sent).toHaveLength(4);
  });

  test('an error inside a 200 response is thrown by client.call(), too', async () => {
    const sellerClient = answering({ errors: { message: 'invalid query' } });
    const query = '{configuration(user_id:1,service_id:1){zones{id}}}';
    await expect(sellerClient.call(endpoints.flex.configuration, { site_id: 'MLA', query })).rejects.toBeInstanceOf(
      InvalidQueryError,
    );
  });

  test.each([
    ['of another shape', { configuration: 'none' }],
    ['without configuration', { data: { configuration: null } }],
    ['that is nothing', null],
    ['that is a list', []],
  ])('%s is not a configuration', async (_, body) => {
    const failure = await answering(body)
      .flex.configuration({ ...anySeller, select })
      .catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(UnexpectedResponseError);
    expect((failure as UnexpectedResponseError).body).toEqual(body);
  });

  test("responseValidation: 'report' delivers and reports a configuration of another shape", async () => {
    const drifts: unknown[] = [];
    const sellerClient = answering({ configuration: { is_moderated: 'maybe' } }).withOptions({
      responseValidation: 'report',
      onDrift: ({ expected, received }) => drifts.push([expected, received]),
    });
    expect(await sellerClient.flex.configuration({ ...anySeller, select })).toEqual({ is_moderated: 'maybe' });
    expect(drifts).toEqual([['`configuration.is_moderated` takes a boolean', 'string']]);
    const list = answering([1]).withOptions({ responseValidation: 'report' });
    await expect(list.flex.configuration({ ...anySeller, select })).rejects.toBeInstanceOf(UnexpectedResponseError);
  });

  test('the documented errors have their classes', async () => {
    const { marketplace, sellerClient, whose } = createShop();
    await expect(sellerClient.flex.configuration({ ...whose, service_id: 1 })).rejects.toBeInstanceOf(
      SubscriptionNotFoundError,
    );
    await expect(sellerClient.flex.configuration({ ...whose, user_id: 1 })).rejects.toBeInstanceOf(UserNotFoundError);
    const unknownField = `{configuration(user_id:${whose.user_id},service_id:${whose.service_id}){colour}}`;
    await expect(sellerClient.flex.query({ site_id: 'MLA', query: unknownField })).rejects.toBeInstanceOf(
      InvalidQueryError,
    );
    const text = `{configuration(user_id:"${whose.user_id}",service_id:1){zones{id}}}`;
    await expect(sellerClient.flex.query({ site_id: 'MLA', query: text })).rejects.toBeInstanceOf(InvalidQueryError);
    const other = marketplace.clientFor(marketplace.addUser());
    await expect(other.flex.configuration(whose)).rejects.toBeInstanceOf(BadRequestError);
  });

  test('configuration() takes all call options', async () => {
    const { sellerClient, whose } = createShop();
    const { signal } = new AbortController();
    const { response } = await sellerClient.flex
      .configuration(whose, { signal, headers: { 'x-trace': '1' } })
      .withResponse();
    expect(response.status).toBe(200);
    await expect(sellerClient.flex.configuration(whose, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
});

/** A client of a service that gives this one answer. */
function answering(body: unknown): SellerClient {
  return new SellerClient({
    baseUrl: 'https://api.example.com',
    maxRetries: 0,
    fetch: async () => Response.json(body),
  });
}

interface Sent {
  readonly url: string;
  readonly body: { readonly query: string };
}

/** A client that keeps what it sends. */
function recording(): { sellerClient: SellerClient; sent: Sent[] } {
  const sent: Sent[] = [];
  const sellerClient = new SellerClient({
    baseUrl: 'https://api.example.com',
    responseValidation: 'report',
    fetch: receiving(async (request) => {
      sent.push({ url: request.url, body: (await request.json()) as Sent['body'] });
      return Response.json({ configuration: {} });
    }),
  });
  return { sellerClient, sent };
}

/** What a document asks for, as plain data. */
function asked(query: string): unknown {
  const { definitions } = parse(query);
  const [operation] = definitions;
  if (definitions.length !== 1 || operation?.kind !== Kind.OPERATION_DEFINITION) return definitions;
  const [field, ...others] = operation.selectionSet.selections;
  if (others.length > 0 || field?.kind !== Kind.FIELD) return others;
  const given = field.arguments?.map(({ name, value }) => [name.value, value.kind === Kind.INT && value.value]);
  return { operation: operation.operation, name: field.name.value, given, tree: treeOf(field.selectionSet) };
}

function treeOf(set: SelectionSetNode | undefined): unknown {
  if (!set) return true;
  return Object.fromEntries(
    set.selections.map((each) => [(each as FieldNode).name.value, treeOf((each as FieldNode).selectionSet)]),
  );
}

function expected({
  user_id,
  service_id,
  select,
}: {
  user_id: unknown;
  service_id: unknown;
  select: unknown;
}): unknown {
  const given = [
    ['user_id', String(BigInt(user_id as string))],
    ['service_id', String(BigInt(service_id as string))],
  ];
  return { operation: 'query', name: 'configuration', given, tree: whole(flexConfiguration.shape, select) };
}

/** A selection with every `true` expanded, from the shapes of the entities. */
function whole(shape: object, select: unknown): unknown {
  const names = select === true ? Object.keys(shape) : Object.keys(select as object);
  return Object.fromEntries(
    names.map((name) => {
      const inner = shapeIn((shape as Record<string, unknown>)[name]);
      const chosen = select === true || (select as Record<string, unknown>)[name];
      return [name, inner ? whole(inner, chosen) : true];
    }),
  );
}

function shapeIn(field: unknown): object | undefined {
  const found = inspectSchema(field as StandardSchema);
  if (found.kind === 'object') return found.shape;
  return 'of' in found && !Array.isArray(found.of) ? shapeIn(found.of) : undefined;
}

test('the default selection has the prices by weight and the cut-offs of zones', async () => {
  const marketplace = new FakeMarketplace();
  const { user_id } = marketplace.addUser({ site_id: 'MLB' });
  const { service_id } = marketplace.flex.subscribe({ user_id, zoneCutoffs: { 'MLB-1': { week: 12 } } });
  const whose = { site_id: 'MLB', user_id, service_id };
  const { zones } = await marketplace.clientFor({ user_id }).flex.configuration(whose);
  expect(zones?.[0]).toMatchObject({
    pricing: { mode: 'weight', prices: [{ weight: { to_kg: 5 } }, {}] },
    cutoff: { week: 12 },
  });
  const [query] = marketplace.requests.all.map(({ body }) => (body as { query: string }).query);
  expect(query).toContain('pricing{mode prices{price{');
  expect(query).toContain('cutoff{week saturday sunday}');
});
