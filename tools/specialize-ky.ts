import { readFile } from 'node:fs/promises';
import { transformSync } from 'esbuild';
import type { Plugin } from 'esbuild';

/** Code of ky, and the value that it always has. */
type Known = readonly (readonly [code: string | RegExp, value: string])[];

/** What the platform supports, as far as ky tests it at import. */
const supports = 'supports(?:AbortController|AbortSignal|FormData|RequestStreams|ResponseStreams)';

/**
 * What is the same in every call, because the library calls ky in one place (`src/core/transport/fetch.ts`), with a URL and
 * always the same options. Bundlers cannot know it. See docs/decisions/what-ky-costs.md.
 */
const known: Readonly<Record<string, Known>> = {
  'index.js': [
    // Only `ky()` is called, without `ky.get()`, `ky.create()` and so on.
    ['for (const method of requestMethods)', 'if (false) for (const method of requestMethods)'],
    [/^ {4}ky\.\w+ = (?:[^\n]*;\n|[^]*?^ {4}\};\n)/gm, ''],
  ],
  'core/constants.js': [
    // It concerns what this library implements itself: aborts, progress, form data. The tests load the platform's fetch.
    [
      new RegExp(`(?<=^export const ${supports} = )(?:\\(\\(\\) => \\{\\n[^]*?^\\}\\)\\(\\)|[^;\\n]*)(?=;$)`, 'gm'),
      'false',
    ],
  ],
  'core/Ky.js': [
    [new RegExp(`\\b${supports}\\b(?!.* from )`, 'g'), 'false'],
    [/\b(?:this|ky)\.#options\.(?:timeout|totalTimeout|throwHttpErrors)\b/g, 'false'],
    [/\b(?:this|ky)\.#options\.(?:json|parseJson|searchParams|prefix|baseUrl|on\w+Progress)\b/g, 'undefined'],
    ['hasSearchParameters(undefined)', 'false'],
    ["Object.hasOwn(options, 'prefixUrl')", 'false'],
    ['this.#getRemainingTotalTimeout()', 'undefined'],
    ['this.#abortController?.signal.aborted', 'false'],
    // The same values as above, and no others.
    ['options.throwHttpErrors ?? true', 'false'],
    ['options.timeout ?? 10_000', 'false'],
    ['options.totalTimeout ?? false', 'false'],
    ['options.context ?? {}', '{}'],
    ["String(options.prefix || '')", "''"],
    // Always given.
    ['options.fetch ?? globalThis.fetch.bind(globalThis)', 'options.fetch'],
    [
      "typeof this.#input !== 'string' && !(this.#input instanceof URL || this.#input instanceof globalThis.Request)",
      'false',
    ],
    // No hooks.
    ['initHooks.length > 0', 'false'],
    ['mergeHooks({}, options.hooks)', '{}'],
    ['for (const hook of ', 'if (false) for (const hook of '],
    ['!(error instanceof ForceRetryError)', 'true'],
    ['this.#beforeRetryHookErrors.has(error)', 'false'],
    // No retries.
    [/normalizeRetryOptions\([\w.#]+\)/g, '{ limit: 0 }'],
    ['this.#retryLimit > 0', 'false'],
    ['return this.#retryFromError(error, function_)', 'throw error'],
    // The one change of what ky does: it puts some errors of `fetch` into its own, and the library would take them out again.
    ['isRawNetworkError(error)', 'false'],
    // A URL has no headers that would be merged.
    ['mergeHeaders(this.#input.headers, options.headers)', 'options.headers'],
    ['this.#input instanceof globalThis.Request\n', 'false\n'],
    ["options.headers && new globalThis.Headers(options.headers).has('content-type')", 'undefined'],
    // The response is read by the library, not with `ky().json()`.
    ['for (const [type, mimeType] of ', 'if (false) for (const [type, mimeType] of '],
  ],
  'utils/normalize.js': [
    // Bundlers keep what reads a property when it is loaded: here the defaults of retries.
    ['Number.POSITIVE_INFINITY', 'Infinity'],
  ],
  'utils/merge.js': [
    // There is one set of options.
    ['deepMerge({}, ...sources)', 'Object.assign({}, ...sources)'],
  ],
};

/**
 * The code of a file of ky without what the library never reaches; `undefined` for a file that stays as it is.
 *
 * @throws {Error} when the file does not contain what is known of it, which happens with a new version of ky.
 */
export function specialized(path: string, code: string): string | undefined {
  const file = /[\\/]ky[\\/]distribution[\\/](.+\.js)$/.exec(path)?.[1]?.replace('\\', '/');
  const values = file === undefined ? undefined : known[file];
  if (file === undefined || !values) return undefined;
  const text = values.reduce((rest, [from, to]) => {
    const changed = rest.replaceAll(from, to);
    if (changed === rest) throw new Error(`ky has no ${String(from)} in ${file}, as tools/specialize-ky.ts expects`);
    return changed;
  }, code);
  // Removes what is now known never to run.
  return withoutUnused(transformSync(text, { minifySyntax: true, target: 'es2023' }).code);
}

/** Removes private members that nothing uses any more: bundlers keep them. */
function withoutUnused(code: string): string {
  const rest = code.replace(
    /^ {2}(?:static |async )*(#\w+)(?:\(.*\) \{\n[^]*?^ {2}\}|(?: = .*)?;)\n/gm,
    (member, name: string) => (new RegExp(`\\.${name}\\b`).test(code) ? member : ''),
  );
  return rest === code ? code : withoutUnused(rest);
}

/** Bundles ky with the changes of `specialized`. */
export const specializedKy: Plugin = {
  name: 'specialized-ky',
  setup(build) {
    build.onLoad({ filter: /[\\/]ky[\\/]distribution[\\/].+\.js$/ }, async ({ path }) => {
      const contents = specialized(path, await readFile(path, 'utf8'));
      return contents === undefined ? undefined : { contents };
    });
  },
};
