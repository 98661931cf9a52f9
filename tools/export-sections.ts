import type { Catalogue } from './catalogue.ts';
import type { Export, Member } from './exports.ts';
import { fenced, table } from './markdown.ts';
import type { Prose } from './prose.ts';
import { schemaFields } from './schema-tables.ts';

/** The section of one exported name. */
export function exportSection(each: Export, all: Catalogue): string[] {
  // An interface of a schema has the fields of the schema.
  const inherited = each.bases.filter((base) => !/^(AsyncIterable|Output|Input)</.test(base));
  return [
    `## ${each.name}`,
    ...each.prose.examples.map(fenced),
    proseOfExport(each, all)?.text ?? '',
    each.code === '' ? '' : fenced(each.code),
    inherited.length === 0 ? '' : `Extends ${inherited.map(codeSpan).join(', ')}.`,
    ...schemaTable(each, all),
    ...propertyTable(each.members.filter(({ kind }) => kind === 'property')),
    ...methodDetails(each.prose),
    ...each.members.filter(({ kind }) => kind === 'method').flatMap((method) => methodSection(each, method)),
  ];
}

/** The fields of the schema whose type an interface is. */
function schemaTable(each: Export, all: Catalogue): string[] {
  const found = [...all.schemas].find(([, { constant }]) => constant === constantOf(each));
  return found ? [schemaFields(found[0], all)] : [];
}

/** What the JSDoc of an export says. An interface without JSDoc has that of its schema. */
export function proseOfExport(each: Export, all: Catalogue): Prose | undefined {
  return each.prose.text === '' ? all.prose.constants.get(constantOf(each) ?? each.name) : each.prose;
}

/** The schema that an interface extends: `question` in `Output<typeof question>`. */
function constantOf({ bases }: Export): string | undefined {
  return bases.map((base) => /^(?:Output|Input)<typeof (\w+)>$/.exec(base)?.[1]).find((each) => each !== undefined);
}

function propertyTable(members: readonly Member[]): string[] {
  if (members.length === 0) return [];
  const hasDefaults = members.some(({ prose }) => prose.defaultValue !== undefined);
  const rows = members.map(({ name, code, optional, prose }) => [
    `\`${name}${optional ? '?' : ''}\``,
    code === '' ? '' : codeSpan(code),
    ...(hasDefaults ? [prose.defaultValue === undefined ? '' : defaultOf(prose.defaultValue)] : []),
    prose.text,
  ]);
  const examples = members.flatMap(({ name, prose }) =>
    prose.examples
      .filter((code) => code.includes('\n'))
      .flatMap((code) => [`**Example of \`${name}\`**`, fenced(code)]),
  );
  return [table(['Name', 'Type', ...(hasDefaults ? ['Default'] : []), 'Notes'], rows), ...examples];
}

/** A default is a value, or words. */
function defaultOf(text: string): string {
  return /^('.*'|\[\]|[\d_.]+|true|false|undefined|\w+\(\))$/.test(text) ? codeSpan(text) : text;
}

/** Code in a line of text. Two backticks enclose code that contains one. */
export function codeSpan(code: string): string {
  return code.includes('`') ? `\`\` ${code} \`\`` : `\`${code}\``;
}

function methodSection({ name }: Export, { name: method, code, prose }: Member): string[] {
  return [`### ${name}.${method}`, ...prose.examples.map(fenced), prose.text, fenced(code), ...methodDetails(prose)];
}

/** What a method returns and throws. */
export function methodDetails({ returns, throws }: Prose): string[] {
  return [
    returns === undefined ? '' : `**Returns** ${returns.replace(/\.?$/, '.')}`,
    ...throws.map(({ error, when }) => `**Throws** ${errorLink(error)}${when.replace(/\.?$/, '.')}`),
  ].filter((part) => part !== '');
}

/** A link to the page of an error class. The platform's errors have none, and neither has an error of the user. */
function errorLink(kind: string): string {
  if (kind === '') return '';
  return /^(Type|Range)Error$|(?<!Error)$/.test(kind) ? `\`${kind}\` ` : `[${kind}](../errors/${kind}.md) `;
}
