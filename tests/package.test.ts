import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import * as nodeModule from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { build } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { missingSteps } from '../tools/prestart.mjs';
import { certificate } from './support/certificate.ts';

/** From Node.js 22.15 on. */
const tellsWhatIsLoaded = 'registerHooks' in nodeModule;

const root = join(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  name: string;
  exports: Record<string, object | string>;
  dependencies: Record<string, string>;
};
const entries = Object.entries(manifest.exports)
  .filter(([, target]) => typeof target !== 'string')
  .map(([path]) => ({ name: manifest.name + path.slice(1) }));

beforeAll(() => {
  const steps = missingSteps(root).map(({ reason, command }) => `${command} (${reason})`);
  if (steps.length > 0) throw new Error(`These tests read dist; first run: ${steps.join(', ')}`);
});

describe.each(entries)('$name', ({ name }) => {
  test('import and require give the same names', () => {
    const said = run(`
      const { createRequire } = await import('node:module');
      const required = createRequire(process.cwd() + '/')('${name}');
      const imported = await import('${name}');
      say({ imported: Object.keys(imported), required: Object.keys(required) });
    `) as { imported: string[]; required: string[] };
    expect(said.imported).not.toEqual([]);
    expect(said.required.toSorted()).toEqual(said.imported.toSorted());
  });

  test('loading does no work', () => {
    const left = run(`
      await import('${name}');
      // Node itself opens its standard output for the first Request that is made.
      const left = () => process.getActiveResourcesInfo().filter((each) => !/^(Pipe|TTY)Wrap$/.test(each));
      // What read the files themselves ends soon.
      for (let times = 0; left().length > 0 && times < 500; times += 1) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      say(left());
    `) as string[];
    expect(left).toEqual([]);
  });

  test.runIf(tellsWhatIsLoaded).each(['import', 'require'] as const)('loading by %s loads no other package', (way) => {
    const loaded = loadedBy(way, name);
    // Each of the two is about a package. CommonJS contains the other one, because Jest cannot load an ES module.
    const meant = name.endsWith('/otel')
      ? 'node_modules/@opentelemetry/api/'
      : name.endsWith('/oauth') && way === 'import'
        ? 'node_modules/oauth4webapi/'
        : '-';
    const packages = loaded.filter((each) => each.startsWith('node_modules/') && !each.startsWith(meant));
    expect(packages).toEqual([]);
    expect(loaded.filter((each) => each.startsWith('dist/'))).not.toEqual([]);
  });
});

describe.each(['browser', 'workerd', 'worker', 'edge-light', 'react-native'])('with the condition %s', (condition) => {
  const forNodeOnly = /\/(?:otel|simulation)$/;
  test.each(entries.filter(({ name }) => !forNodeOnly.test(name)))('$name needs no Node module', async ({ name }) => {
    for (const [kind, code] of [
      ['import', `export * from '${name}'`],
      ['require', `module.exports = require('${name}')`],
    ] as const) {
      const { metafile } = await build({
        stdin: { contents: code, resolveDir: root },
        bundle: true,
        write: false,
        metafile: true,
        platform: 'neutral',
        mainFields: ['browser', 'module', 'main'],
        conditions: [condition],
        logLevel: 'silent',
        // Without the `paths` of this repository: what is bundled is what was built.
        tsconfigRaw: {},
      });
      const inputs = Object.keys(metafile.inputs);
      expect(inputs.some((file) => file.includes('platform/node'))).toBe(false);
      if (name === manifest.name) {
        const portable = kind === 'import' ? 'dist/esm/platform/portable.js' : 'dist/cjs/platform/portable.cjs';
        expect(inputs).toContain(portable);
      }
    }
  });
});

test.runIf(tellsWhatIsLoaded)('what all entries need is in one file', () => {
  const loaded = new Set(loadedBy('import', manifest.name).filter((each) => each.startsWith('dist/')));
  expect(loaded).toContain('dist/esm/core.js');
  expect(loaded.size).toBeLessThan(10);
});

test.runIf(tellsWhatIsLoaded)('the main entry loads no Node module', () => {
  expect(loadedBy('import', manifest.name).filter((each) => each.startsWith('node:'))).toEqual([]);
});

