import { defineConfig, globalIgnores } from 'eslint/config';
import * as regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

export default defineConfig(
  // A consumer's code is written as its users write it; like the site's theme, it takes packages that are installed only
  // where it runs.
  globalIgnores([
    'dist/',
    '.site/',
    'coverage/',
    'node_modules/',
    'docs/.vitepress/theme/',
    'docs/.vitepress/.temp/',
    'tests/consumers/*/',
    'tools/mutation/.sandbox/',
  ]),
  {
    files: ['**/*.{ts,js,mjs}'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: 'error',
      // A type import vanishes from the build, so it can never load a file that was meant to stay lazy.
      '@typescript-eslint/consistent-type-imports': 'error',
      // A default export gets another name in every file that imports it.
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true, named: true, defaultFrom: true } }],
      // `${count} questions` is how messages are written; a number or boolean prints as one expects.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // Interfaces of fixed members and records of free keys are both in use; which is which is said by the type.
      '@typescript-eslint/consistent-indexed-object-style': 'off',
      // `type` for unions and functions, `interface` for objects is the habit, but zod's outputs need either.
      '@typescript-eslint/consistent-type-definitions': 'off',
      // `interface Question extends Output<typeof question> {}` gives the editor a name to show.
      '@typescript-eslint/no-empty-object-type': ['error', { allowInterfaces: 'with-single-extends' }],
      // The fake marketplace throws error responses as values: they carry no stack.
      '@typescript-eslint/only-throw-error': ['error', { allow: [{ from: 'file', name: 'ErrorResponse' }] }],
      // `() => void fetch()` and `return reject(error)` are how callbacks are ended early.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // There are no enums, and few classes; these two rules took a sixth of the time and found nothing.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // An unused parameter before a used one cannot be left out: the underscore says it is on purpose.
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      // A wrong `case` list is a forgotten answer of the service; a `default` says that the rest is meant.
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      'no-restricted-imports': [
        'error',
        {
          paths: [
            { name: 'zod', message: "Import 'zod/mini': 'zod' puts 92 KB instead of 4 into the caller's application." },
            { name: 'zod/v4', message: "Import 'zod/mini'." },
          ],
        },
      ],
    },
  },
  {
    files: ['src/**/*.{ts,js}'],
    plugins: { regexp },
    rules: {
      // Many patterns read texts that somebody else wrote, of any length: none may take more than linear time.
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
  {
    // Messages that the fake has accepted have 350 characters at most.
    files: ['src/testing/{handlers,state}/moderation.ts'],
    rules: { 'regexp/no-super-linear-move': 'off' },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      // A file has one owner and one subject; past this it has two.
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      // What a library prints cannot be switched off by its caller: it has a logger for that.
      'no-console': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      'no-restricted-imports': [
        'error',
        {
          paths: [
            { name: 'zod', message: "Import 'zod/mini': 'zod' puts 92 KB instead of 4 into the caller's application." },
            { name: 'zod/v4', message: "Import 'zod/mini'." },
          ],
          patterns: [
            // tsc leaves the ending as it is in the declarations, where '.ts' resolves to nothing.
            { regex: '^\\..*\\.ts$', message: "End a relative import in '.js'." },
            { regex: '^marketplace-seller-sdk', message: 'Import the file itself: this package is not its own user.' },
          ],
        },
      ],
    },
  },
  {
    files: ['tests/**/*.ts', 'examples/**/*.ts', 'bench/**/*.ts'],
    rules: {
      // `found[0]!` in a test fails loudly by itself.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Stand-ins for callbacks and for tokens that never come are empty on purpose.
      '@typescript-eslint/no-empty-function': 'off',
      // A fake has the async signature of what it stands for, whether or not it waits.
      '@typescript-eslint/require-await': 'off',
      // `expect(spy.method)` reads a method without calling it.
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['tests/types/*.ts'],
    rules: {
      // `// @ts-expect-error` over `some.field;` says that there is no such field; nothing of it runs.
      '@typescript-eslint/no-unused-expressions': 'off',
    },
  },
  {
    files: ['bench/**/*.mjs'],
    rules: {
      // The peers are installed on demand, so their types are unknown where the lint runs.
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['**/*.mjs'],
    rules: {
      // In plain JavaScript a JSDoc type is all that can be said of parsed JSON, and these rules do not read it.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
    },
  },
  {
    files: ['src/testing/dashboard/browser/*.js'],
    rules: {
      // In plain JavaScript a JSDoc type is all that can be said of parsed JSON, and these rules do not read it.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: [
      '*.config.{js,ts}',
      'tools/closing-line-reporter.ts',
      'src/testing/dashboard/raw.d.ts',
      'docs/.vitepress/config.ts',
      'docs/examples/*.paths.ts',
    ],
    // The tools that read these files ask for a default export.
    rules: { 'no-restricted-exports': 'off' },
  },
);
