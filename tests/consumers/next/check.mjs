// Checks a route handler as `next build` does, with the types that Next generates for the route, then delivers to it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import discovery from 'next/dist/build/route-discovery.js';
import routeTypes from 'next/dist/server/lib/router-utils/route-types-utils.js';
import server from 'next/server.js';

await generate();
assert.equal(compiled(), '');

// The generated types find a handler that is wrong.
mkdirSync('app/wrong');
writeFileSync(
  'app/wrong/route.ts',
  'export const POST = (request: Request, { id }: { id: string }) => new Response(id);',
);
await generate();
assert.match(compiled(), /validator\.ts.*\n?.*POST/);
rmSync('app/wrong', { recursive: true });

const { POST } = await import('./out/app/notifications/[shop]/route.js');
const { handled, inbox } = await import('./out/app/inbox.js');
const post = (body) =>
  POST(
    new server.NextRequest('https://app.test/notifications/north', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    }),
    { params: Promise.resolve({ shop: 'north' }) },
  );
const notification = { _id: 'event-5', user_id: 7, topic: 'questions', resource: '/questions/5' };
assert.equal((await post(JSON.stringify(notification))).status, 200);
assert.equal((await post('')).status, 400);
await inbox.idle();
assert.deepEqual(handled, [5]);

/** Does what `next typegen` does, without Next's compiler. */
async function generate() {
  const [dir, types] = [process.cwd(), join(process.cwd(), '.next/types')];
  mkdirSync(types, { recursive: true });
  const options = {
    appDir: join(dir, 'app'),
    pageExtensions: ['ts', 'tsx'],
    isDev: false,
    baseDir: dir,
    isSrcDir: false,
  };
  const routes = await discovery.discoverRoutes(options);
  const validatorFilePath = join(types, 'validator.ts');
  const manifest = await routeTypes.createRouteTypesManifest({ dir, ...routes, validatorFilePath });
  await routeTypes.writeRouteTypesManifest(manifest, join(types, 'routes.d.ts'), { experimental: {} });
  await routeTypes.writeValidatorFile(manifest, validatorFilePath, false);
}

function compiled() {
  return spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '--pretty', 'false'], { encoding: 'utf8' })
    .stdout;
}
