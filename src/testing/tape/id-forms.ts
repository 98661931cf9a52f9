import { isServiceCode } from './mask-text.js';

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
