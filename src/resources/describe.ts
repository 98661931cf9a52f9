import type { DescribedEndpoint } from '../core/operation/endpoint.js';
import {
  named,
  nullish,
  strictObject,
  preprocess,
  record,
  refine,
  looseObject,
  string,
  unknown,
  withFacts,
} from '../core/schema/define.js';
import type { Input, Output } from '../core/schema/schema.js';
import { listOrObject, nullishArray } from './fields.js';

const methodDescription = looseObject({
  method: nullish(string),
  example: nullish(unknown),
  description: nullish(string),
});
/** The description of a method of a resource. */
export interface MethodDescription extends Output<typeof descriptionSchemas.methodDescription> {}

export const description = looseObject({
  name: nullish(string),
  description: nullish(string),
  /** The meaning of the fields. */
  attributes: nullish(record),
  methods: nullishArray(named<MethodDescription>(methodDescription)),
  related_resources: nullish(listOrObject),
  connections: nullish(listOrObject),
});
/** The description of a resource. */
export interface Description extends Output<typeof descriptionSchemas.description> {}

const resourcePath = strictObject({
  /** The path of the resource, e.g. `/questions` or `/currencies/BRL`. */
  path: withFacts(
    refine(
      string,
      (value) => (withoutSlash(value) === '' ? '`path` is empty; it takes one such as "/questions"' : undefined),
      { minLength: 1 },
    ),
    { write: withoutSlash },
  ),
});
/** The input of `describe`. */
export type ResourcePath = Input<typeof descriptionSchemas.resourcePath>;

function withoutSlash(path: string): string {
  return path.replace(/^\//, '');
}

export const describe: DescribedEndpoint<ResourcePath, Description> = {
  name: 'describe',
  summary: 'Describes a resource: its fields and methods',
  method: 'OPTIONS',
  path: '/{path*}',
  input: resourcePath,
  example: { path: '/questions' },
  // Resources without a description respond with 204.
  output: preprocess<Description>(description, (value) => value ?? {}),
  retry: 'safe',
  errors: [],
};

/** The schemas behind the types of this file. Declarations name this one constant, not one for each. */
export const descriptionSchemas = { methodDescription, description, resourcePath };
