import { gzipSync } from 'node:zlib';
import { decode } from '@jridgewell/sourcemap-codec';
import { build } from 'esbuild';
import type { BuildOptions } from 'esbuild';
import { buildFloor } from '../floor.ts';
import { child, compare, here } from '../measure.ts';
import type { Row } from '../measure.ts';

/**
 * What an application's bundle grows by, minified and gzipped, in KiB; parts that load on first use are not counted. Some
 * of the peers can be bundled for Node only.
 */
export async function bundled(
  code: string,
  resolveDir = here('..'),
  platform: 'browser' | 'node' = 'browser',
): Promise<number> {
  const { outputFiles, metafile } = await build(bundling(code, resolveDir, platform));
  const entry = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === '<stdin>');
  const loaded = new Set<string>();
  const follow = (name: string): void => {
    if (loaded.has(name)) return;
    loaded.add(name);
    for (const { path, kind } of metafile.outputs[name]?.imports ?? []) if (kind === 'import-statement') follow(path);
  };
  if (entry) follow(entry[0]);
  const counted = outputFiles.filter(({ path }) => [...loaded].some((name) => path.endsWith(name)));
  return counted.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0) / 1024;
}

/** How many bytes of a bundle come from files of this package that match, by its source maps. */
export async function bytesFrom(pattern: RegExp, code: string): Promise<number> {
  const { outputFiles } = await build({ ...bundling(code, here('..'), 'browser'), sourcemap: 'external' });
  const text = outputFiles.find(({ path }) => path.endsWith('stdin.js'))?.text ?? '';
  const map = outputFiles.find(({ path }) => path.endsWith('stdin.js.map'))?.text ?? '{}';
  const { sources, mappings } = JSON.parse(map) as { sources: string[]; mappings: string };
  const lines = text.split('\n');
  const parts = decode(mappings).flatMap((segments, line) =>
    segments.flatMap(([start, source], index) =>
      source !== undefined && pattern.test(sources[source] ?? '')
        ? [lines[line]?.slice(start, segments[index + 1]?.[0]) ?? '']
        : [],
    ),
  );
  // The keyword of a declaration that is merged with its neighbours is mapped to one of those that were removed.
  return parts.filter((part) => !/^(?:var|let|const) $/.test(part)).join('').length;
}

type Bundling = BuildOptions & { readonly write: false; readonly metafile: true };

function bundling(code: string, resolveDir: string, platform: 'browser' | 'node'): Bundling {
  return {
    stdin: { contents: code, resolveDir },
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    platform,
    outdir: 'out',
    write: false,
    metafile: true,
    logLevel: 'silent',
    // Without the `paths` of this repository: what is weighed is what was built.
    tsconfigRaw: {},
  };
}

const ours = {
  'questions only': `import { Questions, createHttpClient } from 'marketplace-seller-sdk';
    globalThis.it = new Questions(createHttpClient({ baseUrl: 'https://a.test' }));`,
  'the whole client': `import { SellerClient } from 'marketplace-seller-sdk'; globalThis.it = SellerClient;`,
};

const theirs: Readonly<Record<string, string>> = {
  Notion: '@notionhq/client',
  Resend: 'resend',
  Octokit: '@octokit/rest',
  Slack: '@slack/web-api',
  Stripe: 'stripe',
  OpenAI: 'openai',
  Anthropic: '@anthropic-ai/sdk',
};

/** What each library weighs in a bundle, and how many files the import of this one reads. */
export async function size(): Promise<Row[]> {
  const measured: Record<string, number[]> = {};
  await buildFloor();
  measured['ky and zod, nothing else'] = [
    await bundled(`import { one } from './node_modules/.floor/floor.mjs'; globalThis.it = one;`, here('.')),
  ];
  for (const [name, code] of Object.entries(ours)) measured[name] = [await bundled(code)];
  for (const [name, pkg] of Object.entries(theirs)) {
    const weight = await bundled(`import * as it from '${pkg}'; globalThis.it = it;`, here('.'), 'node').catch(
      () => undefined,
    );
    if (weight !== undefined) measured[name] = [weight];
  }
  return [
    {
      title: 'weight in a bundle, minified and gzipped',
      unit: 'KiB',
      figures: compare(measured).map(({ who, value }) => ({ who, value })),
      goal: 'at most 45 KiB for questions only, 60 KiB for the whole client',
      limits: [
        { who: 'questions only', value: 45 },
        { who: 'the whole client', value: 60 },
      ],
    },
    {
      title: 'files that the import reads',
      unit: '',
      figures: [{ who: 'marketplace-seller-sdk', value: await filesOfMainEntry() }],
      goal: 'stated',
    },
  ];
}

/** How many files an import of the main entry reads, `#platform` included, as Node itself counts them. */
export async function filesOfMainEntry(): Promise<number> {
  return (await child<string[]>('children/loaded.mjs')).length;
}
