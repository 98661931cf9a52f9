// Puts where the repository is into the packed package.json: `npm pack` runs it before (`set`) and after (`restore`), so that
// the tarball of the release workflow and one that is packed by hand say the same.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What the manifest of a published package says about its repository. The registry compares it with who publishes. */
export interface RepositoryFields {
  readonly repository: { readonly type: 'git'; readonly url: string };
  readonly homepage: string;
  readonly bugs: { readonly url: string };
}

/**
 * Returns them by the first that is known: `repository` of package.json, the repository whose workflow runs, the remote `origin`.
 * `undefined` where there is none, or only a folder.
 */
export function repositoryFields(root: string, env: NodeJS.ProcessEnv = process.env): RepositoryFields | undefined {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = env;
  const known = [manifestUrl(root), server && name ? `${server}/${name}` : undefined, originOf(root)];
  const page = known.map(pageOf).find((each) => each !== undefined);
  if (page === undefined) return undefined;
  return {
    repository: { type: 'git', url: `git+${page}.git` },
    homepage: `${page}#readme`,
    bugs: { url: `${page}/issues` },
  };
}

/** The page of a repository: `git@host:shop/sdk.git` is `https://host/shop/sdk`. */
function pageOf(url: string | undefined): string | undefined {
  const plain = url?.trim().replace(/^git\+|(?:\.git)?\/?$/g, '') ?? '';
  const [, host, path] = /^(?:ssh:\/\/)?(?:[\w-]+@)([\w.-]+)(?::\d+)?[:/](.+)$/.exec(plain) ?? [];
  if (host !== undefined) return `https://${host}/${path}`;
  return /^https?:\/\/[^/]+\/./.test(plain) ? plain.replace(/\/\/[^/@]*@/, '//') : undefined;
}

function manifestUrl(root: string): string | undefined {
  const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    repository?: string | { url: string };
  };
  return typeof repository === 'object' ? repository.url : repository;
}

function originOf(root: string): string | undefined {
  try {
    return execFileSync('git', ['remote', 'get-url', 'origin'], { cwd: root, encoding: 'utf8', stdio: 'pipe' });
  } catch {
    return undefined;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = dirname(import.meta.dirname);
  const [manifest, kept] = [join(root, 'package.json'), join(root, '.cache/package.json')];
  if (process.argv[2] === 'restore') {
    if (existsSync(kept)) renameSync(kept, manifest);
  } else {
    const fields = repositoryFields(root);
    if (fields === undefined)
      console.error('The tarball does not say where its repository is: git remote add origin URL');
    else {
      const text = readFileSync(manifest, 'utf8');
      mkdirSync(dirname(kept), { recursive: true });
      writeFileSync(kept, text);
      writeFileSync(manifest, `${JSON.stringify({ ...(JSON.parse(text) as object), ...fields }, undefined, 2)}\n`);
    }
  }
}