test.each(['import', 'require'])(
  'the global fetch, 20 ms of start-up, is not loaded by a call that does not need it: by %s',
  (way) => {
    const said = run(`
    const { createRequire } = await import('node:module');
    const hasFetch = () => process.moduleLoadList.some((part) => part.includes('undici'));
    const load = { import: () => import('${manifest.name}'), require: createRequire(process.cwd() + '/') };
    const { SellerClient } = await load.${way}('${manifest.name}');
    const options = { baseUrl: 'http://127.0.0.1:29999', accessToken: 'token', maxRetries: 0 };
    const found = [hasFetch()];
    for (const given of [{}, { fetch: (request) => fetch(request) }]) {
      const seller = new SellerClient({ ...options, ...given });
      await seller.questions.get({ question_id: 42 }).catch(() => undefined);
      found.push(hasFetch());
    }
    say(found);
  `);
    expect(said).toEqual([false, false, true]);
  },
);

test('on Node, the certificates of NODE_EXTRA_CA_CERTS are trusted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
  const server = createServer(certificate, (_, response) => response.end('{"id":42}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    writeFileSync(join(folder, 'ca.pem'), certificate.cert);
    const { port } = server.address() as AddressInfo;
    const program = `
      const { SellerClient } = await import('${manifest.name}');
      const seller = new SellerClient({ baseUrl: 'https://127.0.0.1:${port}', accessToken: 'token', maxRetries: 0 });
      console.log(JSON.stringify(await seller.questions.get({ question_id: 42 })));
    `;
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') };
    const args = ['--input-type=module', '-e', program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env });
    expect(JSON.parse(stdout)).toEqual({ id: 42 });
  } finally {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  }
});

test.runIf(tellsWhatIsLoaded)('a package that is loaded on first use is counted when it is used', () => {
  const query = `const client = new module.SellerClient({ baseUrl: 'https://a.test', fetch: () => Response.json({ data: {} }) });
    await client.flex.query({ site_id: 'MLA', query: '{ configuration { id } }' })`;
  expect(loadedBy('import', manifest.name, query).join()).toContain('node_modules/graphql-request/');
});

test('an error is an instance of the classes of another copy of the package', () => {
  const said = run(`
    const { createRequire } = await import('node:module');
    const cjs = createRequire(process.cwd() + '/')('${manifest.name}');
    const esm = await import('${manifest.name}');
    const details = { status: 400, headers: new Headers(), body: undefined, causes: [] };
    const error = new cjs.QuestionNotOpenError('failed', details);
    const is = (name) => error instanceof esm[name];
    const names = ['QuestionNotOpenError', 'BadRequestError', 'ApiError', 'SellerError', 'NotFoundError'];
    say({ same: cjs.ApiError === esm.ApiError, is: names.map(is) });
  `);
  expect(said).toEqual({ same: false, is: [true, true, true, true, false] });
});

test.each(['import', 'require'])('a class has in the built package the name it is exported by (%s)', (way) => {
  const renamed = run(`
    const { createRequire } = await import('node:module');
    const load = { import: (name) => import(name), require: createRequire(process.cwd() + '/') };
    const renamed = [];
    for (const entry of ['', '/notifications', '/testing']) {
      for (const [name, value] of Object.entries(await load.${way}('${manifest.name}' + entry))) {
        if (typeof value === 'function' && /^class/.test(String(value)) && value.name !== name) renamed.push(name);
      }
    }
    say(renamed);
  `);
  expect(renamed).toEqual([]);
});

test('the package contains the page of docsPath', () => {
  const docs = run(`
    const { ConfigurationError } = await import('${manifest.name}');
    say(new ConfigurationError('wrong').docsPath);
  `) as string;
  expect(existsSync(join(root, relative(manifest.name, docs)))).toBe(true);
});

