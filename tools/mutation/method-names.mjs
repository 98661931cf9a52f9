// Stryker cannot put a fault into the name of a method that is written as text (`get '~standard'()`): it would stop.

/** @typedef {{ key: unknown, isStringLiteral(): boolean, parentPath: { isClassMethod(): boolean } | null }} NodePath */

/** A plugin of Stryker that leaves these names out. */
export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'method-names',
    value: {
      /** @param {NodePath} path */
      shouldIgnore: (path) =>
        path.key === 'key' && path.isStringLiteral() && path.parentPath?.isClassMethod() ? 'a name' : undefined,
    },
  },
];
