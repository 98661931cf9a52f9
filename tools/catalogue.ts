import type { DescribedEndpoint, Endpoint } from '../src/core/operation/endpoint.js';
import type { DocumentedError } from '../src/core/operation/documented-error.js';
import { listEndpoints } from '../src/endpoints.js';
import { inspect } from '../src/core/schema/schema.js';
import type { Shape, StandardSchema } from '../src/core/schema/schema.js';
import type { Export, Fields, Member, Sources } from './sources.ts';

/** The file of each entry of the package. */
export const entryFiles = {
  'marketplace-seller-sdk/tools': 'src/tools/index.ts',
  'marketplace-seller-sdk/simulation': 'src/simulation/index.ts',
  'marketplace-seller-sdk/testing': 'src/testing/index.ts',
  'marketplace-seller-sdk/inbox': 'src/notifications/index.ts',
  'marketplace-seller-sdk/stores': 'src/stores.ts',
  'marketplace-seller-sdk/outbox': 'src/outbox/index.ts',
  'marketplace-seller-sdk/oauth': 'src/oauth/index.ts',
  'marketplace-seller-sdk/otel': 'src/otel/index.ts',
  'marketplace-seller-sdk/schemas': 'src/schemas.ts',
  'marketplace-seller-sdk': 'src/index.ts',
} as const;
export type Entry = keyof typeof entryFiles;

/** A public method of the client or of one of its resources. */
export interface PublicMethod {
  /** Its path in a client, e.g. `flex.items.enable`. */
  readonly name: string;
  /** The resource that it belongs to, or `common` for a method of the client itself. */
  readonly resource: string;
  /** The endpoint that it calls; `undefined` if it combines several calls. */
  readonly endpoint: Endpoint | undefined;
  /** The documented errors of the endpoint that it throws. */
  readonly errors: readonly DocumentedError[];
  readonly method: Member;
  /** What the class that has the method is for. */
  readonly about: string;
}

/** An endpoint with the method of the same name, which calls it. */
export interface Operation extends PublicMethod {
  readonly endpoint: DescribedEndpoint;
}

/** A schema of a resource: the name of its type and of the constant, and its prose. */
export interface NamedSchema {
  readonly type: string;
  /** Whether users can import its type: only these have a section of the reference. */
  readonly isExported: boolean;
  readonly constant: string;
  readonly text: string;
  readonly fields: Fields;
}

/** Everything that the documents are made from. */
export interface Catalogue {
  readonly operations: readonly Operation[];
  /** Every public method: the operations, then the methods that are not one endpoint each. */
  readonly methods: readonly PublicMethod[];
  readonly schemas: ReadonlyMap<StandardSchema, NamedSchema>;
  readonly entries: Readonly<Record<Entry, readonly Export[]>>;
  /** What all entries export, by name. */
  readonly exports: ReadonlyMap<string, Export>;
  readonly version: string;
}

/** The documented errors that a method turns into a result, so that it never throws them. */
const recovered: Readonly<Record<string, string>> = { 'flex.items.isEnabled': 'ItemNotFoundError' };

/**
 * Combines endpoints, schemas and prose.
 *
 * @param surface The schemas of resources by their names, and the `endpoints`.
 * @param files The modules that declare them.
 * @throws {Error} when an endpoint's name is not the path of a method of the client.
 */
export function catalogue(
  surface: Readonly<Record<string, unknown>>,
  files: readonly string[],
  sources: Sources,
  version: string,
): Catalogue {
  const declarationsOf = (paths: readonly string[]): Exports =>
    new Map(paths.flatMap((path) => sources.declarationsOf(path).map((one) => [one.name, one] as const)));
  const listed = Object.entries(entryFiles).map(([entry, file]) => [entry, sources.exportsOf(file)] as const);
  const exports = new Map(listed.flatMap(([, each]) => each.map((one) => [one.name, one] as const)));
  const endpoints = listEndpoints(surface.endpoints as object);
  const found = publicMethods('SellerClient', exports).map((each): PublicMethod => {
    const request = ({ method, path }: Endpoint): boolean => `${method} ${path}` === each.method.prose.request;
    const endpoint = endpoints.find(({ name }) => name === each.name) ?? endpoints.find(request);
    const errors = (endpoint?.errors ?? []).filter(({ error }) => error.kind !== recovered[each.name]);
    const resource = each.name.includes('.') ? each.name.replace(/\..*/, '') : 'common';
    return { ...each, resource, endpoint, errors };
  });
  const operations = endpoints.map((endpoint): Operation => {
    const method = found.find(({ name }) => name === endpoint.name);
    if (method) return { ...method, endpoint };
    throw new Error(`There is no method seller.${endpoint.name} for the endpoint '${endpoint.name}': is one misnamed?`);
  });
  const others = found.filter(({ name }) => !endpoints.some((endpoint) => endpoint.name === name));
  return {
    operations,
    methods: [...operations, ...others],
    schemas: namedSchemas(surface, exports, declarationsOf(files)),
    entries: Object.fromEntries(listed) as Record<Entry, Export[]>,
    exports,
    version,
  };
}

type Exports = ReadonlyMap<string, Export>;

/** The public methods of a class, and those of the classes of its properties. */
function publicMethods(owner: string, exports: Exports, path = ''): Pick<PublicMethod, 'name' | 'method' | 'about'>[] {
  const { members = [], prose } = exports.get(owner) ?? {};
  const { method: own = [], property: inner = [] } = Object.groupBy(members, ({ kind }) => kind);
  return [
    ...own.map((method) => ({ name: path + method.name, method, about: prose?.text ?? '' })),
    ...inner.flatMap(({ name, code }) => publicMethods(code, exports, `${path}${name}.`)),
  ];
}

function namedSchemas(
  surface: Readonly<Record<string, unknown>>,
  exports: Exports,
  declarations: Exports,
): Map<StandardSchema, NamedSchema> {
  const found = Object.entries(surface).flatMap(([constant, value]): [StandardSchema, NamedSchema][] => {
    const declared = declarations.get(constant);
    const type = typeNameOf(constant);
    if (!declared || !declarations.has(type) || !isSchema(value) || shapesOf(value).length === 0) return [];
    const inspected = inspect(value);
    // Other schemas contain what is behind the function that reads other shapes.
    const schema = inspected.kind === 'preprocess' ? inspected.of : value;
    const described = declarations.get(type)?.prose.text ?? '';
    const text = described === '' ? declared.prose.text : described;
    return [[schema, { type, isExported: exports.has(type), constant, text, fields: declared.fields() }]];
  });
  return new Map(found);
}

function isSchema(value: unknown): value is StandardSchema {
  return typeof value === 'object' && value !== null && '~standard' in value;
}

/** The name of the type that a schema delivers. */
export function typeNameOf(schema: string): string {
  return schema.charAt(0).toUpperCase() + schema.slice(1);
}

/** The objects that a schema accepts: several for a union, none if it is not an object. */
export function shapesOf(schema: StandardSchema): readonly Shape[] {
  const found = inspect(schema);
  if (found.kind === 'object') return [found.shape];
  return found.kind === 'preprocess' || found.kind === 'union' ? [found.of].flat().flatMap(shapesOf) : [];
}
