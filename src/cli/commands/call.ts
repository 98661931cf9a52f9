import { AccessTokenError, ConfigurationError, InvalidInputError } from '../../core/errors/errors.js';
import { AuthenticationError } from '../../core/errors/response-errors.js';
import { SellerError } from '../../core/errors/seller-error.js';
import { Download } from '../../core/files/download.js';
import type { Endpoint } from '../../core/operation/endpoint.js';
import { didYouMean } from '../../core/options/rules.js';
import { openFieldOf, shapeOf } from '../../core/schema/schema.js';
import { listOf } from '../../tools/compact.js';
import { errorFacts, SentWrites, withIds, type SentOutcome } from '../../tools/error-result.js';
import { describedOperations, toolName, type DescribedOperation } from '../../tools/own-operations.js';
import type { JsonSchema } from '../../tools/portable-schema.js';
import { previewText, readQuietly } from '../../tools/preview.js';
import { UsageError, wrapped, type Command, type Option, type ProcessIO, type Values } from '../command.js';
import { connect, connectionOptions } from '../connection.js';

const operationHint = '"call --help" lists the operations, "call OPERATION --help" the fields of one';

/** `call` without an operation. */
export const call: Command = {
  name: 'call',
  argument: 'OPERATION',
  summary: `Calls one operation and prints its result as JSON. An entry of a list is one line. Reading messages does not mark
them as read. What changes something is only sent with --yes. The exit code is 0 for success, 1 for a failure, 2 for a wrong
operation, field or token, and 3 if it is unknown whether the operation was carried out.`,
  options: { ...connectionOptions, yes: { text: 'send it, if it changes something' } },
  run: () => Promise.reject(new UsageError(`call takes an operation; ${operationHint}`)),
};

/** The same, with a help that lists the operations. */
function withOperations(operations: readonly DescribedOperation[]): Command {
  const rows = operations.map(({ endpoint }) => `  ${endpoint.name.padEnd(34)} ${wrapped(endpoint.summary, 37)}`);
  return { ...call, summary: `${call.summary}\n\nOperations:\n${rows.join('\n')}` };
}

/** Returns the command that calls an operation. @throws {UsageError} when there is none of this name */
export function callOf(name: string | undefined): Command {
  const operations = describedOperations();
  if (name === undefined || name.startsWith('-')) return withOperations(operations);
  const operation = operations.find(({ endpoint }) => endpoint.name === name);
  if (!operation) {
    const names = operations.map(({ endpoint }) => endpoint.name);
    throw new UsageError(`There is no operation "${name}"; ${didYouMean(name, names, operationHint)}`);
  }
  const { endpoint, description, jsonSchema } = operation;
  return {
    name: `call ${name}`,
    summary: inTerminal(description),
    options: {
      ...Object.fromEntries(fieldOptions(terminalInput(endpoint, jsonSchema))),
      ...(endpoint.responseBody === 'stream' && { save: { value: 'PATH', text: 'where to save the file; required' } }),
      ...(operation.changesSomething && { yes: { text: 'send it: it changes something' } }),
      ...connectionOptions,
    },
    run: (values, io) => run(operation, values, io),
  };
}

async function run(operation: DescribedOperation, values: Values, io: ProcessIO): Promise<number> {
  const input = inputFrom(values, terminalInput(operation.endpoint, operation.jsonSchema));
  try {
    const outcome = await outcomeOf(operation, input, values);
    if (outcome.error) return failed(outcome, operation, input, io);
    await print(operation.endpoint, outcome.output, values, io);
    return 0;
  } catch (error) {
    if (error instanceof SellerError) return failed({ error }, operation, input, io);
    throw error;
  }
}

async function outcomeOf(
  { endpoint, changesSomething }: DescribedOperation,
  given: object,
  values: Values,
): Promise<SentOutcome> {
  const { client } = connect(values);
  if (endpoint.responseBody === 'stream' && values.text('save') === undefined)
    throw new UsageError('--save is missing');
  const { input, options } = readQuietly(endpoint, given);
  if (!changesSomething) return { output: await client.call(endpoint, input, options) };
  if (values.has('yes')) return new SentWrites(client).send(endpoint, input);
  const preview = await previewText(endpoint, input, () => Promise.resolve({ client }));
  throw new UsageError(`Not sent: it changes something. With --yes, this is sent:\n\n${preview}`);
}

/** Prints an error on stderr. @returns the exit code */
function failed(
  outcome: Extract<SentOutcome, { error: SellerError }>,
  { endpoint, jsonSchema }: DescribedOperation,
  input: unknown,
  io: ProcessIO,
): number {
  const { error } = outcome;
  const message = withIds(error.message, endpoint, input);
  // Wrong on this command line, or in its token: like any other wrong argument.
  if (wrongArguments.some((type) => error instanceof type))
    throw new UsageError(error instanceof InvalidInputError ? message + optionsFor(error, jsonSchema) : message);
  const { outcomeUnknown, whatToDo } = errorFacts(outcome);
  io.err(`marketplace-seller-sdk: ${message}\n${inTerminal(whatToDo)}`);
  return outcomeUnknown ? 3 : 1;
}

