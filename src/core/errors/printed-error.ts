/** The most characters of a text that is printed, of one inside a list or an object, and of all together. */
const [mostOfText, mostInside, mostTogether] = [500, 120, 1_800];
/** The most entries of a list that are printed, and the deepest objects. */
const [mostEntries, mostDepth] = [20, 4];

/** What only a program reads. */
const unprinted = new Set(['stack', 'headers', 'delivered', 'done', 'toJSON']);

const customInspect = Symbol.for('nodejs.util.inspect.custom');

/**
 * Makes an error print its beginning only, in `console.log`, JSON and test runners: a body, a list of issues or what the service
 * sends may have any length. All of it stays there to be read.
 */
export const printing: PropertyDescriptorMap = {
  toJSON: { value: toJson },
  [customInspect]: { value: inspected },
};

/**
 * What is enumerable, and what is not as something that is not enumerable: a log does not show it, and Vitest, which prints every
 * own name, does.
 */
function toJson(this: Error): object {
  const shown = {};
  const shorten = shortener();
  for (const [name, { enumerable, value }] of ownOf(this)) {
    if (unprinted.has(name)) continue;
    const text = name === 'body' && typeof value === 'object' ? JSON.stringify(value) : (value as unknown);
    Object.defineProperty(shown, name, { value: shorten(text), enumerable: enumerable === true });
  }
  return shown;
}

type Inspect = (value: unknown, options: object) => string;

function inspected(this: Error, depth: number, options: object, inspect?: Inspect): unknown {
  // Other runtimes pass no function.
  if (!inspect) return this.stack;
  const copy = Object.setPrototypeOf(new Error(this.message), Object.getPrototypeOf(this) as object) as Error;
  const shorten = shortener();
  Object.defineProperties(copy, { ...Object.getOwnPropertyDescriptors(this), [customInspect]: { value: undefined } });
  for (const [name, { enumerable, value }] of ownOf(this))
    if (enumerable === true) Object.defineProperty(copy, name, { value: shorten(value), enumerable });
  return inspect(copy, { ...options, depth });
}

function ownOf(error: Error): [string, PropertyDescriptor][] {
  return Object.entries(Object.getOwnPropertyDescriptors(error));
}

/** Returns a function that returns the beginning of values, which share a number of characters. */
function shortener(): (value: unknown) => unknown {
  let left = mostTogether;
  const cut = (text: string, most: number): string => {
    const kept = Math.max(0, Math.min(most, left));
    left -= Math.min(text.length, kept);
    return text.length <= kept ? text : `${text.slice(0, kept)}… (${text.length} characters)`;
  };
  const shorten = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return cut(value, depth === 0 ? mostOfText : mostInside);
    if (typeof value !== 'object' || value === null || value instanceof Error) return value;
    if (depth > mostDepth) return '…';
    const isList = Array.isArray(value);
    const entries = Object.entries(value);
    const shown: [string, unknown][] = [];
    for (const [name, each] of entries) {
      if (shown.length === mostEntries || left <= 0) break;
      shown.push([isList ? name : cut(name, mostInside), shorten(each, depth + 1)]);
    }
    const more = entries.length - shown.length;
    if (isList) return [...shown.map(([, each]) => each), ...(more > 0 ? [`… and ${more} more`] : [])];
    return { ...Object.fromEntries(shown), ...(more > 0 && { '…': `and ${more} more` }) };
  };
  return (value) => shorten(value, 0);
}
