import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { ConfigurationError, QuestionNotOpenError } from 'marketplace-seller-sdk';
import * as schemas from 'marketplace-seller-sdk/schemas';
import { describe, expect, test } from 'vitest';
import { pageOfError } from '../src/core/errors/seller-error.js';
import { listEndpoints } from '../src/endpoints.js';
import { entryFiles, shapesOf, typeNameOf } from '../tools/catalogue.ts';
import { errorPages, remedyOf } from '../tools/errors.ts';
import { headingsOf } from '../tools/headings.ts';
import { laidOut } from '../tools/layout.ts';
import { openapi } from '../tools/openapi.ts';
import { reference } from '../tools/reference.ts';
import { resultOf } from '../tools/sections.ts';
import { toolDescriptions } from '../tools/tool-descriptions.ts';
import type { Member } from '../tools/sources.ts';
import { all, root, sources, version } from './support/documents.ts';
import { entries } from './support/entries.ts';
import { operationsOfTheSpecification } from './support/specification.ts';

const docs = join(root, 'docs');

test('the version that requests name is the one of package.json', async () => {
  const text = `/** The version of this package, as in package.json. \`npm run docs:update\` writes this file. */
export const version = '${version}';
`;
  await expect(text).toMatchFileSnapshot(join(root, 'src/core/request/version.ts'));
});

