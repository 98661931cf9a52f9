import { encode } from '@jridgewell/sourcemap-codec';
import { build } from 'esbuild';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { markPure } from '../../tools/pure.ts';

const map = { mappings: '' };

/** What a bundler keeps of a module of which nothing is used. */
async function kept(code: string): Promise<string> {
  const contents = `const effect = globalThis.describe; ${markPure({ code, map }).code}`;
  const { outputFiles } = await build({ stdin: { contents }, write: false, bundle: true, format: 'esm', minify: true });
  return outputFiles[0]!.text.trim();
}

describe('a bundler removes what a module only describes', () => {
  test.each([
    'var a=effect({x:1}),b=effect(a,effect(2));',
    'var a={x:1};var b=effect({...a,y:effect(1)});',
    'var a=[1];var b=effect(...a),c={...b};',
    'var a=effect(()=>({...effect()}));',
  ])('%s', async (code) => {
    expect(await kept(code)).not.toContain('effect');
    expect(await kept(code)).not.toContain('...');
  });

  test('without the marks, it keeps it', async () => {
    const stdin = { contents: 'const effect = globalThis.describe; var a={x:1};var b=effect({...a});' };
    const { outputFiles } = await build({ stdin, write: false, bundle: true, format: 'esm', minify: true });
    expect(outputFiles[0]!.text).toContain('...');
  });
});

test('the marks do not change what the code does', () => {
  const code = 'var a={x:1};var b=Object.entries({...a,y:2}),c=Math.max(...[1,2]);';
  const { code: marked } = markPure({ code, map });
  const run = (text: string): unknown => runInNewContext(`${text} [a,b,c]`);
  expect(run(marked)).toEqual(run(code));
});

test('the columns of the source map move with the marks before them', () => {
  const code = 'var a=f({...x});var b=g();';
  const at = code.indexOf('var b');
  const { code: marked, map: moved } = markPure({ code, map: { mappings: encode([[[at, 0, 0, 0]]]) } });
  const expected = encode([[[marked.indexOf('var b'), 0, 0, 0]]]);
  expect(moved.mappings).toBe(expected);
});
