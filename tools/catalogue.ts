import type { DescribedEndpoint, Endpoint } from '../src/core/endpoint.js';
import { listEndpoints } from '../src/core/list-endpoints.js';
import { inspect } from '../src/core/schema/inspect.js';
import type { Shape } from '../src/core/schema/schema.js';
import type { StandardSchema } from '../src/core/schema/standard-schema.js';
import type { ClassProse, MethodProse, ProseIndex } from './prose.js';

/** A public method of the client or of one of its resources. */
export interface PublicMethod {
  /** Its path in a client, e.g. `flex.items.enable`. */
  readonly name: string;
  /** The endpoint that it calls; `undefined` if it combines several calls. */
  readonly endpoint: Endpoint | undefined;
  readonly method: MethodProse;
  /** The class that has the method. */
  readonly owner: ClassProse;
}

/** An endpoint with the method of the same name, which calls it. */
export interface Operation extends PublicMethod {
  readonly endpoint: DescribedEndpoint;
}

/** Everything that the documents are made from. */
export interface Catalogue {
  readonly operations: readonly Operation[];
  /** Every public method: the operations, then the methods that are not one endpoint each. */
  readonly methods: readonly PublicMethod[];
  /** Schemas that users can import: the name of their interface, and of the constant. */
  readonly schemas: ReadonlyMap<StandardSchema, { readonly type: string; readonly constant: string }>;
  readonly prose: ProseIndex;
  readonly version: string;
}

/**
 * Combines endpoints, schemas and prose.
 *
 * @throws {Error} when an endpoint's name is not the path of a method of the client.
 */
export function catalogue(
  table: object,
  surface: Readonly<Record<string, unknown>>,
  prose: ProseIndex,
  version: string,
): Catalogue {
  const schemas = new Map<StandardSchema, { type: string; constant: string }>();
  for (const [constant, value] of Object.entries(surface)) {
    if (!isSchema(value) || shapesOf(value).length === 0) continue;
    const name = { type: constant.charAt(0).toUpperCase() + constant.slice(1), constant };
    const found = inspect(value);
    // Other schemas contain what is behind the function that reads other shapes.
    schemas.set(found.kind === 'preprocess' ? found.of : value, name);
  }
  const found = publicMethods(prose.classes.get('SellerClient'), prose);
  const operations = listEndpoints(table).map((endpoint) => operationOf(endpoint, found));
  const named = new Set(operations.map(({ name }) => name));
  const others = found
    .filter(({ name }) => !named.has(name))
    .map((each) => ({ ...each, endpoint: requestedBy(each.method, operations) }));
  return { operations, methods: [...operations, ...others], schemas, prose, version };
}

function operationOf(endpoint: DescribedEndpoint, found: readonly Named[]): Operation {
  const named = found.find(({ name }) => name === endpoint.name);
  if (!named) {
    throw new Error(
      `The endpoint named '${endpoint.name}' has no method seller.${endpoint.name}: one of the two is misnamed`,
    );
  }
  return { ...named, endpoint };
}

type Named = Omit<PublicMethod, 'endpoint'>;

/** The public methods of a class, and those of the classes of its properties. */
function publicMethods(owner: ClassProse | undefined, prose: ProseIndex, path = ''): Named[] {
  if (!owner) return [];
  const isPublic = ([name]: readonly [string, unknown]): boolean => !name.startsWith('#');
  const own = [...owner.methods].filter(isPublic).map(([name, method]) => ({ name: path + name, method, owner }));
  const inner = [...owner.properties].filter(isPublic).flatMap(([name, { type }]) => {
    return publicMethods(prose.classes.get(type), prose, `${path}${name}.`);
  });
  return [...own, ...inner];
}

/** The endpoint whose request a method sends. */
function requestedBy({ prose }: MethodProse, operations: readonly Operation[]): Endpoint | undefined {
  return operations.find(({ endpoint }) => `${endpoint.method} ${endpoint.path}` === prose.request)?.endpoint;
}

function isSchema(value: unknown): value is StandardSchema {
  return typeof value === 'object' && value !== null && '~standard' in value;
}

/** The objects that a schema accepts: several for a union, none if it is not an object. */
export function shapesOf(schema: StandardSchema): readonly Shape[] {
  const found = inspect(schema);
  switch (found.kind) {
    case 'object':
      return [found.shape];
    case 'preprocess':
      return shapesOf(found.of);
    case 'union':
      return found.of.flatMap((each) => shapesOf(each));
    default:
      return [];
  }
}

/** Whether a field may be omitted. */
export function isOptional(field: StandardSchema | undefined): boolean {
  return field === undefined || inspect(field).kind === 'optional';
}

/** Where a field of an endpoint's input is sent. */
export type Place = 'path' | 'query' | 'header' | 'body';

/** Returns where a field is sent: in the path if the template names it, otherwise as the endpoint and its method say. */
export function placeOf(endpoint: Endpoint, field: string): Place {
  if (new RegExp(`\\{${field}\\*?\\}`).test(endpoint.path)) return 'path';
  if (endpoint.inHeader?.[field] !== undefined) return 'header';
  if (endpoint.inQuery?.includes(field)) return 'query';
  return endpoint.method === 'POST' || endpoint.method === 'PUT' ? 'body' : 'query';
}