describe('docs/openapi.json', () => {
  const document = openapi(all);

  test('the committed file equals what the endpoints generate', async () => {
    await expect(`${JSON.stringify(document, undefined, 1)}\n`).toMatchFileSnapshot(join(docs, 'openapi.json'));
  });

  test('the file is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator();
    const result = await validator.validate(JSON.parse(JSON.stringify(document)) as Record<string, unknown>);
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  test('every path parameter is declared and every reference resolves', () => {
    for (const { path, parameters } of operationsIn(document)) {
      const inPath = parameters.filter((each) => each.in === 'path').map(({ name }) => name);
      expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    }
    const { schemas } = document.components as { schemas: object };
    for (const [, name = ''] of JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      expect(schemas).toHaveProperty(name);
    }
  });

  // The golden requests in tests/resources, one per endpoint, compare the endpoints with the specification.
  test('the operations are exactly the endpoints', () => {
    const written = operationsIn(document).map((each) => `${each.operationId}: ${each.method} ${each.path}`);
    const expected = listEndpoints(schemas.endpoints).map(({ name, method, path }) => {
      return `${name.replaceAll('.', '_')}: ${method} ${path.replace('*}', '}')}`;
    });
    expect(written.toSorted()).toEqual(expected.toSorted());
  });

  test('every operation of the specification is there', () => {
    const paths = operationsIn(document).map(({ method, path }) => `${method} ${path}`);
    expect(paths).toEqual(expect.arrayContaining([...operationsOfTheSpecification]));
  });
});

test('src/tools/descriptions.json equals what the endpoints generate', async () => {
  const text = `${JSON.stringify(toolDescriptions(all), undefined, 1)}\n`;
  await expect(text).toMatchFileSnapshot(join(root, 'src/tools/descriptions.json'));
});

describe('docs/reference', () => {
  const pages = reference(all);

  test.each([...pages])('%s equals what the sources generate', async (name, text) => {
    await expect(await laidOut(text)).toMatchFileSnapshot(join(docs, 'reference', name));
  });

  test.each(Object.entries(entryFiles))('everything that %s exports has a place', (_, path) => {
    const text = [...pages.values()].join('\n');
    const errors = readFileSync(join(docs, 'errors/README.md'), 'utf8');
    const isPlaced = (name: string): boolean =>
      [`## ${name}\n`, `(\`${name}\`)`, ` \`${name}\`.`].some((place) => text.includes(place)) ||
      errors.includes(`\n## ${name}\n`);
    // The methods of a resource describe its class, and a schema is described with its type.
    const missing = sources
      .exportsOf(path)
      .filter(
        ({ kind, name, file }) =>
          !isPlaced(name) && !isPlaced(typeNameOf(name)) && !(kind === 'class' && file.startsWith('src/resources/')),
      );
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  test('there is no page of a removed resource', () => {
    expect(filesIn('reference').filter((name) => !pages.has(name))).toEqual([]);
  });
});

describe('the pages of the errors', () => {
  const folder = join(docs, 'errors');
  const written = readdirSync(folder).map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }));

  test.each(written)('$file has no line of a dot alone, and sends nobody to where they are', ({ file, text }) => {
    expect(text).not.toMatch(/^[.,;·]$/m);
    expect(text).not.toContain('docsPath` names');
    // In its code, `docsPath` would print the page that is read.
    expect([...text.matchAll(/^```ts\n[^]*?^```/gm)].filter(([code]) => code.includes('docsPath'))).toEqual([]);
    for (const section of text.split(/^(?=##? )/m)) {
      const [, heading = ''] = /^##? (.+)$/m.exec(section) ?? [];
      const links = [...section.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
      const own = [`#${heading.toLowerCase()}`, `README.md#${heading.toLowerCase()}`];
      expect(links.filter((link) => link === file || own.includes(link))).toEqual([]);
    }
  });

  test('an unknown outcome is caught by asking what became of it', () => {
    const { text = '' } = written.find(({ file }) => file === 'OutcomeUnknownError.md') ?? {};
    expect(/^## Catch it\n[^]*?^```ts\n([^]*?)^```/m.exec(text)?.[1]).toContain('await error.confirm()');
  });
});

describe('what an endpoint needs is exported', () => {
  const exported = new Set(sources.exportsOf('src/index.ts').map(({ name }) => name));
  const declarations = new Map(
    [...sources.texts.keys()].flatMap((path) => sources.exportsOf(path).map(({ name, file }) => [name, file] as const)),
  );
  const codes = new Map(
    [...sources.texts.keys()].flatMap((path) => sources.exportsOf(path).map(({ name, code }) => [name, code] as const)),
  );

  /** Computed from the other arguments of the call, so nobody has to name them. */
  const computed = [
    'Attributed',
    'AttributedOutput',
    'AttributeName',
    'Exact',
    'Input',
    'NeededBy',
    'Output',
    'WithAttributes',
  ];

  /** An input is `Input<typeof endpoints.questions.answer>`: its type is another name of its fields, which an editor shows. */
  const isInput = (type: string): boolean =>
    type.endsWith('Inputs') || /^type \w+ = (?:Input<|Readonly<)/.test(codes.get(type) ?? '');

  test('every type in the parameters and the result of a public method is exported from src/index.ts, but for inputs', () => {
    const missing = all.methods.flatMap(({ name, method }) =>
      [...typesOfParameters(method), ...(resultOf(method).match(/\b[A-Z]\w*/g) ?? [])]
        .filter((type) => declarations.has(type) && !exported.has(type) && !computed.includes(type) && !isInput(type))
        .map((type) => `${name}: export the type ${type} of ${declarations.get(type)} from src/index.ts`),
    );
    expect(missing).toEqual([]);
  });

  test('the schema of the input of every endpoint has a name', () => {
    const missing = all.operations
      .filter(({ endpoint: { input } }) => shapesOf(input).length > 0 && !all.schemas.has(input))
      .map(({ name, endpoint, method }) => {
        const type = typesOfParameters(method)[0] ?? '';
        const fields = shapesOf(endpoint.input).flatMap((shape) => Object.keys(shape));
        return `${name}: export the schema of ${type} {${fields.join(', ')}} from its module`;
      });
    expect(missing).toEqual([]);
  });
});

describe('the JSDoc', () => {
  const exported = Object.values(entryFiles).flatMap((path) => sources.exportsOf(path));

  test('every exported function and class, and every public method of a class, has a description', () => {
    const objects = exported.filter(({ kind }) => kind === 'class' || kind === 'function');
    const silent = objects.filter(({ prose }) => prose.text === '').map(({ name }) => name);
    const silentMethods = objects.flatMap(({ name, members }) =>
      members.filter(({ kind, prose }) => kind === 'method' && prose.text === '').map((each) => `${name}.${each.name}`),
    );
    expect([...silent, ...silentMethods]).toEqual([]);
  });

  test('every interface and type of the main entry has a description, which an editor shows', () => {
    const types = sources.exportsOf('src/index.ts').filter(({ kind }) => kind === 'interface' || kind === 'type');
    expect(types.length).toBeGreaterThan(100);
    expect(types.filter(({ prose }) => prose.text === '').map(({ name }) => name)).toEqual([]);
  });

  test('every option has a description, and a default where it is optional', () => {
    const options = exported.filter(({ kind, name }) => kind === 'interface' && name.endsWith('Options'));
    const silent = options.flatMap(({ name, members }) =>
      members
        .filter(({ optional, prose }) => prose.text === '' || (optional && prose.defaultValue === undefined))
        .map((each) => `${name}.${each.name}`),
    );
    expect(silent).toEqual([]);
  });

  test('everything that can be set has a description', () => {
    const settings = exported.filter(
      ({ kind, name }) => kind === 'interface' && /(Settings|Init|Filter|Faults|Kind|Span|Handlers)$/.test(name),
    );
    expect(settings.length).toBeGreaterThan(5);
    const silent = settings.flatMap(({ name, members }) =>
      members.filter(({ prose }) => prose.text === '').map((each) => `${name}.${each.name}`),
    );
    expect(silent).toEqual([]);
  });

  test('every method describes itself and names its request', () => {
    expect(all.operations.filter(({ method: { prose } }) => prose.text === '')).toEqual([]);
    const named = all.operations.map(({ name, method: { prose } }) => [name, prose.request]);
    expect(named).toEqual(all.operations.map(({ name, endpoint: { method, path } }) => [name, `${method} ${path}`]));
  });

  test('no documentation names a section of a specification that a user does not have', () => {
    const library = [...sources.texts].filter(([path]) => !path.startsWith('src/testing/'));
    expect(library.length).toBeGreaterThan(100);
    expect(library.filter(([, text]) => /\bSpec(ification)?: /.test(text)).map(([path]) => path)).toEqual([]);
  });

  test('every method of the client has an example', () => {
    const silent = all.operations.filter(({ method: { prose } }) => prose.examples.length === 0);
    expect(silent.map(({ endpoint }) => endpoint.name)).toEqual([]);
  });

  test('every exported class and function has an example, which uses every method of the class', () => {
    // The methods of a resource have examples of their own, and an error class has a page.
    const objects = exported.filter(
      ({ kind, name, file }) =>
        kind === 'function' || (kind === 'class' && !name.endsWith('Error') && !file.startsWith('src/resources/')),
    );
    const silent = objects.flatMap(({ name, kind, prose, members }) => {
      const examples = [prose, ...members.map((each) => each.prose)].flatMap((each) => each.examples);
      const methods = members.filter((each) => each.kind === 'method').map((each) => each.name);
      const isShown = (method: string): boolean => examples.some((code) => new RegExp(`\\.${method}\\b`).test(code));
      const missing = methods.filter((method) => !isShown(method)).map((method) => `${name}.${method}`);
      return kind === 'function' && examples.length === 0 ? [name, ...missing] : missing;
    });
    expect(silent).toEqual([]);
  });

  test('every input field has a description', () => {
    const known = all.operations.filter(({ endpoint }) => all.schemas.has(endpoint.input));
    const silent = known.flatMap(({ endpoint }) => {
      const prose = all.schemas.get(endpoint.input)?.fields;
      const names = shapesOf(endpoint.input).flatMap((shape) => Object.keys(shape));
      return [...new Set(names)].filter((name) => !prose?.get(name)?.text).map((name) => `${endpoint.name}: ${name}`);
    });
    expect(silent).toEqual([]);
  });

  test('every error that a method names exists', () => {
    const kinds = new Set(Object.values(entries).flatMap((entry) => Object.keys(entry)));
    const named = all.operations.flatMap(({ method }) => method.prose.throws.map(({ error }) => error));
    expect(named.filter((error) => !kinds.has(error))).toEqual([]);
  });
});

describe('docs/errors', () => {
  const everything = Object.assign({}, ...Object.values(entries)) as Record<string, unknown>;
  const pages = errorPages(all, everything);

  test.each([...pages])('%s equals what the sources generate', async (name, text) => {
    await expect(text).toMatchFileSnapshot(join(docs, 'errors', name));
  });

  const list = pages.get('README.md') ?? '';

  test('every `kind` in the sources has a heading, and docsPath leads to it or to a page of its own', () => {
    const kinds = [...sources.texts.values()].flatMap((text) =>
      [...text.matchAll(/static (?:override )?readonly kind: string = '(\w+)'/g)].map(([, kind = '']) => kind),
    );
    expect(kinds.length).toBeGreaterThan(50);
    expect(kinds.filter((kind) => !list.includes(`\n## ${kind}\n`))).toEqual([]);
    const anchors = headingsOf(list).map(({ anchor }) => `README.md#${anchor}`);
    const places = kinds.map((kind) => pageOfError(kind));
    expect(places.filter((place) => !pages.has(place) && !anchors.includes(place))).toEqual([]);
  });

  test('there is no page of a removed class', () => {
    expect(filesIn('errors').filter((name) => !pages.has(name))).toEqual([]);
  });

  test('the list says it all on one page', () => {
    expect(list.length).toBeLessThan(40_000);
    expect(list.match(/^import /gm)).toHaveLength(1);
  });

  test('each error class has a cause and a remedy ("Remedy: ..." is a paragraph of its JSDoc)', () => {
    const kinds = [...list.matchAll(/^## (\w+Error)$/gm)].map(([, kind = '']) => kind);
    expect(kinds.length).toBeGreaterThan(50);
    expect(kinds.filter((kind) => remedyOf(kind, all) === '')).toEqual([]);
  });

  test('docsPath of an error', () => {
    const error = new QuestionNotOpenError('failed', { status: 400, headers: new Headers(), body: '', causes: [] });
    expect(error.docsPath).toBe('marketplace-seller-sdk/docs/errors/README.md#questionnotopenerror');
    expect(new ConfigurationError('wrong').docsPath).toBe('marketplace-seller-sdk/docs/errors/ConfigurationError.md');
  });
});

/** The files of a folder of the documents; none on the first run, which writes them at its end. */
function filesIn(folder: string): string[] {
  const path = join(docs, folder);
  return existsSync(path) ? readdirSync(path) : [];
}

/** The names of the types in the parameters of a method. */
function typesOfParameters({ code }: Member): string[] {
  const parameters = code.split('\n').map((signature) => signature.slice(0, signature.lastIndexOf(')')));
  return [...new Set(parameters.join(' ').match(/\b[A-Z]\w+/g) ?? [])];
}

interface WrittenOperation {
  method: string;
  path: string;
  operationId: string;
  parameters?: { name: string; in: string }[];
}

function operationsIn(document: Record<string, unknown>): Required<WrittenOperation>[] {
  const paths = document.paths as Record<string, Record<string, Omit<WrittenOperation, 'method' | 'path'>>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters = [] }]) => {
      return { method: method.toUpperCase(), path, operationId, parameters };
    }),
  );
}
