import type { Path } from '../errors/issue.js';
import type { Difference } from '../schema/read.js';
import type { BufferedResponse } from './body.js';

/** Stands where a character could not be read: a service, a proxy or this client has read a text in another charset. */
const replacement = '\uFFFD';
/** Texts that are nested deeper are not searched. */
const deepest = 200;

/** Finds the texts of a response that have lost characters on their way. */
export function damagedTexts({ text, body }: BufferedResponse): readonly Difference[] {
  const mayHaveOne = text.includes(replacement) || /\\ufffd/i.test(text);
  return mayHaveOne ? [...damagedIn(body.value, [])] : [];
}

function* damagedIn(value: unknown, path: Path): Generator<Difference> {
  if (typeof value === 'string') {
    const name = path.length === 0 ? 'the body' : `\`${path.join('.')}\``;
    if (value.includes(replacement))
      yield { path, message: `${name} has replacement characters: a part of it is lost`, received: 'string' };
  } else if (typeof value === 'object' && value !== null && path.length < deepest) {
    for (const [name, each] of Object.entries(value))
      yield* damagedIn(each, [...path, Array.isArray(value) ? Number(name) : name]);
  }
}
