import { expect, test } from 'vitest';
import { looseObject } from '../../src/core/schema/define.js';
import { parseFields } from '../../src/cli/commands/fake.js';

test.each<[string, object]>([
  ['a', { a: true }],
  ['a=', { a: '' }],
  ['a=1', { a: 1 }],
  ['a=1.5 b=-1', { a: 1.5, b: -1 }],
  ['a=true b=false c=null', { a: true, b: false, c: null }],
  ['a=text', { a: 'text' }],
  ['a="1"', { a: '1' }],
  ['a=b=c', { a: 'b=c' }],
  ['a=b=c=', { a: 'b=c=' }],
  ['a==', { a: '=' }],
  [' a=1,b=2 ,\n c=3, ', { a: 1, b: 2, c: 3 }],
  ['a=1 a=2', { a: 2 }],
  ['a.b=1', { a: { b: 1 } }],
  ['a.b=1 a.c=2', { a: { b: 1, c: 2 } }],
  ['a.b=1 c=3 a.b=2', { a: { b: 2 }, c: 3 }],
  ['a.b=1 a=2', { a: 2 }],
  ['a.b', { a: { b: true } }],
])('the fields of %j are %j', (text, fields) => {
  expect(parseFields(text, looseObject({}))).toEqual(fields);
});

test.each(['', ' ', ',', ' , '])('%j has no field', (text) => {
  expect(() => parseFields(text, looseObject({}))).toThrow('a field is missing');
});
