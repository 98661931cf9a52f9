/** The version of this package, as in package.json. `npm run docs:update` writes this file. */
export const version = '0.2.0';
