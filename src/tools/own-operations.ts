import { ConfigurationError } from '../core/errors/errors.js';
import type { DescribedEndpoint, Endpoint } from '../core/operation/endpoint.js';
import { didYouMean, namedEndpointError } from '../core/options/rules.js';
import type { StandardSchema } from '../core/schema/schema.js';
import { endpoints, listEndpoints } from '../endpoints.js';
import generated from './descriptions.json' with { type: 'json' };
import { portableSchema, printedSchema, type JsonSchema } from './portable-schema.js';

/**
 * Returns the operations of own endpoints. Their inputs print JSON Schema by themselves (zod, and what implements Standard JSON
 * Schema), or are schemas of zod.
 *
 * @throws {ConfigurationError} when an endpoint is wrong, or its name is that of another tool.
 */
export function ownOperations(
  own: readonly (Endpoint & { readonly summary?: string })[],
  known: readonly DescribedOperation[],
): DescribedOperation[] {
  const names = known.map(({ endpoint }) => toolName(endpoint));
  return own.map((given) => {
    const wrong = namedEndpointError(given);
    if (wrong) throw wrong;
    const name = toolName(given);
    if (!/^[a-zA-Z_]\w{0,63}$/.test(name))
      throw new ConfigurationError(`createTools: \`${given.name}\` takes letters, digits, _ and dots, at most 64`);
    if (names.includes(name)) throw new ConfigurationError(`createTools: there are two tools with the name ${name}`);
    names.push(name);
    const { description: rule, ...jsonSchema } = portableSchema(printed(given.input));
    const { summary = `Calls ${given.method} ${given.path}` } = given;
    const description = rule === undefined ? `${summary}.` : `${summary}. ${rule}`;
    const endpoint = { ...given, summary } as DescribedEndpoint;
    return { endpoint, description, jsonSchema, changesSomething: given.retry !== 'safe' };
  });
}

/** The name that a model uses. */
export function toolName({ name }: Pick<Endpoint, 'name'>): string {
  return name.replaceAll('.', '_');
}

/** A group of operations that are tools only where they are named. */
const onlyByName = 'flexV2';

function isIn(name: string, group: string): boolean {
  return name === group || name.startsWith(`${group}.`);
}

/**
 * Returns the operations that are named, or whose group is; without names all of them but the second generation of Flex, whose
 * tools have the same purposes as those of the first.
 *
 * @throws {ConfigurationError} when there is no such operation or group.
 */
export function selected(
  operations: readonly DescribedOperation[],
  only: readonly string[] | undefined,
): readonly DescribedOperation[] {
  if (!only) return operations.filter(({ endpoint }) => !isIn(endpoint.name, onlyByName));
  const names = operations.map(({ endpoint }) => endpoint.name);
  const unknown = only.find((group) => !names.some((name) => isIn(name, group)));
  if (unknown === undefined) return operations.filter(({ endpoint }) => only.some((each) => isIn(endpoint.name, each)));
  const groups = [...new Set(names.map((name) => name.replace(/\..*/, '')))];
  const hint = didYouMean(unknown, [...groups, ...names], `the groups are ${groups.join(', ')}`);
  throw new ConfigurationError(`createTools: \`only\` names no operation and no group with "${unknown}"; ${hint}`);
}

interface StandardJsonSchema {
  readonly jsonSchema?: { input(options: { readonly target: string }): object };
}

/** Schemas of zod that do not print themselves are such as those of `zod/mini`. */
function printed(schema: StandardSchema): object {
  const { jsonSchema } = schema['~standard'] as StandardSchema['~standard'] & StandardJsonSchema;
  return jsonSchema?.input({ target: 'draft-2020-12' }) ?? printedSchema(schema);
}

/** An operation with its prose, which is that of the JSDoc: `npm run docs:update` writes it to `descriptions.json`. */
export interface DescribedOperation {
  readonly endpoint: DescribedEndpoint;
  /** What it does, and what to know about it. */
  readonly description: string;
  /** Its input, with a description of each field. */
  readonly jsonSchema: JsonSchema;
  /** Whether it changes something at the service. */
  readonly changesSomething: boolean;
}

const { operations, remedies } = generated as unknown as {
  readonly operations: Readonly<Record<string, Pick<DescribedOperation, 'description' | 'jsonSchema'>>>;
  readonly remedies: Readonly<Record<string, string>>;
};

/** Returns every operation, in the order of the table of endpoints. */
export function describedOperations(): DescribedOperation[] {
  return listEndpoints(endpoints).map((endpoint) => {
    const { description = endpoint.summary, jsonSchema = { type: 'object' } } = operations[endpoint.name] ?? {};
    return { endpoint, description, jsonSchema, changesSomething: endpoint.retry !== 'safe' };
  });
}

/** Returns what to do about an error of a class, as the page of the class says it. */
export function remedyFor(kind: string): string | undefined {
  return remedies[kind];
}
