import { fieldsOf, type Endpoint, type EndpointMethod } from '../operation/endpoint.js';
import { ConfigurationError } from '../errors/errors.js';
import { looseObject, textOrInt, unknown } from '../schema/define.js';
import type { StandardSchema } from '../schema/schema.js';
import { endpointError } from '../options/rules.js';

/** The names of the fields in a path template. */
type PathField<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${infer Bare}*` ? Bare : Name) | PathField<Rest>
  : never;

/** An input by the path alone: its fields, and any others, which become the query or the JSON body. */
export type PathInput<Path extends string> = Readonly<Record<PathField<Path>, string | number>> &
  Readonly<Record<string, unknown>>;

/** A method and a path template, such as `GET /orders/{order_id}`. */
export type RequestLine = `${Exclude<EndpointMethod, 'OPTIONS'>} /${string}`;

/** What an endpoint is defined by: method and path. Everything else has a default. */
export interface EndpointDefinition<Path extends `/${string}`, In, Out> extends Omit<
  Endpoint<In, Out>,
  ('name' | 'input' | 'output' | 'retry' | 'errors') | 'path'
> {
  readonly path: Path;
  /**
   * The name: its first part, up to the dot, says which calls share a rate limit. Jobs, topics and tools need one.
   *
   * @default the first part of the path, a dot, method and path, e.g. `orders.GET /orders/{order_id}`
   */
  readonly name?: string | undefined;
  /** @default the fields of the path, as texts or integers, and any others */
  readonly input?: StandardSchema<unknown, In> | undefined;
  /** @default the body as it came */
  readonly output?: StandardSchema<Out, unknown> | undefined;
  /** @default `safe` for GET and OPTIONS, otherwise `unsafe`: it is sent once */
  readonly retry?: Endpoint['retry'] | undefined;
  /** @default none: an error has the class of its status */
  readonly errors?: Endpoint['errors'] | undefined;
}

/**
 * Defines an operation that this package does not have. Make it once, as a constant: `seller.call` takes it, and so do jobs of an
 * outbox, topics of an inbox, tools, and operations of the fake marketplace.
 *
 * @example
 * const getOrder = defineEndpoint({ name: 'orders.get', method: 'GET', path: '/orders/{order_id}' });
 * const order = await seller.call(getOrder, { order_id: 3000000000000001 });
 * @throws {ConfigurationError} when a property is missing or wrong.
 */
export function defineEndpoint<const Path extends `/${string}`, In = PathInput<Path>, Out = unknown>(
  definition: EndpointDefinition<Path, In, Out>,
): Endpoint<In, Out> {
  if (typeof definition !== 'object' || (definition as unknown) === null)
    throw new ConfigurationError("defineEndpoint takes an object, e.g. { method: 'GET', path: '/orders/{order_id}' }");
  const stated = Object.fromEntries(Object.entries(definition).filter(([, value]) => value !== undefined));
  const wrong = definitionError(stated);
  if (wrong) throw new ConfigurationError(wrong.message.replace('Not sent: the endpoint', 'defineEndpoint: it'));
  const { method, path } = definition;
  return {
    name: `${groupOf(path)}.${method} ${path}`,
    input: looseObject(Object.fromEntries(fieldsOf(path).map((name) => [name, textOrInt]))),
    output: unknown,
    retry: method === 'GET' || method === 'OPTIONS' ? 'safe' : 'unsafe',
    errors: [],
    ...stated,
  } as unknown as Endpoint<In, Out>;
}

/** What is left out is right. */
function definitionError(definition: object): ConfigurationError | undefined {
  return endpointError({ name: '', input: unknown, output: unknown, retry: 'safe', errors: [], ...definition });
}

/** The first part of a path. */
function groupOf(path: string): string {
  return /\w+/.exec(path)?.[0] ?? 'root';
}

/** More lines than a program has, unless it writes ids into them. */
const mostLines = 500;

/** The endpoints of `request`: one for each line and schema, so that what is kept of an endpoint is found again. */
export class RequestedEndpoints {
  /** By the schema of the response: one that is made for a call takes its endpoints with it. */
  readonly #made = new WeakMap<StandardSchema, Map<string, Endpoint>>();

  /** Returns the error if the line is no method and path, or the schema is none. */
  of(line: string, output: StandardSchema = unknown): Endpoint | ConfigurationError {
    const lines = (typeof output === 'object' ? this.#made.get(output) : undefined) ?? new Map<string, Endpoint>();
    const known = lines.get(line);
    if (known) return known;
    const [, method, path] = /^(GET|POST|PUT|PATCH|DELETE) (\/[^\s?#]*)$/.exec(line) ?? [];
    if (path === undefined) return new ConfigurationError(`Not sent: \`request\` ${wrongLine(line)}`);
    const definition = { method: method as EndpointMethod, path: path as `/${string}`, output };
    const wrong = definitionError(definition);
    if (wrong) return wrong;
    const endpoint = defineEndpoint(definition);
    if (lines.size >= mostLines) lines.clear();
    this.#made.set(output, lines.set(line, endpoint));
    return endpoint;
  }
}

/** What is wrong with the first argument of `request`. */
function wrongLine(line: unknown): string {
  const takes = "takes a method and a path, e.g. 'GET /orders/{order_id}'";
  if (typeof line !== 'string') return `${takes}; \`call\` takes an endpoint`;
  if (/^\w+ +\w+:\/\//.test(line)) return `${takes}, without the host: that is \`baseUrl\``;
  if (/^\w+ +\/\S*[?#]/.test(line)) return `${takes}, a path without ? and #; a query is given as fields of the input`;
  if (/^\/\S*$/.test(line)) return `${takes}: the method is missing`;
  return `${takes}: GET, POST, PUT, PATCH or DELETE, one space, and a path that begins with /`;
}
