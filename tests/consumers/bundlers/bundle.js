// Bundles one file with each bundler as its users set it up, for Node or for browsers; tells what a start of the program
// loads, and all. Nothing is external in a bundle for browsers: an import of a module of Node.js fails.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Each gives the path of the program, the code that is loaded with it, and all code, also what loads on first use. */
export const bundlers = { webpack: withWebpack, rollup: withRollup, esbuild: withEsbuild };

async function withEsbuild(entry, folder, platform = 'node') {
  const { build } = await import('esbuild');
  const { metafile } = await build({
    entryPoints: [entry],
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform,
    metafile: true,
  });
  const chunks = Object.entries(metafile.outputs).map(([path, { imports }]) => ({
    path: resolve(path),
    needs: imports.filter(({ kind }) => kind === 'import-statement').map((each) => resolve(each.path)),
  }));
  const program = resolve(join(folder, entry));
  return { program, loaded: contents(reached(program, chunks)), all: contents(chunks.map(({ path }) => path)) };
}

async function withRollup(entry, folder, platform = 'node') {
  const { rollup } = await import('rollup');
  const [{ default: commonjs }, { default: json }, { default: nodeResolve }] = await Promise.all([
    import('@rollup/plugin-commonjs'),
    import('@rollup/plugin-json'),
    import('@rollup/plugin-node-resolve'),
  ]);
  const isForNode = platform === 'node';
  const plugins = [nodeResolve({ preferBuiltins: isForNode, browser: !isForNode }), commonjs(), json()];
  const onwarn = ({ code, message }) => {
    if (code === 'UNRESOLVED_IMPORT') throw new Error(message);
  };
  const bundle = await rollup({ input: entry, plugins, external: isForNode ? [/^node:/] : [], onwarn });
  const { output } = await bundle.write({ dir: folder, format: 'es' });
  const chunks = output.filter((each) => each.type === 'chunk');
  const at = (name) => resolve(folder, name);
  const graph = chunks.map(({ fileName, imports }) => ({ path: at(fileName), needs: imports.map(at) }));
  const program = at(chunks.find((chunk) => chunk.isEntry).fileName);
  return { program, loaded: contents(reached(program, graph)), all: contents(graph.map(({ path }) => path)) };
}

async function withWebpack(entry, folder, platform = 'node') {
  const { default: webpack } = await import('webpack');
  const stats = await new Promise((done, fail) => {
    const settings = {
      mode: 'production',
      target: platform === 'node' ? 'node22' : ['web', 'es2023'],
      entry: resolve(entry),
      experiments: { outputModule: true },
      // It removes what is not used where it minimizes; only the two programs that are compared have to be without it.
      optimization: { minimize: ['whole.js', 'questions-only.js'].includes(entry) },
      output: { path: resolve(folder), filename: entry, library: { type: 'module' } },
    };
    webpack(settings, (error, found) => (error ? fail(error) : done(found)));
  });
  const { errors } = stats.toJson({ all: false, errors: true });
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
  const chunks = [...stats.compilation.chunks];
  const filesOf = (some) => some.flatMap((chunk) => [...chunk.files]).map((file) => resolve(folder, file));
  const initial = chunks.filter((chunk) => chunk.canBeInitial());
  return { program: resolve(folder, entry), loaded: contents(filesOf(initial)), all: contents(filesOf(chunks)) };
}

/** All chunks that loading one loads. */
function reached(start, chunks) {
  const found = new Set([start]);
  for (const path of found) for (const need of chunks.find((each) => each.path === path)?.needs ?? []) found.add(need);
  return [...found];
}

function contents(paths) {
  const code = paths.filter((path) => path.endsWith('.js')).map((path) => readFileSync(path, 'utf8'));
  return code.join('\n');
}
