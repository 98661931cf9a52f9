import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { specialized, specializedKy } from '../../tools/specialize-ky.js';

const entry = createRequire(import.meta.url).resolve('ky');
const folder = dirname(entry);
const files = ['index.js', 'core/constants.js', 'core/Ky.js', 'utils/merge.js'];
const original = (file: string): string => readFileSync(join(folder, file), 'utf8');

test.each(files)('%s without what is known of it stops the build', (file) => {
  expect(() => specialized(join(folder, file), 'export {};')).toThrow(`${file}, as tools/specialize-ky.ts expects`);
});

test('every other file stays as it is', () => {
  expect(specialized(join(folder, 'utils/options.js'), original('utils/options.js'))).toBeUndefined();
  expect(specialized('/elsewhere/core/Ky.js', original('core/Ky.js'))).toBeUndefined();
});

test('a check of the platform that is new in ky stays', () => {
  const file = join(folder, 'core/constants.js');
  const code = `${original('core/constants.js')}\nexport const supportsTea = typeof globalThis.Tea === 'function';\n`;
  expect(specialized(file, code)?.match(/globalThis\.\w+/g)).toEqual(['globalThis.Tea']);
});

test('a private member that is used stays', () => {
  const file = join(folder, 'core/Ky.js');
  const code = original('core/Ky.js').replace('#cancelBody(body) {', '#pour() {\n        return 1;\n    }\n$&');
  expect(specialized(file, code)).not.toContain('#pour');
  expect(specialized(file, code.replace('    request;\n', '    request;\n    tea = this.#pour();\n'))).toContain(
    '#pour() {',
  );
});

test('the library calls ky once, with the options that are known', () => {
  const code = readFileSync(join(import.meta.dirname, '../../src/core/transport/fetch.ts'), 'utf8');
  const [options, ...others] = Array.from(
    code.matchAll(/\bky\(outgoing\.url, \{([^]*?)\}\);/g),
    ([, text = '']) => text,
  );
  expect(others).toEqual([]);
  expect(options?.trim().split(/,\n\s*/)).toEqual([
    '...requestInit(outgoing)',
    '...platform.silenceOptions(used, outgoing.timeoutMs)',
    '...kyOptions',
    'fetch: composeMiddleware(layers, outgoing, used),',
  ]);
  expect(code).toContain('const kyOptions = { retry: 0, timeout: false, throwHttpErrors: false } as const;');
});

type Options = RequestInit & Record<string, unknown>;
type Ky = (url: string, options: Options) => Promise<Response>;

async function loadKy(plugins: (typeof specializedKy)[]): Promise<Ky> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'iife',
    globalName: 'loaded',
    write: false,
    plugins,
  });
  return runInThisContext(`(() => {${outputFiles[0]?.text ?? ''}; return loaded.default; })()`) as Ky;
}

const [whole, part] = await Promise.all([loadKy([]), loadKy([specializedKy])]);

/** What the `fetch` of a call gets, and what the call returns or throws. */
async function call(ky: Ky, init: Options, fetch: typeof globalThis.fetch): Promise<unknown> {
  const requests: unknown[] = [];
  const watch = async (request: Request, rest: unknown): Promise<Response> => {
    const { method, url, redirect, signal, headers } = request;
    const body = await request.clone().text();
    requests.push({ method, url, redirect, aborted: signal.aborted, headers: [...headers], body, rest });
    return fetch(request);
  };
  try {
    const options = { ...init, retry: 0, timeout: false, throwHttpErrors: false, fetch: watch };
    const response = await ky('https://a.test/b?c=d', options);
    return { requests, status: response.status, headers: [...response.headers], text: await response.text() };
  } catch (error) {
    // ky puts the error of `fetch` into its own; the specialized one leaves it as it is.
    return { requests, error: String(error instanceof Error && error.name === 'NetworkError' ? error.cause : error) };
  }
}

const ok = (): Promise<Response> => Promise.resolve(Response.json({ id: 1 }));

const respondWith = (response: () => Response) => () => Promise.resolve(response());

test.each<[string, () => Options, typeof globalThis.fetch]>([
  ['a read', () => ({ headers: { accept: 'application/json' }, redirect: 'manual' }), ok],
  ['a write', () => ({ method: 'POST', body: '{"text":"é"}', headers: { 'content-type': 'a/b' } }), ok],
  ['a method in small letters', () => ({ method: 'patch', body: 'x' }), ok],
  ['a body that is a stream', () => ({ method: 'PUT', body: new Blob(['file']).stream(), duplex: 'half' }), ok],
  ['an option that only `fetch` knows', () => ({ dispatcher: { name: 'mine' }, priority: 'low' }), ok],
  ['a signal', () => ({ signal: new AbortController().signal }), ok],
  ['a signal that is aborted', () => ({ signal: AbortSignal.abort(new Error('enough')) }), ok],
  ['options that no request can have', () => ({ method: 'GET', body: 'x' }), ok],
  ['an error response', () => ({}), respondWith(() => new Response('{"error":"x"}', { status: 503 }))],
  ['a redirect', () => ({}), respondWith(() => new Response(null, { status: 302, headers: { location: '/c' } }))],
  ['a network error', () => ({}), () => Promise.reject(new TypeError('fetch failed', { cause: new Error('reset') }))],
  ['another error', () => ({}), () => Promise.reject(new RangeError('too long'))],
])('%s is the same as with all of ky', async (_what, init, fetch) => {
  expect(await call(part, init(), fetch)).toEqual(await call(whole, init(), fetch));
});
