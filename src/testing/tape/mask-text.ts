import { isServiceName, isServiceWord } from './words.js';

const classes: readonly (readonly [RegExp, string])[] = [
  [/[\u00c0-\u00ff]/, 'é'],
  [/\p{RI}/u, '\u{1F1E6}'],
  [/[\u{E0020}-\u{E007E}]/u, '\u{E0061}'],
  // Spaces, signs and what joins emoji say nothing of a person.
  [/[\s\u0080-\u00bf\ufe0f\u200d\u20e3\ud800-\udfff\p{Emoji_Modifier}\u{E007F}]/u, ''],
  [/\p{Extended_Pictographic}/u, '😀'],
  [/[\p{L}\p{N}]/u, 'ж'],
];

/** Masks a text: its length and the classes of its characters stay, because texts have limits and alphabets. */
export function maskText(text: string): string {
  const masked = text.replace(/[a-z]/g, 'x').replace(/[A-Z]/g, 'X').replace(/[0-9]/g, '0');
  return masked.replace(/[^\u0000-\u007f]/gu, (character) => {
    const found = classes.find(([pattern]) => pattern.test(character));
    return found ? found[1] || character : '→';
  });
}

/** Masks a name that is none of the service. */
export function maskName(name: string): string {
  return isServiceName(name) ? name : maskText(name);
}

/** Masks the words of a code, e.g. `not_unanswered_question`, that are none of the service; `undefined` if a text is no code. */
export function maskCode(text: string): string | undefined {
  if (text.length > 80 || !/^[A-Za-z]+([_./-][A-Za-z]+)*$/.test(text)) return undefined;
  return text.replace(/[A-Za-z]+/g, (word) => (isServiceWord(word) ? word : maskText(word)));
}

/** Whether a code has only words of the service. */
export function isServiceCode(text: string): boolean {
  return maskCode(text) === text;
}

/** A larger count is masked: it could be a document or a phone number. */
const largestCount = 999_999;

/** Whether a number is small, and has no more decimals than an amount: with more, it could be a position on a map. */
export function isCount(text: string): boolean {
  return /^-?(0|[1-9]\d*)(\.\d{1,2})?$/.test(text) && Math.abs(Number(text)) <= largestCount;
}

/** Masks a number: its digits become ones. */
export function maskNumber(value: number): number {
  return Number(String(value).replace(/[0-9]/g, '1')) || 1;
}

const isoDate = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/** Masks a date before 2000, which could be of birth: its form stays. `undefined` if a text is no date. */
export function maskDate(text: string): string | undefined {
  if (!isoDate.test(text)) return undefined;
  return text.startsWith('20') ? text : `1970-01-01${text.slice(10).replace(/\d/g, '0')}`;
}

/** Masks the name of a file. Its ending says what kind of file it is. */
export function maskFilename(name: string): string {
  const ending = /\.[a-z]{2,5}$/i.exec(name)?.[0] ?? '';
  if (!isServiceCode(ending.slice(1))) return maskText(name);
  return maskText(name.slice(0, name.length - ending.length)) + ending;
}

/** A number of 32 bits of a text (FNV-1a). */
export function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01_00_01_93);
  return hash >>> 0;
}

/** The codes of sites. */
const site = 'M(?:L[ABCMUV]|BO|CO|CR|CU|EC|GT|HN|NI|PA|PE|PY|RD|SV)';

/** A longer id stays one that is longer, and one beyond 2^53 stays beyond. */
function firstDigits(length: number): string {
  if (length <= 10) return '9';
  return length <= 16 ? '9000000' : '9000000000';
}

/** The forms of ids: what stays of an id, and its new digits, of which the last four count ids with the same mark. */
const forms: readonly (readonly [RegExp, (mark: string, text: string) => string])[] = [
  [/^[1-9]\d*$/, (mark, { length }) => `${firstDigits(length)}${mark}`],
  [new RegExp(`^(${site})-?\\d+$`), (mark, text) => `${text.slice(0, 3)}9${mark}`],
  [/^[0-9a-f]{16,}$/i, (mark) => mark.padStart(28, 'e')],
  [/^(?=.*\d)[\w.~:-]{1,200}$/, (mark) => `id-${mark}`],
];

const constant = new RegExp(`^(TEMPLATE___[A-Z_]+___\\d{1,3}(___VAR___[A-Z]+)?|${site}(-\\d{1,2})?|0)$`);
const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** Whether an id names a thing of the service, and no entry of an account. */
export function isConstantId(text: string): boolean {
  return constant.test(text) || currencies.has(text.toUpperCase()) || isServiceCode(text);
}

/** Returns the form of an id with its mark; `undefined` for a text that is no id. */
export function formOf(text: string): string | undefined {
  const mark = String(hashOf(text) % 100_000).padStart(5, '0');
  return forms[formIn(text)]?.[1](mark, text);
}

/** Whether two ids are of one form: digits, digits after a site, a hexadecimal number, or another one. */
export function areOfOneForm(a: string, b: string): boolean {
  return formIn(a) >= 0 && formIn(a) === formIn(b);
}

function formIn(text: string): number {
  return forms.findIndex(([pattern]) => pattern.test(text));
}
