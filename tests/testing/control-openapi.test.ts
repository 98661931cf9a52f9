import { Validator } from '@seriousme/openapi-schema-validator';
import { afterEach, describe, expect, test } from 'vitest';
import { running } from '../support/serving.ts';

const token = 'a-control-token-of-the-test';
const open: { end(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.end();
});

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}
interface Operation {
  readonly operationId: string;
  readonly responses: Record<string, { content: Record<string, { schema: Schema }> }>;
  readonly requestBody?: { content: Record<string, { schema: Schema }> };
}
interface Document {
  readonly servers?: { readonly url: string }[];
  readonly paths: Record<string, Record<string, Operation>>;
}

async function served() {
  const serving = running('fake', '--port', '0', '--quiet', '--control-token', token);
  open.push(serving);
  const url = await serving.url();
  const get = async (name: string): Promise<unknown> =>
    (await fetch(`${url}/__fake/${name}`, { headers: { 'x-fake-token': token } })).json();
  return { url, get };
}

/** Where a value does not have the type that a schema states. */
function differences(value: unknown, schema: Schema, at = ''): string[] {
  const types = schema.type === undefined ? [] : [schema.type].flat();
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  const fits = types.includes(type) || (type === 'number' && types.includes('integer'));
  if (types.length > 0 && !fits) return [`${at}: ${type} is not ${types.join(' or ')}`];
  if (Array.isArray(value))
    return value.flatMap((each, index) => differences(each, schema.items ?? {}, `${at}.${index}`));
  if (typeof value !== 'object' || value === null) return [];
  const fields = value as Record<string, unknown>;
  const missing = (schema.required ?? []).filter((name) => !(name in fields)).map((name) => `${at}.${name} is missing`);
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, of]) =>
    name in fields ? differences(fields[name], of, `${at}.${name}`) : [],
  );
  return [...missing, ...inner];
}

describe('the OpenAPI document of the control endpoints', () => {
  test('is valid, and each operation has an id of its own and the schema of its response', async () => {
    const { get } = await served();
    const document = (await get('openapi.json')) as Document;
    expect(await new Validator().validate(structuredClone(document) as never)).toMatchObject({ valid: true });
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(['getRequests', 'postFlexItems', 'deleteFaults']));
    for (const { responses } of operations) expect(Object.keys(responses['200']?.content ?? {})).toHaveLength(1);
    expect(document).toMatchObject({
      components: { securitySchemes: { controlToken: { type: 'apiKey', in: 'header', name: 'x-fake-token' } } },
      security: [{ controlToken: [] }],
    });
    const open = Object.entries(document.paths).filter(([, { get }]) => get && 'security' in get);
    expect(open).toMatchObject([['/__fake/health', { get: { security: [] } }]]);
    for (const { responses } of operations)
      for (const response of Object.values(responses))
        expect(response).toHaveProperty('description', expect.stringMatching(/\w/));
    const fieldsOf = (path: string) =>
      document.paths[path]?.post?.requestBody?.content['application/json']?.schema.properties;
    expect(fieldsOf('/__fake/moderation')?.mode).toEqual({
      anyOf: [{ type: 'string', enum: ['atOnce', 'later'] }, { type: 'null' }],
    });
    expect(fieldsOf('/__fake/drivers')?.driver_id).toEqual({ anyOf: [{ type: 'integer' }, { type: 'null' }] });
    // Texts and numbers of any size, without limits that every integer has.
    expect(fieldsOf('/__fake/reads')).toMatchObject({
      pack: { type: ['integer', 'string'] },
      user_id: { type: 'integer' },
    });
    expect(JSON.stringify(document)).not.toContain(String(Number.MAX_SAFE_INTEGER));
  });

  test.each(['requests', 'state', 'clock', 'settings', 'notifications', 'health'])(
    'describes what GET %s responds',
    async (name) => {
      const { url, get } = await served();
      await (await fetch(`${url}/questions/1`)).text();
      const document = (await get('openapi.json')) as Document;
      const { schema } = document.paths[`/__fake/${name}`]!.get!.responses['200']!.content['application/json']!;
      expect(schema.required?.length).toBeGreaterThan(0);
      expect(differences(await get(name), schema)).toEqual([]);
    },
  );

  test('the document of the marketplace itself is served beside it, with this server', async () => {
    const { url, get } = await served();
    const document = (await get('marketplace-openapi.json')) as Document;
    expect(document.servers).toEqual([{ url }]);
    expect(document.paths['/answers']?.post?.operationId).toBeTruthy();
  });

  test('the document of the marketplace has the operations of your own', async () => {
    const { url, get } = await served();
    for (const [method, path] of [
      ['GET', '/orders/{order_id}'],
      ['PUT', '/orders/{order_id}'],
      ['POST', '/currencies'],
    ]) {
      const body = JSON.stringify({ method, path, body: {} });
      const init = { method: 'POST', headers: { 'x-fake-token': token }, body };
      expect((await fetch(`${url}/__fake/operations`, init)).status).toBe(200);
    }
    const document = (await get('marketplace-openapi.json')) as Document;
    expect(document.paths['/orders/{order_id}']).toMatchObject({
      get: { operationId: 'GET_orders_order_id', parameters: [{ name: 'order_id', in: 'path', required: true }] },
      put: { operationId: 'PUT_orders_order_id' },
    });
    expect(Object.keys(document.paths['/currencies'] ?? {}).sort()).toEqual(['get', 'post']);
    expect(await new Validator().validate(structuredClone(document) as never)).toMatchObject({ valid: true });
  });
});
