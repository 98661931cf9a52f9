/** The fields of a body by path, with the JSON types of their values. Entries of lists share one path, `[]`. */
type FieldTypes = ReadonlyMap<string, ReadonlySet<string>>;

/** How the fake differs from the service in the fields of one response. */
export interface FieldDifferences {
  /** In the service's response only. */
  readonly missing: readonly string[];
  /** In the fake's response only. */
  readonly extra: readonly string[];
  /** In both, with another JSON type, e.g. `id: number, not string`. */
  readonly retyped: readonly string[];
}

/** Compares the fields of two bodies. `null`, and an empty list, fit every type. */
export function compareFields(expected: unknown, actual: unknown): FieldDifferences {
  const [service, fake] = [fieldsOf(expected), fieldsOf(actual)];
  const isOpen = (fields: FieldTypes, path: string): boolean =>
    parentsOf(path).some((parent) => isUnknown(fields.get(parent)) || isEmptyList(fields, parent));
  return {
    missing: [...service.keys()].filter((path) => !fake.has(path) && !isOpen(fake, path)),
    extra: [...fake.keys()].filter((path) => !service.has(path) && !isOpen(service, path)),
    retyped: [...service].flatMap(([path, types]) => {
      const others = fake.get(path);
      if (!others || isUnknown(types) || isUnknown(others) || [...types].some((type) => others.has(type))) return [];
      return [`${path}: ${[...others].join(' or ')}, not ${[...types].join(' or ')}`];
    }),
  };
}

function fieldsOf(value: unknown, path = '', fields = new Map<string, Set<string>>()): Map<string, Set<string>> {
  const type = value === null || value === undefined ? 'null' : Array.isArray(value) ? 'list' : typeof value;
  fields.set(path, (fields.get(path) ?? new Set()).add(type));
  if (Array.isArray(value)) for (const each of value) fieldsOf(each, `${path}[]`, fields);
  else if (typeof value === 'object' && value !== null)
    for (const [name, field] of Object.entries(value)) fieldsOf(field, path === '' ? name : `${path}.${name}`, fields);
  return fields;
}

/** Whether nothing is known of a field but that it was `null`. */
function isUnknown(types: ReadonlySet<string> | undefined): boolean {
  return types !== undefined && [...types].every((type) => type === 'null');
}

function isEmptyList(fields: FieldTypes, path: string): boolean {
  return fields.get(path)?.has('list') === true && !fields.has(`${path}[]`);
}

/** `a.b[].c` is in `a.b[]`, `a.b`, `a` and the body itself. */
function parentsOf(path: string): string[] {
  const parents = [];
  for (let at = path.length - 1; at > 0; at -= 1) if (/[.[]/.test(path.charAt(at))) parents.push(path.slice(0, at));
  return [...parents, ''];
}
