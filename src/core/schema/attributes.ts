import type { Endpoint } from '../endpoint.js';
import { InvalidInputError } from '../errors/errors.js';
import { definitionOf } from './field.js';
import { anything, exact, list, maybe } from './schema.js';
import type { Schema, Shape } from './schema.js';

/** Call options that reduce the answer to some of its fields. Spec: Common conventions 3. */
export interface WithAttributes<Name extends PropertyKey> {
  /** The fields to ask for; only these are delivered. */
  readonly attributes: readonly Name[];
}

/**
 * The schema of an answer reduced to some fields: the answer, or each entry of a bare list, has these and no others.
 *
 * @throws {InvalidInputError} when the endpoint's answer cannot be reduced, or a name cannot stand in the query.
 */
export function selectAttributes(endpoint: Endpoint, attributes: readonly string[]): Schema {
  if (!endpoint.supportsAttributes)
    throw wrong(`${endpoint.method} ${endpoint.path} takes no \`attributes\`: its answer would lose its list`);
  if (attributes.length === 0) throw wrong('`attributes` is empty; leave it out for every field');
  const bad = attributes.find((name) => !/^[\w.]+$/.test(name));
  if (bad !== undefined) throw wrong('`attributes` takes names of fields');
  return reduced(endpoint.output, attributes);
}

function reduced(schema: Schema, attributes: readonly string[]): Schema {
  const definition = definitionOf(schema);
  if (definition?.kind === 'list') return list(reduced(definition.of, attributes));
  if (definition?.kind === 'either') return reduced(definition.of[0], attributes);
  if (definition?.kind === 'read') return reduced(definition.of, attributes);
  const shape: Shape = definition?.kind === 'entity' ? definition.shape : {};
  return exact(Object.fromEntries(attributes.map((name) => [name, shape[name] ?? maybe(anything)])));
}

function wrong(message: string): InvalidInputError {
  return new InvalidInputError([{ path: ['attributes'], message }]);
}
