// Bundles one file for Node with each bundler as its users set it up; tells what a start of the program loads, and all.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Each gives the path of the program, the code that is loaded with it, and all code, also what loads on first use. */
export const bundlers = { webpack: withWebpack, rollup: withRollup, esbuild: withEsbuild };

async function withEsbuild(entry, folder) {
  const { build } = await import('esbuild');
  const { metafile } = await build({
    entryPoints: [entry],
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    metafile: true,
  });
  const chunks = Object.entries(metafile.outputs).map(([path, { imports }]) => ({
    path: resolve(path),
    needs: imports.filter(({ kind }) => kind === 'import-statement').map((each) => resolve(each.path)),
  }));
  const program = resolve(join(folder, entry));
  return { program, loaded: contents(reached(program, chunks)), all: contents(chunks.map(({ path }) => path)) };
}

async function withRollup(entry, folder) {
  const { rollup } = await import('rollup');
  const [{ default: commonjs }, { default: json }, { default: nodeResolve }] = await Promise.all([
    import('@rollup/plugin-commonjs'),
    import('@rollup/plugin-json'),
    import('@rollup/plugin-node-resolve'),
  ]);
  const plugins = [nodeResolve({ preferBuiltins: true }), commonjs(), json()];
  const bundle = await rollup({ input: entry, plugins, external: [/^node:/], onwarn: () => undefined });
  const { output } = await bundle.write({ dir: folder, format: 'es' });
  const chunks = output.filter((each) => each.type === 'chunk');
  const at = (name) => resolve(folder, name);
  const graph = chunks.map(({ fileName, imports }) => ({ path: at(fileName), needs: imports.map(at) }));
  const program = at(chunks.find((chunk) => chunk.isEntry).fileName);
  return { program, loaded: contents(reached(program, graph)), all: contents(graph.map(({ path }) => path)) };
}

async function withWebpack(entry, folder) {
  const { default: webpack } = await import('webpack');
  const stats = await new Promise((done, fail) => {
    const settings = {
      mode: 'production',
      target: 'node22',
      entry: resolve(entry),
      experiments: { outputModule: true },
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
