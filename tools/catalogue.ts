import type { Endpoint } from '../src/core/endpoint.js';
import { listEndpoints } from '../src/core/list-endpoints.js';
import { inspect } from '../src/core/schema/inspect.js';
import type { Shape } from '../src/core/schema/schema.js';
import type { StandardSchema } from '../src/core/schema/standard-schema.js';
import type { ClassProse, MethodProse, ProseIndex } from './prose.js';

/** An endpoint with the method that calls it. */
export interface Operation {
  readonly endpoint: Endpoint;
  readonly method: MethodProse;
  /** The class that has the method. */
  readonly owner: ClassProse;
}

/** Everything that the documents are made from. */
export interface Catalogue {
  readonly operations: readonly Operation[];
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
    schemas.set(value, { type: constant.charAt(0).toUpperCase() + constant.slice(1), constant });
  }
  const operations = listEndpoints(table).map((endpoint) => operationOf(endpoint, prose));
  return { operations, schemas, prose, version };
}

function operationOf(endpoint: Endpoint, prose: ProseIndex): Operation {
  const steps = endpoint.name.split('.');
  const name = steps.pop() ?? '';
  const owner = steps.reduce<ClassProse | undefined>(
    (at, step) => prose.classes.get(at?.properties.get(step)?.type ?? ''),
    prose.classes.get('SellerClient'),
  );
  const method = owner?.methods.get(name);
  if (!owner || !method) {
    throw new Error(
      `The endpoint named '${endpoint.name}' has no method seller.${endpoint.name}: one of the two is misnamed`,
    );
  }
  return { endpoint, method, owner };
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
