import { pageOfError } from '../src/core/errors/seller-error.js';
import { keywordsOf } from '../src/core/schema/schema.js';
import type { DocumentedError } from '../src/core/operation/documented-error.js';
import type { StandardSchema } from '../src/core/schema/schema.js';
import { typeNameOf } from './catalogue.ts';
import type { Catalogue, NamedSchema, PublicMethod } from './catalogue.ts';
import { fieldColumns, fieldRows, typeOf } from './fields.ts';
import { codeSpan, fenced, table } from './markdown.ts';
import type { Prose } from './prose.ts';
import type { Export, Member } from './sources.ts';

/** How a failed call is retried, by its retry class. */
const retries: Readonly<Record<string, string>> = {
  safe: 'A read: retried after any transient error.',
  idempotent: 'An idempotent write: retried like a read.',
  unsafe: 'A write: retried only where the service certainly did nothing.',
};

/** The section of one public method of the client or of a resource. */
export function methodSection(each: PublicMethod, all: Catalogue): string[] {
  const { name, method, endpoint } = each;
  const path = name.slice(0, name.lastIndexOf('.') + 1);
  return [
    `### ${name}`,
    endpoint ? request(endpoint) : '',
    ...method.prose.examples.map(fenced),
    method.prose.text,
    fenced(withEndpoints(method.code, each, all).replaceAll(/^/gm, `seller.${path}`)),
    ...(endpoint
      ? [attributes(endpoint), ...input(each, all), returns(each, all), ...errors(each)]
      : methodDetails(method.prose)),
  ];
}

/** An input as users name it: by its endpoint, first that of the method. */
function withEndpoints(code: string, { endpoint }: PublicMethod, all: Catalogue): string {
  return code.replaceAll(/(?:\w+Inputs\['|Input<typeof \w+Schemas\.)(\w+)(?:'\]|>)/g, (_, constant: string) => {
    const takes = (input: StandardSchema | undefined): boolean =>
      !!input && all.schemas.get(input)?.constant === constant;
    if (takes(endpoint?.input)) return `Input<typeof endpoints.${endpoint?.name}>`;
    const other = all.operations.find((each) => takes(each.endpoint.input));
    return other ? `Input<typeof endpoints.${other.name}>` : typeNameOf(constant);
  });
}

function request({ method, path, retry }: NonNullable<PublicMethod['endpoint']>): string {
  return `\`${method} ${path}\` ${retries[retry] ?? retry}`;
}

function attributes({ supportsAttributes }: NonNullable<PublicMethod['endpoint']>): string {
  return supportsAttributes
    ? 'It supports the call option `attributes`, which reduces the response to the named fields.'
    : '';
}