/** The options for the fields of objects that are missing: there is none with the name of the object. */
function optionsFor({ issues }: InvalidInputError, { properties = {} }: JsonSchema): string {
  const names = issues.flatMap(({ path: [name = ''] }) =>
    (properties[String(name)]?.required ?? []).map((field) => `--${String(name)}.${field}`),
  );
  return names.length === 0 ? '' : `; give ${names.join(' and ')}`;
}

/** Names operations in place of tools: `questions_search` is `questions.search` here. */
function inTerminal(text: string): string {
  return describedOperations().reduce(
    (said, { endpoint }) => said.replaceAll(new RegExp(`\\b${toolName(endpoint)}\\b`, 'g'), endpoint.name),
    text,
  );
}

const wrongArguments = [InvalidInputError, ConfigurationError, AuthenticationError, AccessTokenError];

/** Prints an output on stdout: a list as one line per entry, and on stderr what the response holds besides. */
async function print(endpoint: Endpoint, output: unknown, values: Values, io: ProcessIO): Promise<void> {
  const name = listOf(endpoint);
  if (output instanceof Download) io.err(`Saved ${await output.saveTo(values.text('save') ?? '')}`);
  else if (Array.isArray(output)) printEntries(output, io);
  else if (output === undefined) io.err('Done.');
  else if (name === undefined) io.out(JSON.stringify(output, undefined, 2));
  else {
    const { [name]: entries, ...rest } = output as Readonly<Record<string, unknown>>;
    printEntries((entries ?? []) as unknown[], io);
    if (Object.keys(rest).length > 0) io.err(JSON.stringify(rest));
  }
}

function printEntries(entries: readonly unknown[], io: ProcessIO): void {
  for (const entry of entries) io.out(JSON.stringify(entry));
}

const path = 'path of a file';

/** Returns the input as the terminal takes it: a file as a path, and filters with any name. */
function terminalInput({ requestBody, input }: Endpoint, { properties, ...rest }: JsonSchema): JsonSchema {
  const open = openFieldOf(shapeOf(input));
  const { [open ?? '']: filters, file, ...others } = { ...properties };
  return {
    ...rest,
    properties: {
      ...others,
      ...(open !== undefined && { [open]: { type: 'object', description: filters?.description ?? '' } }),
      ...(file && {
        file: requestBody === 'multipart' ? { type: 'string', description: 'The file.', format: path } : file,
      }),
    },
  };
}

/** Returns the options for the fields of an input; those of an object have dots, e.g. `--to.user_id`. */
function fieldOptions({ properties = {}, required = [] }: JsonSchema, prefix = ''): [string, Option][] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    if (schema.properties) return fieldOptions(schema, `${prefix}${name}.`);
    const need = required.includes(name) ? 'required' : 'optional';
    const isRepeatable = schema.type === 'array' || isRecord(schema);
    const text = `${need}; ${schema.description ?? name}`;
    return [[prefix + name, { value: placeholder(schema), text, ...(isRepeatable && { repeatable: true as const }) }]];
  });
}

function placeholder({ type, items, enum: values, format, pattern, ...rest }: JsonSchema): string {
  if (format === path) return 'PATH';
  if (pattern === '^\\d+$') return 'NUMBER';
  if (type === 'array') return placeholder(items ?? {});
  if (Array.isArray(values)) return 'WORD';
  if (isRecord({ ...rest, ...(type !== undefined && { type }) })) return 'NAME=VALUE';
  return { boolean: 'true|false', string: 'TEXT', object: 'JSON' }[String(type)] ?? 'NUMBER';
}

function isRecord({ type, properties }: JsonSchema): boolean {
  return type === 'object' && properties === undefined;
}

/** Returns the input that a command line gives. The endpoint's schema checks it. @throws {UsageError} for wrong JSON */
function inputFrom(values: Values, { properties = {} }: JsonSchema, prefix = ''): Record<string, unknown> {
  const fields = Object.entries(properties).map(([name, schema]) => [name, fieldFrom(values, schema, prefix + name)]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as Record<string, unknown>;
}

function fieldFrom(values: Values, schema: JsonSchema, name: string): unknown {
  if (schema.properties) {
    const inner = inputFrom(values, schema, `${name}.`);
    return Object.keys(inner).length === 0 ? undefined : inner;
  }
  if (schema.type !== 'array' && !isRecord(schema)) {
    const text = values.text(name);
    return text === undefined ? undefined : valueOf(schema, text, name);
  }
  const texts = values.all(name);
  if (texts.length === 0) return undefined;
  if (isRecord(schema)) return Object.fromEntries(texts.map((text) => pairOf(text, name)));
  return texts.map((text) => valueOf(schema.items ?? {}, text, name));
}

function pairOf(text: string, name: string): [string, string] {
  const [, field, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (field === undefined || value === undefined) throw new UsageError(`--${name} takes NAME=VALUE, not "${text}"`);
  return [field, value];
}

/** A value of another type stays text: the schema then says what its field takes. */
function valueOf({ type }: JsonSchema, text: string, name: string): unknown {
  if (type === 'object') return parsed(text, name);
  if (type === 'boolean') return { true: true, false: false }[text] ?? text;
  if ((type === 'integer' || type === 'number') && text.trim() !== '' && Number.isFinite(Number(text)))
    return Number(text);
  return text;
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UsageError(`--${name} takes JSON`);
  }
}
