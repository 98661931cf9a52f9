import { describe, expect, test } from 'vitest';
import { dateTimeInput, isAfter, isZoned, millisecondsOf } from '../../src/core/schema/define.js';
import { encode } from '../../src/core/request/encode.js';
import { contactEndpoints } from '../../src/resources/contacts/endpoints.js';
import { fc } from '../support/fast-check.ts';

/** The date as a request contains it. */
const sent = (ending: Date) =>
  new URLSearchParams(
    encode(contactEndpoints.questions.windowOfItem, { item_id: 'MLA1', ending }).target.replace(/.*\?/, ''),
  ).get('ending');

const march = Date.UTC(2026, 2, 1);
const hour = 3_600_000;

describe('a date of an input', () => {
  test.each([
    ['2026-03-01', march],
    ['2026-03-01T13:45', march + 13.75 * hour],
    ['2026-03-01T13:45:30', march + 13.75 * hour + 30_000],
    ['2026-03-01T13:45:30.5', march + 13.75 * hour + 30_500],
    ['2026-03-01T13:45:30.123456789', march + 13.75 * hour + 30_123],
    ['2026-03-01T00:00Z', march],
    ['2026-03-01T00:00:00.000Z', march],
    ['2026-03-01T00:00:00+02:00', march - 2 * hour],
    ['2026-03-01T00:00:00-04:00', march + 4 * hour],
    ['2026-03-01T00:00:00-0430', march + 4.5 * hour],
    ['2026-03-01T24:00', march + 24 * hour],
  ])('is sent as it was given, and is that moment: %s', (text, at) => {
    expect(dateTimeInput.safeParse(text)).toEqual({ success: true, data: text });
    expect(millisecondsOf(text)).toBe(at);
    expect(isZoned(text)).toBe(/(Z|[+-]\d\d:?\d\d)$/.test(text.slice(10)));
  });

  test.each([
    ...['', 'yesterday', '1772323200000', '26-03-01', '2026-3-1', '2026-03-01x', 'x2026-03-01', '2026-13-01'],
    ...['2026-03-01T', '2026-03-01T13', '2026-03-01T1:45', '2026-03-01T13:45:', '2026-03-01T13:45:3'],
    ...['2026-03-01T13:45:30.', '2026-03-01T13:45:30.1234567890', '2026-03-01T25:00', '2026-03-01_13:45'],
    ...['2026-03-01Z', '2026-03-01T13:45z', '2026-03-01T13:45+4', '2026-03-01T13:45+04:0', '2026-03-01T13:45 +04:00'],
  ])('is rejected where it is no ISO 8601 text: %j', (text) => {
    expect(dateTimeInput.safeParse(text)).toMatchObject({
      error: { issues: [{ message: 'a date is a Date or ISO 8601 text such as "2026-03-01T00:00:00Z"' }] },
    });
    expect(millisecondsOf(text)).toBeNaN();
    expect(isZoned(text)).toBe(false);
  });

  // Both are read in responses: `Date.parse` reads February 30 as March 2.
  test.each([
    '2026-03-01 13:45',
    '2026-03-01 00:00:00-0430',
    '2026-02-30',
    '2025-02-29T10:00Z',
    '2026-04-31T24:00:00-03:00',
  ])('is rejected where a response may have it: %j', (text) => {
    expect(dateTimeInput.safeParse(text).success).toBe(false);
    expect(millisecondsOf(text)).not.toBeNaN();
  });

  test('is any valid Date', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date('0000-01-01'), max: new Date('9999-12-31') }), (date) => {
        if (Number.isNaN(date.getTime())) expect(dateTimeInput.safeParse(date).success).toBe(false);
        else expect(dateTimeInput.safeParse(date)).toMatchObject({ success: true });
        if (!Number.isNaN(date.getTime())) expect(sent(date)).toBe(date.toISOString());
      }),
    );
  });
});

describe('two dates are compared', () => {
  test.each([
    ['2026-03-02', '2026-03-01', true],
    ['2026-03-01', '2026-03-01', false],
    ['2026-03-01', '2026-03-02', false],
    ['2026-03-01T00:00:00-04:00', '2026-03-01T03:59:59Z', true],
    ['2026-03-01T00:00:00-04:00', '2026-03-01T04:00:00Z', false],
    ['2026-03-02T00:00', '2026-03-01T23:59', true],
    // Where only one names its zone, the order is unknown.
    ['2026-03-09T00:00:00Z', '2026-03-01T00:00:00', undefined],
    ['2026-03-09', '2026-03-01T00:00:00Z', undefined],
    ['soon', '2026-03-01', undefined],
    ['2026-03-01', 'soon', undefined],
    ['soon', 'later', undefined],
  ])('%s after %s: %s', (from, to, order) => {
    expect(isAfter(from, to)).toBe(order);
  });
});
