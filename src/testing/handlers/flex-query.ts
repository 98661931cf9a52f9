import {
  GraphQLBoolean,
  GraphQLError,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  Kind,
  execute,
  parse,
  validate,
} from 'graphql';
import type { DocumentNode, GraphQLOutputType } from 'graphql';
import type { inspect, Schema } from '../../core/schema/schema.js';
import type { GraphqlRequest } from './flex-view.js';

/** The arguments of a `configuration` query. */
interface ConfigurationArguments {
  readonly user_id: number;
  readonly service_id: number;
}

/** What is passed in, because this module is loaded on first use: bundlers would split what it shared with others. */
interface QueryService {
  readonly configuration: Schema;
  readonly inspect: typeof inspect;
  readonly resolve: (args: ConfigurationArguments) => object;
  /** Returns the error response for an invalid query. */
  readonly invalid: (reason: string) => unknown;
}

/**
 * Runs a GraphQL query on `configuration`.
 *
 * @throws {ErrorResponse} what `resolve` throws; "invalid query" when the query is not valid GraphQL for this schema
 */
export async function executeQuery(
  { query: source, variables, operationName }: GraphqlRequest,
  { resolve, invalid, ...types }: QueryService,
): Promise<Readonly<Record<string, unknown>>> {
  schema ??= createSchema(types);
  let failure: { readonly error: unknown } | undefined;
  const configuration = (args: ConfigurationArguments): object | null => {
    try {
      return resolve(args);
    } catch (error) {
      failure = { error };
      return null;
    }
  };
  const document = parseQuery(source, schema, invalid);
  const { data, errors } = await execute({
    schema,
    document,
    rootValue: { configuration },
    ...(variables && { variableValues: variables }),
    ...(operationName !== undefined && { operationName }),
  });
  if (failure) throw failure.error;
  if (errors || !data) throw invalid(errors?.[0]?.message ?? 'no data');
  return data;
}

/** Parses and validates a query. @throws {ErrorResponse} "invalid query" */
function parseQuery(source: string, schema: GraphQLSchema, invalid: QueryService['invalid']): DocumentNode {
  try {
    const document = parse(source, { maxLexicalTokens: maxTokens });
    const [error] = validate(schema, document);
    if (error) throw error;
    return document;
  } catch (error) {
    const reason = error instanceof GraphQLError ? error.message : 'the query is nested too deeply';
    throw invalid(reason);
  }
}

/** The whole configuration takes about 200. Validation compares the fields of a query with each other. */
const maxTokens = 2000;

/** Ids can exceed 2^31, the limit of GraphQL's Int. */
const integer = new GraphQLScalarType<number, number>({
  name: 'Integer',
  parseValue: (value) => {
    if (typeof value !== 'number' || !Number.isInteger(value)) throw new GraphQLError('an integer is expected');
    return value;
  },
  parseLiteral: (node) => {
    if (node.kind !== Kind.INT) throw new GraphQLError('an integer literal is expected');
    return Number(node.value);
  },
});
const anything = new GraphQLScalarType({ name: 'Anything' });

let schema: GraphQLSchema | undefined;

function createSchema({
  configuration,
  inspect: look,
}: Pick<QueryService, 'configuration' | 'inspect'>): GraphQLSchema {
  return new GraphQLSchema({
    query: new GraphQLObjectType({
      name: 'Query',
      fields: {
        configuration: {
          type: typeOf(configuration, 'Configuration', look),
          args: { user_id: { type: new GraphQLNonNull(integer) }, service_id: { type: new GraphQLNonNull(integer) } },
        },
      },
    }),
  });
}

/** Derives the GraphQL type from the client's schema, so that exactly its fields can be queried. */
function typeOf(field: Schema, name: string, look: typeof inspect): GraphQLOutputType {
  const found = look(field);
  switch (found.kind) {
    case 'optional':
    case 'nullable':
      return typeOf(found.of, name, look);
    case 'array':
      return new GraphQLList(typeOf(found.of, name, look));
    case 'integer':
      return integer;
    case 'boolean':
      return GraphQLBoolean;
    case 'string':
    case 'enum':
      return GraphQLString;
    case 'object': {
      const fields = Object.entries(found.shape);
      return new GraphQLObjectType({
        name,
        fields: Object.fromEntries([
          ...fields.map(([key, inner]) => [key, { type: typeOf(inner, `${name}_${key}`, look) }] as const),
        ]),
      });
    }
    default:
      return anything;
  }
}
