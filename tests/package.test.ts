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

describe('every entry', () => {
  let said: Record<string, { left: string[]; imported: string[]; required: string[] }>;
  beforeAll(() => {
    said = run(`
      const { createRequire } = await import('node:module');
      const require = createRequire(process.cwd() + '/');
      // Node itself opens its standard output for the first Request that is made.
      const left = () => process.getActiveResourcesInfo().filter((each) => !/^(Pipe|TTY)Wrap$/.test(each));
      const said = {};
      let times = 0;
      for (const name of ${JSON.stringify(entries.map(({ name }) => name))}) {
        const imported = await import(name);
        // What read the files themselves ends soon.
        for (; left().length > 0 && times < 500; times += 1) {
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        said[name] = { left: left(), imported: Object.keys(imported), required: Object.keys(require(name)) };
      }
      say(said);
    `) as typeof said;
  });

  test.each(entries)('$name: import and require give the same names', ({ name }) => {
    const { imported, required } = said[name]!;
    expect(imported).not.toEqual([]);
    expect(required.toSorted()).toEqual(imported.toSorted());
  });

  test.each(entries)('$name: loading does no work', ({ name }) => {
    expect(said[name]?.left).toEqual([]);
  });
});

describe.runIf(tellsWhatIsLoaded).each(['import', 'require'] as const)('loading by %s', (way) => {
  let loaded: Record<string, string[]>;
  beforeAll(() => {
    loaded = loadedBy(
      way,
      entries.map(({ name }) => name),
    );
  });

  test.each(entries)('of $name loads no other package', ({ name }) => {
    // Each of the two is about a package. CommonJS contains the other one, because Jest cannot load an ES module.
    const meant = name.endsWith('/otel')
      ? 'node_modules/@opentelemetry/api/'
      : name.endsWith('/oauth') && way === 'import'
        ? 'node_modules/oauth4webapi/'
        : '-';
    const packages = loaded[name]!.filter((each) => each.startsWith('node_modules/') && !each.startsWith(meant));
    expect(packages).toEqual([]);
    expect(loaded[name]!.filter((each) => each.startsWith('dist/'))).not.toEqual([]);
    if (meant !== '-') expect(loaded[name]!.join()).toContain(meant);
  });

  if (way === 'require') return;

  test('what all entries need is in one file', () => {
    const ofMain = loaded[manifest.name]!.filter((each) => each.startsWith('dist/'));
    expect(ofMain).toContain('dist/esm/core.js');
    expect(ofMain.length).toBeLessThan(10);
  });

  test('the main entry loads no Node module', () => {
    expect(loaded[manifest.name]!.filter((each) => each.startsWith('node:'))).toEqual([]);
  });
});

