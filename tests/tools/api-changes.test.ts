import { expect, test } from 'vitest';
import { changesBetween, gravest } from '../../tools/api-changes.ts';

const report = (code: string): string => `## API Report File for "it"\n\n\`\`\`ts\n\n${code}\n\n\`\`\`\n`;

const taking = 'export function f(a: A): void; export';
const giving = 'export function f(): A; export';
const called = 'export function f(a: { on: (a: A) => void; }): void; export';

test.each([
  ['the same', 'export const a: 1;', 'export const a: 1;', 'patch'],
  ['a comment', '// @public (undocumented)\nexport const a: 1;', '// @public\nexport const a: 1;', 'patch'],
  ['the order', 'export const a: 1;\nexport const b: 2;', 'export const b: 2;\nexport const a: 1;', 'patch'],
  ['a name that is removed', 'export const a: 1;\nexport const b: 2;', 'export const a: 1;', 'breaking'],
  ['a name that is renamed', 'export const a: 1;', 'export const b: 1;', 'breaking'],
  ['a name that is new', 'export const a: 1;', 'export const a: 1;\nexport const b: 2;', 'added'],
  ['another type', 'export const a: 1;', 'export const a: 2;', 'breaking'],
  ['another kind', 'export interface A { }', 'export type A = string;', 'breaking'],
  ['a new field', 'export interface A { a: 1; }', 'export interface A { a: 1; b?: 2; }', 'added'],
  ['a field that is removed', 'export interface A { a: 1; b: 2; }', 'export interface A { a: 1; }', 'breaking'],
  ['a field that becomes optional', 'export interface A { a: 1; }', 'export interface A { a?: 1; }', 'breaking'],
  ['a field of another type', 'export interface A { a: 1; }', 'export interface A { a: string; }', 'breaking'],
  ['another base', 'export class A extends B { a: 1; }', 'export class A extends C { a: 1; }', 'breaking'],
  ['a new method', 'export class A { a(): void; }', 'export class A { a(): void; b(): void; }', 'added'],
  ['an overload', 'export class A { a(): void; }', 'export class A { a(): void; a(b: 1): void; }', 'added'],
  ['an overload less', 'export class A { a(): void; a(b: 1): void; }', 'export class A { a(): void; }', 'breaking'],
  ['an optional parameter', 'export function a(b: 1): void;', 'export function a(b: 1, c?: 2): void;', 'added'],
  ['a required parameter', 'export function a(b: 1): void;', 'export function a(b: 1, c: 2): void;', 'breaking'],
  ['a parameter less', 'export function a(b: 1, c?: 2): void;', 'export function a(b: 1): void;', 'breaking'],
  ['another result', 'export function a(): 1;', 'export function a(): 2;', 'breaking'],
  ['a word more', "export type A = 'a' | 'b';", "export type A = 'b' | 'a' | 'c';", 'added'],
  ['a word less', "export type A = 'a' | 'b' | 'c';", "export type A = 'a' | 'b';", 'breaking'],
  [
    'a field inside of a generic type',
    'export const a: S<{ b: 1; }>;',
    'export const a: S<{ b: 1; c?: 2; }>;',
    'added',
  ],
  ['a field less inside of it', 'export const a: S<{ b: 1; c: 2; }>;', 'export const a: S<{ b: 1; }>;', 'breaking'],
  [
    'a field that has to be given',
    `${taking} interface A { a: 1; }`,
    `${taking} interface A { a: 1; b: 2; }`,
    'breaking',
  ],
  ['a field that is got', `${giving} interface A { a: 1; }`, `${giving} interface A { a: 1; b: 2; }`, 'added'],
  [
    'a field to give that may be left out',
    `${taking} interface A { a: 1; }`,
    `${taking} interface A { a?: 1; }`,
    'added',
  ],
  ['a method that others implement', `${taking} interface A { }`, `${taking} interface A { a(): 1; }`, 'breaking'],
  ['what a function of theirs gets', `${called} interface A { }`, `${called} interface A { a: 1; }`, 'added'],
  ['a base more', 'export interface A { a: 1; }', 'export interface A extends B { a: 1; }', 'added'],
  ['a type parameter with a default', 'export type A<T> = T[];', 'export type A<T, U = 1> = T[];', 'added'],
  ['a type parameter without one', 'export class A { a: 1; }', 'export class A<T> { a: 1; }', 'breaking'],
  ['the name of a parameter', 'export function a(b: 1): void;', 'export function a(c: 1): void;', 'patch'],
  ['a parameter that takes more', 'export function a(b: 1): void;', 'export function a(b: 1 | Date): void;', 'added'],
  ['a result that may be nothing', 'export function a(): 1;', 'export function a(): 1 | undefined;', 'breaking'],
  [
    'a callback that gets more',
    'export function a(b: (c: 1) => 1): 1;',
    'export function a(b: (c: 1 | D) => 1): 1;',
    'breaking',
  ],
  [
    'a constructor that needs more',
    'export class A { constructor(); }',
    'export class A { constructor(a: 1); }',
    'breaking',
  ],
  ['a method that is hidden', 'export class A { protected a(): 1; }', 'export class A { private a(): 1; }', 'breaking'],
  ['a class that is abstract', 'export class A { a: 1; }', 'export abstract class A { a: 1; }', 'breaking'],
  ['another thing under a name', 'export { A as B };', 'export { C as B };', 'breaking'],
  [
    'a hidden type',
    'interface B { a: 1; } export interface A extends B { }',
    'interface B { } export interface A extends B { }',
    'breaking',
  ],
  [
    'a hidden type without use',
    'interface B { a: 1; } export const a: 1;',
    'interface B { } export const a: 1;',
    'patch',
  ],
  ['an argument more of a generic type', 'export const a: S<1>;', 'export const a: S<1, 2>;', 'breaking'],
])('%s', (_, before, after, kind) => {
  expect(gravest(changesBetween(report(before), report(after)).values())).toBe(kind);
});

test('what changed is known by name', () => {
  const changes = changesBetween(
    report('export const a: 1;\nexport const b: 1;'),
    report('export const a: 2;\nexport const c: 1;\nexport const b: 1;'),
  );
  expect([...changes]).toEqual([
    ['a', 'breaking'],
    ['c', 'added'],
  ]);
});
