import type { Drift } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { documentedResponses } from '../support/documented-responses.ts';
import type { DocumentedResponse } from '../support/documented-responses.ts';
import { stubbed } from '../support/stubs.ts';

type Path = readonly (string | number)[];

function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inside = Array.isArray(value)
    ? value.flatMap((entry, index) => pathsIn(entry, [...path, index]))
    : Object.entries(value).flatMap(([name, field]) => pathsIn(field, [...path, name]));
  return [path, ...inside];
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], value);
}

function everywhere(value: unknown, change: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return change(value.map((entry) => everywhere(entry, change)));
  if (typeof value !== 'object' || value === null) return change(value);
  return change(Object.fromEntries(Object.entries(value).map(([name, field]) => [name, everywhere(field, change)])));
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && /^[a-zA-Z_]+$/.test(value);
}

const dropped = Symbol('dropped');

function changed(value: unknown, [key, ...rest]: Path, to: unknown): unknown {
  if (key === undefined) return to;
  const inner = changed((value as Record<string, unknown>)[key], rest, to);
  if (Array.isArray(value)) return value.map((entry: unknown, index) => (index === key ? inner : entry));
  const { [key]: _, ...others } = value as Record<string, unknown>;
  return inner === dropped ? others : { ...others, [key]: inner };
}

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

interface Told {
  readonly drifts: readonly string[];
  readonly error: unknown;
}

/** Reads bodies with one client, which is what takes long. */
function listener({ call }: DocumentedResponse): (body: unknown) => Promise<Told> {
  let drifts: string[] = [];
  let current: unknown;
  const onDrift = ({ path, expected }: Drift): void => {
    // A page without its list ends before its total, which is another drift.
    if (path[0] !== 'total' || !expected.includes('ended')) drifts.push(expected);
  };
  const { sellerClient } = stubbed([() => Response.json(current)], { maxRetries: 0, onDrift });
  return async (body) => {
    [current, drifts] = [body, []];
    const error = await Promise.resolve(call(sellerClient)).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    return { drifts, error };
  };
}

const every = Object.entries(documentedResponses);
const others = ['word', 7, true, [], {}, [7], { word: 7 }];

function nameOf(path: Path): string {
  return path.map((key) => (typeof key === 'number' ? '*' : key)).join('.');
}

function isRequired({ required }: DocumentedResponse, path: Path): boolean {
  return required.includes(nameOf(path));
}

/** Whether the type of a value is documented. */
function isTyped({ body, open = [] }: DocumentedResponse, path: Path): boolean {
  const name = nameOf(path);
  return valueAt(body, path) !== null && !open.some((each) => name.startsWith(`${each}.`) || name.endsWith('.example'));
}

describe.each(every)('%s', (_, good) => {
  const paths = pathsIn(good.body);
  const hear = listener(good);

  test('as documented is no drift', async () => {
    expect(await hear(good.body)).toEqual({ drifts: [], error: undefined });
  });

  test('a value of another JSON type is reported', async () => {
    const silent: string[] = [];
    for (const path of paths.filter((each) => isTyped(good, each)))
      for (const other of others) {
        if (jsonType(valueAt(good.body, path)) === jsonType(other)) continue;
        const { drifts, error } = await hear(changed(good.body, path, other));
        if (error !== undefined)
          expect(['UnexpectedResponseError', 'OutcomeUnknownError', 'DriverNotFoundError']).toContain(
            (error as Error).name,
          );
        else if (drifts.length === 0) silent.push(`${path.join('.')}=${JSON.stringify(other)}`);
      }
    expect(silent.toSorted()).toEqual((good.known ?? []).toSorted());
  });

  test('a required field that is missing is reported', async () => {
    const missing = paths.filter((path) => isRequired(good, path));
    for (const path of missing) {
      const { drifts, error } = await hear(changed(good.body, path, dropped));
      expect([path, error !== undefined || drifts.length > 0]).toEqual([path, true]);
    }
    if (good.required.length > 0) expect(missing).not.toEqual([]);
  });

  test.each<[string, (value: unknown) => unknown]>([
    [
      'unknown fields',
      (value) => (jsonType(value) === 'object' ? { ...(value as object), more: { deep: [1] } } : value),
    ],
    ['digits for integers', (value) => (Number.isInteger(value) ? String(value) : value)],
    ['upper case', (value) => (isWord(value) ? value.toUpperCase() : value)],
    ['lower case', (value) => (isWord(value) ? value.toLowerCase() : value)],
    ['new values', (value) => (isWord(value) ? 'a_new_value' : value)],
  ])('%s are silent', async (_what, change) => {
    expect(await hear(everywhere(good.body, change))).toEqual({ drifts: [], error: undefined });
  });

  test('null and nothing are silent in place of what is optional', async () => {
    for (const path of paths) {
      if (typeof path.at(-1) !== 'string' || isRequired(good, path)) continue;
      for (const other of [null, dropped]) {
        const told = await hear(changed(good.body, path, other));
        expect({ path, ...told }).toEqual({ path, drifts: [], error: undefined });
      }
    }
  });
});
