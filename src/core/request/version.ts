/** The version of this package, as in package.json. `npm run docs:update` writes this file. */
export const version = '1.0.0-rc.1';
