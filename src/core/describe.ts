import type { Endpoint } from './endpoint.js';
import { anything, checked, entity, map, maybe, read, request, text } from './schema/schema.js';
import type { Input, Output } from './schema/schema.js';
import { nullishArray } from './schema/fields.js';

/** How a resource's methods are described. Spec: Common resources, OPTIONS. */
export const methodDescription = entity({
  method: maybe(text),
  example: maybe(anything),
  description: maybe(text),
});
export interface MethodDescription extends Output<typeof methodDescription> {}

/** What a resource says of itself. Spec: Common resources, OPTIONS. */
export const description = entity({
  name: maybe(text),
  description: maybe(text),
  /** What the fields mean. */
  attributes: maybe(map),
  methods: nullishArray<MethodDescription>(methodDescription),
  related_resources: maybe(anything),
  connections: maybe(anything),
});
export interface Description extends Output<typeof description> {}

export const resourcePath = request({
  /** The path of the resource, e.g. `/questions` or `/currencies/BRL`. */
  path: checked(
    read<string>(text, (value) => (typeof value === 'string' ? value.replace(/^\//, '') : value)),
    (value) => (value === '' ? '`path` is empty; it takes one such as "/questions"' : undefined),
  ),
});
export interface ResourcePath extends Input<typeof resourcePath> {}

export const describe: Endpoint<ResourcePath, Description> = {
  name: 'describe',
  method: 'OPTIONS',
  path: '/{path*}',
  input: resourcePath,
  output: description,
  retry: 'safe',
  errors: [],
};
