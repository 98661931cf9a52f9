import { InvalidInputError } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { fieldsOf, fillPath } from '../../src/core/operation/endpoint.js';
import { matchPath } from '../../src/testing/http/routes.js';
import { fc } from '../support/fast-check.ts';

const filled = (template: string, ...values: readonly string[]): string => {
  const fields = fieldsOf(template);
  return fillPath(template, (name) => values[fields.indexOf(name)] ?? '');
};

describe('a path template', () => {
  test.each([
    ['/items', []],
    ['/items/{item_id}', ['item_id']],
    ['/packs/{pack_id}/sellers/{user_id}/all', ['pack_id', 'user_id']],
    ['{path*}', ['path']],
    ['/a/{b}{c*}', ['b', 'c']],
    ['/a/{}/{b-c}', []],
  ])('%s has the fields %j', (template, fields) => {
    expect(fieldsOf(template)).toEqual(fields);
  });

  test.each([
    ['/items', [], '/items'],
    ['/items/{id}', ['MLA1'], '/items/MLA1'],
    ['/packs/{pack_id}/sellers/{user_id}/all', ['1', '2'], '/packs/1/sellers/2/all'],
    ['/files/{id}', ['a b.pdf'], '/files/a%20b.pdf'],
    ['/files/{id}', ['2026-03-01T10:00@home'], '/files/2026-03-01T10:00@home'],
    ['/files/{id}', ['ñ😀"'], '/files/%C3%B1%F0%9F%98%80%22'],
    ['/files/{id}', ['...'], '/files/...'],
    ['{path*}', ['/questions/a b'], undefined],
    ['/{path*}', ['questions/a b'], '/questions/a%20b'],
  ])('%s is filled with %j', (template, values, path) => {
    if (path !== undefined) expect(filled(template, ...values)).toBe(path);
    else expect(() => filled(template, ...values)).toThrow('`path` is empty');
  });

  test.each([
    ['', 'is empty'],
    [' ', 'is blank'],
    ['.', 'is "."'],
    ['..', 'is ".."'],
    ...['a/b', 'a\\b', 'a?b', 'a#b', 'a%2fb', 'a\r\nb', 'a\u0000', 'a\u007f'].map((value) => [
      value,
      'contains one of / \\ ? # % or a control character',
    ]),
    ['a\ud83d', 'contains half a surrogate pair'],
  ])('does not take %j, which could leave its place', (value, why) => {
    const issues = [{ path: ['id'], message: `\`id\` ${why}, so it cannot be part of a path` }];
    for (const template of ['/files/{id}', ...(value.includes('/') ? [] : ['/files/{id*}', '/{id*}/x'])]) {
      expect(() => filled(template, value)).toThrow(InvalidInputError);
      expect(() => filled(template, value)).toThrow(expect.objectContaining({ issues }) as Error);
    }
  });

  test('takes several segments only where it says so, and each is checked', () => {
    expect(filled('/x/{id*}', 'a/b/c')).toBe('/x/a/b/c');
    for (const value of ['a//b', '/a', 'a/', 'a/../b', 'a/./b', 'a/b?c'])
      expect(() => filled('/x/{id*}', value)).toThrow(InvalidInputError);
  });

  test.each<readonly [string, string, object | undefined]>([
    ['/items/{id}', '/items/7', { id: '7' }],
    ['/items/{id}', '/items/7/more', undefined],
    ['/items/{id}', '/more/items/7', undefined],
    ['/items/{id}', '/items/', undefined],
    ['/items/{id}', '/items/a%20b', { id: 'a b' }],
    ['/items/{id}', '/items/%zz', undefined],
    ['/items', '/items', {}],
    ['/items', '/itemsx', undefined],
    ['/a.b/{c}/(d)+', '/a.b/1/(d)+', { c: '1' }],
    ['/a.b/{c}/(d)+', '/axb/1/dd', undefined],
    ['/a/{b}/c/{d}', '/a/1/c/2', { b: '1', d: '2' }],
    ['/{path*}', '/a/b/c', { path: 'a/b/c' }],
    ['/x/{path*}/y', '/x/a/b/y', { path: 'a/b' }],
  ])('%s is compared with %s', (template, path, fields) => {
    expect(matchPath(template, path)).toEqual(fields);
  });

  test('has the values back that it was filled with', () => {
    const characters = [
      'a',
      'Z',
      '09',
      '-',
      '_',
      '.',
      '~',
      ' ',
      '!$&*',
      "'()",
      '+,;=',
      ':',
      '@',
      '"<>',
      '{}[]^|`',
      'ñ',
      '😀',
    ];
    const segment = fc
      .array(fc.constantFrom(...characters), { minLength: 1, maxLength: 6 })
      .map((parts) => parts.join(''))
      .filter((text) => text !== '.' && text !== '..' && text.trim() !== '');
    fc.assert(
      fc.property(segment, segment, (a, b) => {
        const template = '/packs/{a}/x.y/{b}';
        expect(matchPath(template, filled(template, a, b))).toEqual({ a, b });
      }),
    );
  });
});
