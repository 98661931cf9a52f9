import * as z from 'zod/v4/core';

/** After this many wrong entries, a list is not read further: many issues would block the event loop for seconds. */
const maxWrongEntries = 1000;

/** The number of wrong entries in all lists of one value, by zod's context, which is the same for the whole value. */
const wrongEntries = new WeakMap<object, number>();

/** Creates zod's array schema, which stops after a number of wrong entries. */
export function boundedArray(element: z.$ZodType): z.$ZodType {
  const schema: z.$ZodType = new z.$ZodArray({ type: 'array', element });
  const run = schema._zod.run.bind(schema._zod);
  schema._zod.run = (payload, context) => {
    const value: unknown = payload.value;
    if (!Array.isArray(value)) return run(payload, context);
    const entries: unknown[] = [];
    payload.value = entries;
    for (const [index, entry] of (value as unknown[]).entries()) {
      const read = element._zod.run({ value: entry, issues: [] }, context) as typeof payload;
      entries.push(read.value);
      if (read.issues.length === 0) continue;
      for (const issue of read.issues) payload.issues.push({ ...issue, path: [index, ...(issue.path ?? [])] });
      const found = (wrongEntries.get(context) ?? 0) + 1;
      wrongEntries.set(context, found);
      if (found >= maxWrongEntries) break;
    }
    return payload;
  };
  return schema;
}
