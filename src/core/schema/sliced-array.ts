import * as z from 'zod/v4/core';

const sliceLength = 1000;
/** After this many wrong entries in one value, its lists are not read further: millions of issues would take 3 GB. */
const maxWrongEntries = 1000;

/** Zod's context of one parse, which every schema of a value receives. */
type Context = z.ParseContextInternal & { wrongEntries?: number };

const ListOfZod: z.$constructor<z.$ZodArray> = z.$ZodArray;

/** A list whose entries zod parses in slices, until too many were wrong in the whole value. */
export const SlicedArray: z.$constructor<z.$ZodArray> = /* @__PURE__ */ z.$constructor('SlicedArray', (inst, def) => {
  ListOfZod.init(inst, def);
  const parse = inst._zod.parse.bind(inst._zod);
  inst._zod.parse = (payload, context: Context) => {
    const list: unknown = payload.value;
    if (!Array.isArray(list) || context.async) return parse(payload, context);
    const read: unknown[] = [];
    let from = 0;
    for (; from < list.length && !isFull(context); from += sliceLength) {
      const slice = { ...payload, value: list.slice(from, from + sliceLength), issues: [] };
      const { value, issues } = parse(slice, context) as z.ParsePayload<unknown[]>;
      for (const entry of value) read.push(entry);
      for (const issue of issues) payload.issues.push({ ...issue, path: shifted(issue.path, from) });
      if (issues.length > 0)
        context.wrongEntries = (context.wrongEntries ?? 0) + new Set(issues.map(({ path }) => path?.[0])).size;
    }
    payload.value = read;
    if (from < list.length && payload.issues.length === 0)
      payload.issues.push({ code: 'custom', input: list, message: 'was not read: too many entries are wrong', inst });
    return payload;
  };
});

function isFull({ wrongEntries = 0 }: Context): boolean {
  return wrongEntries >= maxWrongEntries;
}

/** The path of an issue in the list; an issue of the slice itself has none. */
function shifted([index, ...rest]: PropertyKey[] = [], from: number): PropertyKey[] {
  return typeof index === 'number' ? [index + from, ...rest] : [];
}
