import { fc } from './fast-check.ts';

/** The first code point that is half of a pair, and how many there are. */
const [firstHalf, halves] = [0xd800, 0x800];

/**
 * Any character but half of a pair, for the `unit` of `fc.string`. The `binary` of fast-check is the same, but builds a table of
 * all of Unicode first, which takes a second.
 */
const anyCharacter = fc.nat({ max: 0x10ffff - halves }).map(
  (n) => String.fromCodePoint(n < firstHalf ? n : n + halves),
  (text) => {
    const point = typeof text === 'string' ? text.codePointAt(0) : undefined;
    if (point === undefined || text !== String.fromCodePoint(point)) throw new Error('it is not one character');
    return point < firstHalf ? point : point - halves;
  },
);

/** Any text of whole characters, and the names that are dangerous as the names of fields. */
export const anyText = (constraints: { maxLength?: number } = {}) => fc.string({ ...constraints, unit: anyCharacter });