describe('what other packages give', () => {
  const sbom = JSON.parse(readFileSync(join(root, 'dist/sbom.cdx.json'), 'utf8')) as {
    components: { name: string; version: string; purl: string; licenses: object[]; properties: { value: string }[] }[];
  };

  test('is described by a bill of materials that CycloneDX 1.6 accepts', () => {
    const folder = join(root, 'node_modules/@cyclonedx/cyclonedx-library/res/schema');
    const schema = (name: string): object =>
      JSON.parse(readFileSync(join(folder, `${name}.SNAPSHOT.schema.json`), 'utf8')) as object;
    // The schema has words and formats of later drafts than 7.
    const ajv = new Ajv({ strict: false, formats: { 'iri-reference': true, 'idn-email': true } });
    formats.default(ajv);
    for (const name of ['spdx', 'jsf-0.82', 'cryptography-defs'])
      ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
    const isValid = ajv.compile(schema('bom-1.6'));
    expect(isValid(sbom), JSON.stringify(isValid.errors)).toBe(true);
    expect(isValid({ ...sbom, components: [{ name: 'zod' }] })).toBe(false);
  });

  test('is zod, and for the page of the fake preact and htm; in CommonJS also ky and oauth4webapi, which Jest could not load', () => {
    const folders = sbom.components.map((each) => [each.name, each.properties.map(({ value }) => value)]);
    expect(folders).toEqual([
      ['form-data', []],
      ['graphql', []],
      ['graphql-request', []],
      ['htm', ['dist/esm', 'dist/cjs']],
      ['ky', ['dist/cjs']],
      ['oauth4webapi', ['dist/cjs']],
      ['preact', ['dist/esm', 'dist/cjs']],
      ['zod', ['dist/esm', 'dist/cjs']],
    ]);
    const { dependencies } = manifest;
    expect(sbom.components.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(dependencies)));
  });

  test.each(sbom.components)(
    '$name is named with its version and licence',
    ({ name, version, purl, licenses, properties }) => {
      const folder = join(root, 'node_modules', name);
      const installed = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>;
      const { license: id } = installed;
      expect({ version, purl, licenses }).toEqual({
        version: installed.version,
        purl: `pkg:npm/${name}@${version}`,
        licenses: [{ license: { id } }],
      });
      if (properties.length === 0) return;
      const texts = readFileSync(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
      const own = ['LICENSE', 'license', 'LICENSE.md']
        .map((file) => join(folder, file))
        .find((file) => existsSync(file));
      expect(texts).toContain(`\n${name}@${version} (${id})`);
      expect(texts).toContain(readFileSync(own ?? '', 'utf8').trim());
    },
  );

  test('is in the group of its own for which Dependabot proposes updates', () => {
    const groups = readFileSync(join(root, '.github/dependabot.yml'), 'utf8');
    const [, patterns = ''] = /^ {6}bundled:\n {8}patterns: \[(.+)\]$/m.exec(groups) ?? [];
    const bundled = sbom.components.filter(({ properties }) => properties.length > 0);
    expect(patterns.split(', ')).toEqual(bundled.map(({ name }) => name));
  });
});

/** Runs a program that finds the package by its name, as users do; gives back what it says. */
function run(program: string): unknown {
  const say = 'const say = (value) => process.stdout.write(JSON.stringify(value));';
  const node = [
    process.execPath,
    ['--input-type=module', '-e', say + program],
    { cwd: root, encoding: 'utf8' },
  ] as const;
  return JSON.parse(execFileSync(...node)) as unknown;
}

/** What comes with an entry, as Node itself resolves it: files of the package, packages, parts of Node. */
function loadedBy(way: 'import' | 'require', name: string, use = ''): string[] {
  const urls = run(`
    const { createRequire, registerHooks } = await import('node:module');
    const require = createRequire(process.cwd() + '/');
    const urls = [];
    registerHooks({
      resolve: (specifier, context, next) => {
        const resolved = next(specifier, context);
        urls.push(resolved.url);
        return resolved;
      },
    });
    const module = ${way === 'import' ? `await import('${name}')` : `require('${name}')`};
    ${use};
    process.on('exit', () => say(urls));
    setTimeout(() => process.exit(), 0);
  `) as string[];
  return urls.map((url) => url.replace(pathToFileURL(`${root}/`).href, ''));
}
