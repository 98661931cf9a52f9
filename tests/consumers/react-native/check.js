// Metro resolves the package as for React Native, and the result runs where there is nothing of Node.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import metro from 'metro-resolver';

const [way] = process.argv.slice(2);
const code = `const { SellerClient } = ${way === 'import' ? 'sdk' : `require('marketplace-seller-sdk')`};
  const client = new SellerClient({ baseUrl: 'https://api.test', accessToken: 'token' });
  globalThis.answered = client.questions.get({ question_id: 42 });`;

const { outputFiles, metafile } = await build({
  stdin: {
    contents: way === 'import' ? `import * as sdk from 'marketplace-seller-sdk';\n${code}` : code,
    resolveDir: process.cwd(),
    sourcefile: 'app.js',
  },
  bundle: true,
  write: false,
  metafile: true,
  format: 'iife',
  plugins: [{ name: 'metro', setup: ({ onResolve }) => onResolve({ filter: /.*/ }, resolveWithMetro) }],
});
const used = Object.keys(metafile.inputs).filter((path) => path.includes('/platform/'));
const [folder, ending] = way === 'import' ? ['esm', 'js'] : ['cjs', 'cjs'];
assert.deepEqual(used, [`node_modules/marketplace-seller-sdk/dist/${folder}/platform/portable.${ending}`]);

const requests = [];
const fetch = (url) => {
  requests.push(url);
  return Promise.resolve(Response.json({ id: 42 }));
};
const { AbortController, AbortSignal, Headers, TextDecoder, TextEncoder, URLSearchParams } = globalThis;
const phone = createContext({
  ...{ AbortController, AbortSignal, FormData, Headers, Request, Response, TextDecoder, TextEncoder },
  ...{ URL, URLSearchParams, clearTimeout, fetch, performance, setTimeout },
});
runInContext(outputFiles[0].text, phone);
assert.equal((await phone.answered).id, 42);
assert.deepEqual(requests, ['https://api.test/questions/42']);

/** What Metro finds with the settings of React Native. */
function resolveWithMetro({ path, importer, kind, resolveDir }) {
  const originModulePath = importer.startsWith('/') ? importer : join(resolveDir, 'app.js');
  const isESMImport = kind === 'import-statement' || kind === 'dynamic-import';
  const context = {
    allowHaste: false,
    assetExts: new Set(),
    customResolverOptions: {},
    dev: false,
    disableHierarchicalLookup: false,
    doesFileExist: (file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true,
    extraNodeModules: null,
    fileSystemLookup: (file) => {
      const stat = statSync(file, { throwIfNoEntry: false });
      if (stat === undefined) return { exists: false };
      return { exists: true, type: stat.isFile() ? 'f' : 'd', realPath: realpathSync(file) };
    },
    getPackage: (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null),
    getPackageForModule,
    isESMImport,
    mainFields: ['react-native', 'browser', 'main'],
    nodeModulesPaths: [],
    originModulePath,
    redirectModulePath: (file) => file,
    preferNativePlatform: true,
    resolveAsset: () => null,
    resolveHasteModule: () => null,
    resolveHastePackage: () => null,
    sourceExts: ['js', 'jsx', 'json', 'ts', 'tsx', 'cjs', 'mjs'],
    unstable_conditionNames: ['react-native'],
    unstable_conditionsByPlatform: {},
    unstable_enablePackageExports: true,
    unstable_incrementalResolution: false,
    unstable_logWarning: (message) => assert.fail(message),
  };
  return { path: metro.resolve(context, path, 'android').filePath };
}

/** The package of a file, as Metro looks it up. */
function getPackageForModule(file) {
  let rootPath = file;
  while (!existsSync(join(rootPath, 'package.json'))) rootPath = dirname(rootPath);
  const packageJson = JSON.parse(readFileSync(join(rootPath, 'package.json'), 'utf8'));
  return { packageJson, rootPath, packageRelativePath: relative(rootPath, file) };
}
