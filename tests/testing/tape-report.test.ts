import { describe, expect, test } from 'vitest';
import type { ResponseDifference } from '../../src/testing/tape/compare.js';
import type { Verified } from '../../src/testing/tape/replay.js';
import { isAsExpected, judge, reportOf } from '../../src/testing/tape/report.js';

// Which differences of a replay are allowed, known, new or gone: none, one and two of an endpoint, and names that begin alike.

const difference = (path: string, more: Partial<ResponseDifference> = {}): ResponseDifference => {
  return { path, what: 'value', expected: '1', actual: '2', ...more };
};
const result = (endpoint: string, ...differences: ResponseDifference[]): Verified => {
  return { endpoint, method: 'GET', path: '/', status: { expected: 200, actual: 200 }, differences };
};
const verdictsOf = (judged: ReturnType<typeof judge>): string[] =>
  judged.results.flatMap(({ differences }) => differences.map(({ verdict }) => verdict));

describe('a pattern', () => {
  const places = [
    'questions.search total',
    'questions.search paging.total',
    'questions.searchAll total',
    'questions total',
  ];

  test.each<[string, boolean[]]>([
    // Without a path: all differences of the endpoint, and of no other whose name begins alike.
    ['questions.search', [true, true, false, false]],
    ['questions', [false, false, false, true]],
    ['questions.*', [true, true, true, false]],
    ['questions*', [true, true, true, true]],
    ['*', [true, true, true, true]],
    ['*.search', [true, true, false, false]],
    ['search', [false, false, false, false]],
    // With a path: to its end, and from the beginning.
    ['questions.search total', [true, false, false, false]],
    ['questions.search paging', [false, false, false, false]],
    ['questions.search paging*', [false, true, false, false]],
    ['questions.search *', [true, true, false, false]],
    ['questions.search *total', [true, true, false, false]],
    ['* total', [true, false, true, true]],
    ['uestions.search total', [false, false, false, false]],
    // A dot is a dot.
    ['questionsXsearch', [false, false, false, false]],
    ['', [false, false, false, false]],
  ])('"%s" allows %j', (pattern, expected) => {
    const results = places.map((place) => {
      const [endpoint = '', path = ''] = place.split(' ');
      return result(endpoint, difference(path));
    });
    const judged = judge(results, { allow: [pattern] });
    expect(verdictsOf(judged)).toEqual(expected.map((isAllowed) => (isAllowed ? 'allowed' : 'new')));
    expect(judged.unused).toEqual(expected.includes(true) ? [] : [pattern]);
    expect(isAsExpected(judged)).toBe(!expected.includes(false));
  });

  test.each(['messages[].text', '[].origin', 'a+b', 'a(b'])('names the signs of a path as they are: %s', (path) => {
    const judged = judge([result('items.status', difference(path))], { allow: [`items.status ${path}`] });
    expect(verdictsOf(judged)).toEqual(['allowed']);
  });

  test.each([
    ['a.get header', 'new'],
    ['a.get header x-note', 'allowed'],
    ['a.get header *', 'allowed'],
    ['a.get', 'allowed'],
  ])('"%s" says of a path of two words: %s', (pattern, verdict) => {
    expect(verdictsOf(judge([result('a.get', difference('header x-note'))], { allow: [pattern] }))).toEqual([verdict]);
  });

  test('that is unused is told, also where another one fits, and one of two that fit is used too', () => {
    const allow = ['a.get', 'a.*', 'b.get', 'a.get total'];
    expect(judge([result('a.get', difference('total'))], { allow }).unused).toEqual(['b.get']);
  });
});

describe('a baseline', () => {
  const baseline = [result('a.get', difference('total'), difference('name', { what: 'missing' }))];

  test.each<[string, Verified[], string[], string[]]>([
    ['none of them', [result('a.get')], [], ['a.get  total: another value', 'a.get  name: missing']],
    ['one of two', [result('a.get', difference('total'))], ['known'], ['a.get  name: missing']],
    ['both', baseline, ['known', 'known'], []],
    ['both twice', [...baseline, ...baseline], ['known', 'known', 'known', 'known'], []],
    [
      'one and a new one',
      [result('a.get', difference('total'), difference('id'))],
      ['known', 'new'],
      ['a.get  name: missing'],
    ],
    [
      'the same of another endpoint',
      [result('b.get', difference('total'))],
      ['new'],
      ['a.get  total: another value', 'a.get  name: missing'],
    ],
    [
      'another kind at a place',
      [result('a.get', difference('total', { what: 'type' }))],
      ['new'],
      ['a.get  total: another value', 'a.get  name: missing'],
    ],
    [
      'other values at a place',
      [result('a.get', difference('total', { actual: '9' }))],
      ['known'],
      ['a.get  name: missing'],
    ],
    [
      'what was missing, in excess',
      [result('a.get', difference('name', { what: 'extra' }))],
      ['new'],
      ['a.get  total: another value', 'a.get  name: missing'],
    ],
  ])('is compared with a replay that has %s', (_, results, verdicts, gone) => {
    const judged = judge(results, { baseline });
    expect([verdictsOf(judged), judged.gone]).toEqual([verdicts, gone]);
    expect(isAsExpected(judged)).toBe(!verdicts.includes('new'));
  });

  test.each([
    ['missing', 'a.get  name: missing'],
    ['extra', 'a.get  name: extra'],
    ['type', 'a.get  name: another type'],
    ['value', 'a.get  name: another value'],
    ['entries', 'a.get  name: another number of entries'],
    ['order', 'a.get  name: another order'],
  ] as const)('names a difference that is gone: %s', (what, expected) => {
    expect(judge([], { baseline: [result('a.get', difference('name', { what }))] }).gone).toEqual([expected]);
    const ofBody = judge([], { baseline: [result('a.get', difference('', { what }))] });
    expect(ofBody.gone).toEqual([expected.replace('name', 'the body')]);
  });

  test.each(['status', 'code'])('knows a %s with its values', (path) => {
    const of = (expected: string, actual: string) => [result('a.get', difference(path, { expected, actual }))];
    const verdicts = [of('200', '404'), of('200', '500'), of('201', '404')].map((results) =>
      verdictsOf(judge(results, { baseline: of('200', '404') })),
    );
    expect(verdicts).toEqual([['known'], ['new'], ['new']]);
  });

  test('goes before a pattern, so that a difference of both is known', () => {
    const judged = judge(baseline, { baseline, allow: ['a.get'] });
    expect([verdictsOf(judged), judged.unused]).toEqual([['known', 'known'], []]);
  });
});

test.each<[string, Verified[], string]>([
  ['no exchange', [], '0 of 0 exchanges are the same.'],
  ['one that is the same', [result('a.get')], 'same     a.get  1/1\n1 of 1 exchanges are the same.'],
  [
    'two of an endpoint, one of them the same',
    [result('a.get'), result('a.get', difference('total'))],
    'differs  a.get  1/2\n  total: 2, not 1\n1 of 2 exchanges are the same.',
  ],
  [
    'the same difference twice, and another endpoint before it in the alphabet',
    [result('b.list', difference('total')), result('b.list', difference('total')), result('a.get')],
    'same     a.get   1/1\ndiffers  b.list  0/2\n  total: 2, not 1\n1 of 3 exchanges are the same.',
  ],
])('the report of %s', (_, results, expected) => {
  expect(reportOf(judge(results))).toBe(expected);
});
