/** Returns variables of the environment. If some are not set, it ends the program and names all of them. */
export function needed<const Name extends string>(...names: Name[]): Record<Name, string> {
  const missing = names.filter((name) => !process.env[name]);
  if (missing.length > 0) {
    console.error(`Set ${missing.join(', ')} in the environment`);
    process.exit(2);
  }
  return Object.fromEntries(names.map((name) => [name, process.env[name]])) as Record<Name, string>;
}