/** The input that a method declares: a schema, an interface that extends one, or the input of its endpoint. */
export function inputOf(
  { endpoint, method }: PublicMethod,
  all: Catalogue,
): { type: string | undefined; schema: StandardSchema | undefined; members: readonly Member[] } {
  const [, constant = '', word = ''] =
    /\binput: (?:Omit<|Pick<)?(?:(?:\w+Inputs\['|Input<typeof \w+\.)(\w+)|(\w+))/.exec(method.code) ?? [];
  const type = constant === '' ? word : typeNameOf(constant);
  const { bases = [], members = [] } = all.exports.get(type) ?? {};
  const schema = [type, ...bases].map((name) => schemaOf(({ type: each }) => each === name, all)).find(Boolean);
  const exported = (name: string | undefined) => (name && all.exports.has(name) ? name : undefined);
  if (schema) return { type: exported(type), schema, members };
  const named = exported(type) ?? exported(endpoint && all.schemas.get(endpoint.input)?.type);
  return { type: named, schema: endpoint?.input, members };
}

function schemaOf(isWanted: (named: NamedSchema) => boolean, all: Catalogue): StandardSchema | undefined {
  return [...all.schemas].find(([, named]) => isWanted(named))?.[0];
}

function input(each: PublicMethod, all: Catalogue): string[] {
  const { type, schema, members } = inputOf(each, all);
  const sent = schema ? fieldRows(schema, all) : [];
  const others = members.map((member) => [nameOf(member), codeSpan(member.code), member.prose.text]);
  const rows = [...sent, ...others.filter(([name]) => !sent.some(([each]) => each === name))];
  const { description = '' } = keywordsOf(schema);
  const isOfEndpoint = schema === each.endpoint?.input && sent.length > 0;
  const shown = type ?? (isOfEndpoint ? `Input<typeof endpoints.${each.endpoint?.name}>` : undefined);
  const named = `${shown === undefined ? '' : ` (\`${shown}\`)`}${description && `: ${description}`}`;
  return rows.length > 0 ? [`**Input**${named}`, table(fieldColumns, rows)] : [`**Input**: none${named}.`];
}

function returns({ endpoint, method }: PublicMethod, all: Catalogue): string {
  const type = resultOf(method).replace(/(?:Attributed|Pick)<(\w+), \w+>/, '$1');
  const isOnPage = (word: string): boolean =>
    (all.exports.get(word)?.file ?? '').startsWith('src/resources/') ||
    schemaOf(({ type, isExported }) => isExported && type === word, all) !== undefined;
  const name = type.match(/\w+/g)?.find((word) => ['Paged', 'Download'].includes(word) || isOnPage(word));
  const delivered = type === 'unknown' && endpoint ? typeOf(endpoint.output, all).replace('record', 'any value') : '';
  return `**Returns**: ${delivered || linked(type, name)}${method.prose.returns ? `; ${method.prose.returns}` : '.'}`;
}

/** A type with a link to the section of a name in it. */
function linked(type: string, name: string | undefined): string {
  // A conditional type says less than its name.
  const code = codeSpan(type.includes(' ? ') ? (name ?? type) : type);
  if (name === undefined) return code;
  return `[${code}](${['Paged', 'Download'].includes(name) ? 'client.md' : ''}#${name})`;
}

/** The result of a call as declared: `Question[]` in `list(input: Params): ApiPromise<Question[]>`. */
export function resultOf({ code }: Member): string {
  const [signature = ''] = code.split('\n');
  const type = signature.slice(signature.lastIndexOf('): ') + '): '.length);
  return /^(?:Api)?Promise<(.+)>$/.exec(type)?.[1] ?? type;
}

function errors({ endpoint, errors, method: { prose } }: PublicMethod): string[] {
  const responses = errors.map((each) => [
    errorLink(each.error.kind),
    ...statusAndCode(each),
    condition(prose.throws.find(({ error }) => error === each.error.kind)?.when ?? each.condition ?? each.message),
  ]);
  const others = prose.throws
    .filter((thrown) => !endpoint?.errors.some(({ error }) => error.kind === thrown.error))
    .map(({ error, when }) => [errorLink(error), '', '', condition(when)]);
  // The service has several messages for one error.
  const rows = new Map([...responses, ...others].map((row) => [row.join('|'), row]));
  return rows.size === 0 ? [] : ['**Errors**', table(['Class', 'Status', 'Code', 'When'], [...rows.values()])];
}

/** The cells of a table that say how a response announces an error. */
export function statusAndCode({ status, otherStatuses = [], code }: DocumentedError): string[] {
  return [[status, ...otherStatuses].join(' or '), codeSpan(code)];
}

/** Formats a condition for the column "When". */
function condition(text: string): string {
  const bare = text.replace(/^when /, '').replace(/\.$/, '');
  return bare.charAt(0).toLowerCase() + bare.slice(1);
}

/** The section of one exported name. */
export function exportSection(each: Export, all: Catalogue): string[] {
  const schema = schemaOf(({ constant }) => constant === constantOf(each), all);
  // An interface of a schema has the fields of the schema.
  const hidden = each.inherited.filter(({ name }) => !all.exports.has(name));
  const isShown = (base: string): boolean =>
    !/^(AsyncIterable|Output|Input)</.test(base) && !hidden.some(({ name }) => base.startsWith(`${name}<`));
  const inherited = each.bases.filter(isShown);
  // What no entry exports is described where it is inherited.
  const described = hidden.flatMap((base) => base.members.filter(({ prose }) => prose.text !== ''));
  const members = [...described, ...each.members];
  return [
    `### ${each.name}`,
    ...each.prose.examples.map(fenced),
    textOf(each, all),
    fenced(each.code),
    inherited.length === 0 ? '' : `Extends ${inherited.map(codeSpan).join(', ')}.`,
    schema ? table(fieldColumns, fieldRows(schema, all)) : '',
    ...propertyTable(members.filter(({ kind }) => kind === 'property')),
    ...methodDetails(each.prose),
    // The pages of the resources, and `common.md`, describe the methods of the client.
    ...(each.name === 'SellerClient' ? [] : members).flatMap((member) => memberSection(each, member)),
  ];
}

/** What the JSDoc of an export says. An interface without JSDoc has that of its schema. */
export function textOf(each: Export, all: Catalogue): string {
  return each.prose.text || (all.exports.get(constantOf(each) ?? '')?.prose.text ?? '');
}

/** The schema that an interface extends: `question` in `Output<typeof question>`. */
function constantOf({ bases }: Export): string | undefined {
  return bases.map((base) => /^(?:Output|Input)<typeof (?:\w+\.)?(\w+)>$/.exec(base)?.[1]).find(Boolean);
}

function propertyTable(members: readonly Member[]): string[] {
  if (members.length === 0) return [];
  const rows = members.map((each) => [nameOf(each), codeSpan(each.code), defaultOf(each.prose), each.prose.text]);
  const examples = members.flatMap(({ name, prose }) =>
    prose.examples
      .filter((code) => code.includes('\n'))
      .flatMap((code) => [`**Example of \`${name}\`**`, fenced(code)]),
  );
  return [table(['Name', 'Type', 'Default', 'Notes'], rows), ...examples];
}

function nameOf({ name, optional }: Member): string {
  return `\`${name}${optional ? '?' : ''}\``;
}

/** A default is a value, or words. */
function defaultOf({ defaultValue = '' }: Prose): string {
  const isValue = /^('.*'|\[\]|[\d_.]+|true|false|undefined|\w+\(\))$/.test(defaultValue);
  return isValue ? codeSpan(defaultValue) : defaultValue;
}

function memberSection({ name }: Export, { name: method, kind, code, prose }: Member): string[] {
  if (kind === 'property') return [];
  return [`#### ${name}.${method}`, ...prose.examples.map(fenced), prose.text, fenced(code), ...methodDetails(prose)];
}

/** What a method returns and throws. */
function methodDetails({ returns, throws }: Prose): string[] {
  return [
    returns === undefined ? '' : `**Returns** ${returns.replace(/\.?$/, '.')}`,
    ...throws.map(({ error, when }) => `**Throws** ${error && `${errorLink(error)} `}${when.replace(/\.?$/, '.')}`),
  ];
}

/** A link to the page of an error class. The platform's errors have none, and neither has an error of the user. */
function errorLink(kind: string): string {
  return /^(Type|Range)Error$|(?<!Error)$/.test(kind) ? codeSpan(kind) : `[${kind}](../errors/${pageOfError(kind)})`;
}
