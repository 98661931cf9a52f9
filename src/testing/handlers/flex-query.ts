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
  graphql,
} from 'graphql';
import type { GraphQLOutputType } from 'graphql';
import { definitionOf } from '../../core/schema/field.js';
import type { Schema } from '../../core/schema/schema.js';
import { invalidQuery } from '../../resources/flex/errors.js';
import { flexConfiguration } from '../../resources/flex/schemas.js';
import { ErrorResponse, errorResponse } from '../http/handler.js';

/** Whose configuration a query asks for. */
export interface ConfigurationArguments {
  readonly user_id: number;
  readonly service_id: number;
}

/**
 * Answers a query on `configuration` as the service does: bare, or with the documented refusal.
 *
 * @throws {ErrorResponse} what `resolve` throws; "invalid query" for a query that is not GraphQL or asks for what there is not.
 */
export async function answerQuery(
  source: string,
  resolve: (args: ConfigurationArguments) => object,
): Promise<Readonly<Record<string, unknown>>> {
  let refused: ErrorResponse | undefined;
  const configuration = (args: ConfigurationArguments): object | null => {
    try {
      return resolve(args);
    } catch (thrown) {
      if (!(thrown instanceof ErrorResponse)) throw thrown;
      refused = thrown;
      return null;
    }
  };
  const { data, errors } = await graphql({ schema, source, rootValue: { configuration } });
  if (refused) throw refused;
  if (errors || !data)
    throw errorResponse(invalidQuery, { message: `invalid query: ${errors?.[0]?.message ?? 'no data'}` });
  return data;
}

/** GraphQL's own Int ends at 2^31, and ids do not. */
const integer = new GraphQLScalarType<number, number>({
  name: 'Integer',
  parseValue: Number,
  parseLiteral: (node) => {
    if (node.kind !== Kind.INT) throw new GraphQLError('an integer is written as digits');
    return Number(node.value);
  },
});
const anything = new GraphQLScalarType({ name: 'Anything' });

const schema = new GraphQLSchema({
  query: new GraphQLObjectType({
    name: 'Query',
    fields: {
      configuration: {
        type: typeOf(flexConfiguration, 'Configuration'),
        args: { user_id: { type: new GraphQLNonNull(integer) }, service_id: { type: new GraphQLNonNull(integer) } },
      },
    },
  }),
});

/** The GraphQL type of an entity: what the client may select is what can be queried, and nothing else. */
function typeOf(field: Schema, name: string): GraphQLOutputType {
  const definition = definitionOf(field);
  switch (definition?.kind) {
    case 'maybe':
      return typeOf(definition.of, name);
    case 'list':
      return new GraphQLList(typeOf(definition.of, name));
    case 'integer':
      return integer;
    case 'flag':
      return GraphQLBoolean;
    case 'text':
    case 'enum':
      return GraphQLString;
    case 'entity': {
      const fields = Object.entries(definition.shape);
      return new GraphQLObjectType({
        name,
        fields: Object.fromEntries(fields.map(([key, inner]) => [key, { type: typeOf(inner, `${name}_${key}`) }])),
      });
    }
    default:
      return anything;
  }
}
