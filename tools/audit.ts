// Audits what users get: the dependencies, and the packages whose code is in dist, which npm takes for tools of development.
// Reads the bill of materials, so it runs after a build: `npm run audit:package`. Options are passed to `npm audit`.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { npm, withProjectOfUsers } from './sbom.ts';

const root = dirname(import.meta.dirname);
const { components } = JSON.parse(readFileSync(join(root, 'dist/sbom.cdx.json'), 'utf8')) as {
  components: { name: string; properties: object[] }[];
};
const bundled = components.filter(({ properties }) => properties.length > 0).map(({ name }) => name);
console.log(`Auditing the dependencies, and what is bundled: ${bundled.join(', ')}`);
process.exitCode = withProjectOfUsers(
  root,
  bundled,
  (folder) => npm(folder, ['audit', '--package-lock-only', ...process.argv.slice(2)], 'inherit').status,
);