test.each(['browser', 'workerd', 'worker', 'edge-light', 'react-native'])(
  'with the condition %s no entry needs a Node module',
  async (condition) => {
    const portable = entries.map(({ name }) => name).filter((name) => !/\/(?:otel|simulation)$/.test(name));
    const { metafile } = await build({
      stdin: {
        contents: portable
          .map((name, n) => `import * as e${n} from '${name}'; use(e${n}, require('${name}'))`)
          .join('\n'),
        resolveDir: root,
      },
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
    expect(inputs.filter((file) => file.includes('platform/node'))).toEqual([]);
    expect(inputs).toContain('dist/esm/platform/portable.js');
    expect(inputs).toContain('dist/cjs/platform/portable.cjs');
  },
);

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
    for (const given of [{}, { fetch: (url, init) => fetch(url, init) }]) {
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
  expect(loadedBy('import', [manifest.name], query)[manifest.name]?.join()).toContain('node_modules/graphql-request/');
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

test('a class has in the built package the name it is exported by', () => {
  const renamed = run(`
    const { createRequire } = await import('node:module');
    const ways = [(name) => import(name), createRequire(process.cwd() + '/')];
    const renamed = [];
    for (const load of ways) {
      for (const entry of ['', '/inbox', '/testing']) {
        for (const [name, value] of Object.entries(await load('${manifest.name}' + entry))) {
          if (typeof value === 'function' && /^class/.test(String(value)) && value.name !== name) renamed.push(name);
        }
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
  interface Component {
    readonly 'bom-ref': string;
    readonly name: string;
    readonly version: string;
    readonly purl: string;
    readonly licenses: readonly object[];
    readonly hashes: readonly { readonly alg: string; readonly content: string }[];
    readonly properties: readonly { readonly value: string }[];
  }
  const text = readFileSync(join(root, 'dist/sbom.cdx.json'), 'utf8');
  const sbom = JSON.parse(text) as {
    metadata: { component: Component };
    components: Component[];
    dependencies: { ref: string; dependsOn: string[] }[];
  };
  const bundled = sbom.components.filter(({ properties }) => properties.length > 0);
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  interface Locked {
    readonly version: string;
    readonly license: string;
    readonly integrity: string;
    readonly dependencies?: Readonly<Record<string, string>>;
  }

  test('is described by a bill of materials that CycloneDX 1.5 accepts', () => {
    const folder = join(root, 'node_modules/@cyclonedx/cyclonedx-library/res/schema');
    const schema = (name: string): object =>
      JSON.parse(readFileSync(join(folder, `${name}.SNAPSHOT.schema.json`), 'utf8')) as object;
    // The schema has words and formats of later drafts than 7.
    const ajv = new Ajv({ strict: false, formats: { 'iri-reference': true, 'idn-email': true } });
    formats.default(ajv);
    for (const name of ['spdx', 'jsf-0.82'])
      ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
    const isValid = ajv.compile(schema('bom-1.5'));
    expect(isValid(sbom), JSON.stringify(isValid.errors)).toBe(true);
    expect(isValid({ ...sbom, components: [{ name: 'zod' }] })).toBe(false);
  });

  test('in the files is zod, and for the page of the fake preact and htm; in CommonJS also ky and oauth4webapi, which Jest could not load', () => {
    expect(bundled.map((each) => [each.name, each.properties.map(({ value }) => value)])).toEqual([
      ['htm', ['dist/esm', 'dist/cjs']],
      ['ky', ['dist/cjs']],
      ['oauth4webapi', ['dist/cjs']],
      ['preact', ['dist/esm', 'dist/cjs']],
      ['zod', ['dist/esm', 'dist/cjs']],
    ]);
  });

  test('is each package that these and the dependencies need, and theirs, and no other', () => {
    const needed = new Set<string>();
    const need = (name: string): void => {
      if (needed.has(name)) return;
      needed.add(name);
      for (const each of Object.keys(packages[`node_modules/${name}`]?.dependencies ?? {})) need(each);
    };
    for (const name of [...Object.keys(manifest.dependencies), ...bundled.map((each) => each.name)]) need(name);
    expect(sbom.components.map(({ name }) => name).toSorted()).toEqual([...needed].toSorted());
    expect(needed.size).toBeGreaterThan(Object.keys(manifest.dependencies).length + bundled.length);
    expect(text).not.toMatch(/https?:\/\/(?!cyclonedx\.org)|timestamp|serialNumber/);
  });

  test('is said with what needs what', () => {
    const nameOf = new Map(sbom.components.map((each) => [each['bom-ref'], each.name]));
    const own = sbom.metadata.component;
    expect(own).toMatchObject({ name: manifest.name, purl: `pkg:npm/${manifest.name}@${own.version}` });
    expect(sbom.dependencies.map(({ ref }) => ref).toSorted()).toEqual([...nameOf.keys(), own['bom-ref']].toSorted());
    for (const { ref, dependsOn } of sbom.dependencies) {
      const needed = dependsOn.map((each) => nameOf.get(each));
      const direct = [...new Set([...Object.keys(manifest.dependencies), ...bundled.map(({ name }) => name)])];
      const declared = Object.keys(packages[`node_modules/${nameOf.get(ref)}`]?.dependencies ?? {});
      expect(needed, ref).toEqual(expect.arrayContaining(ref === own['bom-ref'] ? direct : declared));
    }
  });

  test.each(sbom.components)('$name is named with its version, licence and hash', (component) => {
    const { name, version, licenses, hashes, purl } = component;
    const { license: id, integrity, ...locked } = packages[`node_modules/${name}`]!;
    expect({ version, licenses }).toEqual({ version: locked.version, licenses: [{ license: { id } }] });
    expect(purl).toBe(`pkg:npm/${name.replace('@', '%40')}@${version}`);
    const content = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
    expect(hashes).toEqual([{ alg: 'SHA-512', content }]);
  });

  test.each(bundled)('the licence of $name is in the package', ({ name, version }) => {
    const folder = join(root, 'node_modules', name);
    const texts = readFileSync(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
    const own = ['LICENSE', 'license', 'LICENSE.md'].map((file) => join(folder, file)).find((file) => existsSync(file));
    expect(texts).toContain(`\n${name}@${version} (${packages[`node_modules/${name}`]?.license})`);
    expect(texts).toContain(readFileSync(own ?? '', 'utf8').trim());
  });

  test('is in the group of its own for which Dependabot proposes updates', () => {
    const groups = readFileSync(join(root, '.github/dependabot.yml'), 'utf8');
    const [, patterns = ''] = /^ {6}bundled:\n {8}patterns: \[(.+)\]$/m.exec(groups) ?? [];
    expect(patterns.split(', ')).toEqual(bundled.map(({ name }) => name));
  });
});

/** Runs a program that finds the package by its name, as users do; gives back what it says. */
function run(program: string): unknown {
  // What is left open would keep the process alive.
  const say = 'const say = (value) => process.stdout.write(JSON.stringify(value), () => process.exit());';
  const node = [
    process.execPath,
    ['--input-type=module', '-e', say + program],
    { cwd: root, encoding: 'utf8' },
  ] as const;
  return JSON.parse(execFileSync(...node)) as unknown;
}

/** What comes with each entry, as Node itself resolves it: files of the package, packages, parts of Node. */
function loadedBy(way: 'import' | 'require', names: readonly string[], use = ''): Record<string, string[]> {
  const loaded = run(`
    const { createRequire, registerHooks } = await import('node:module');
    const require = createRequire(process.cwd() + '/');
    const needed = new Map();
    registerHooks({
      resolve: (specifier, context, next) => {
        const resolved = next(specifier, context);
        const parent = context.parentURL ?? '';
        if (!needed.has(parent)) needed.set(parent, new Set());
        needed.get(parent).add(resolved.url);
        return resolved;
      },
    });
    const entries = {};
    for (const name of ${JSON.stringify(names)}) {
      // Node does not resolve again for a module that is loaded: what CommonJS loads is loaded anew.
      if ('${way}' === 'require') for (const file of Object.keys(require.cache)) delete require.cache[file];
      const module = ${way === 'import' ? 'await import(name)' : 'require(name)'};
      ${use};
      entries[name] = ${way === 'import' ? 'import.meta.resolve(name)' : "'file://' + require.resolve(name)"};
    }
    const found = (url, all = new Set()) => {
      if (!all.has(url)) for (const each of needed.get(all.add(url) && url) ?? []) found(each, all);
      return all;
    };
    process.on('exit', () => {
      const loaded = Object.entries(entries).map(([name, url]) => [name, [...found(url)]]);
      say(Object.fromEntries(loaded));
    });
    setTimeout(() => process.exit(), 0);
  `) as Record<string, string[]>;
  const relativeTo = pathToFileURL(`${root}/`).href;
  return Object.fromEntries(
    Object.entries(loaded).map(([name, urls]) => [name, urls.map((url) => url.replace(relativeTo, ''))]),
  );
}
