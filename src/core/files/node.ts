import type * as Files from 'node:fs/promises';
import type * as Paths from 'node:path';
import type { Issue } from '../errors/errors.js';

/** Creates the error of a path where no file can be saved. */
type Reject = (issue: Issue, prefix: string) => Error;

interface Disk {
  readonly files: typeof Files;
  readonly paths: typeof Paths;
}

interface Target {
  readonly target: string;
  readonly mode?: number;
}

/**
 * Writes a stream to a temporary file in the folder of the path, and moves it to the path when it is complete. A
 * replaced file keeps its mode. If the path is a link, the file that it refers to is replaced.
 *
 * @throws {InvalidInputError} when the path exists and is not a file, its folder does not exist, or the platform has no
 *   files; nothing is read.
 */
export async function saveStream(stream: AsyncIterable<Uint8Array>, path: string, reject: Reject): Promise<string> {
  // Not imported, see `nodeModule`.
  const { process } = globalThis as { process?: Partial<NodeJS.Process> };
  const files = process?.getBuiltinModule?.('node:fs/promises');
  const paths = process?.getBuiltinModule?.('node:path');
  let unfinished: string | undefined;
  try {
    if (!files || !paths)
      throw reject({ path: [], message: 'this platform has no files; use `stream`' }, 'Not saved: ');
    const { target, mode } = await findTarget({ files, paths }, path, reject);
    // The name is short, because the name of the file plus a suffix could exceed the maximum length of a name.
    unfinished = paths.join(paths.dirname(target), `.${crypto.randomUUID().slice(0, 8)}.part`);
    const file = await files.open(unfinished, 'wx');
    try {
      if (mode !== undefined) await file.chmod(mode);
      for await (const chunk of stream) await file.writeFile(chunk);
    } finally {
      await file.close();
    }
    await files.rename(unfinished, target);
    return path;
  } catch (error) {
    await release(stream);
    if (unfinished !== undefined) await files?.rm(unfinished, { force: true });
    throw error;
  }
}

/** Returns the file to replace, with links resolved, and its mode; for a new file, only the path. */
async function findTarget({ files, paths }: Disk, path: string, reject: Reject): Promise<Target> {
  const wrong = (message: string): Error => reject({ path: ['path'], message }, 'Not saved: ');
  if (typeof path !== 'string') throw wrong('`path` takes a string');
  if (path.includes('\0')) throw wrong('`path` contains a NUL character');
  if (path.endsWith('/') || path.endsWith(paths.sep)) throw wrong('`path` is a folder; it takes a file');
  try {
    const stats = await files.stat(path);
    if (!stats.isFile()) {
      const what = stats.isDirectory() ? 'a folder' : 'a device, a pipe or a socket';
      throw wrong(`\`path\` is ${what}; it takes a file`);
    }
    return { target: await files.realpath(path), mode: stats.mode & 0o777 };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENAMETOOLONG') throw wrong('`path` is too long');
    if (!['ENOENT', 'ENOTDIR'].includes(code)) throw error;
    const folder = await files.stat(paths.dirname(path)).catch(() => undefined);
    if (path !== '' && folder?.isDirectory()) return { target: path };
    throw wrong(path === '' ? '`path` is empty' : 'the folder of `path` does not exist');
  }
}

/** Closes the connection of a stream that is not read to its end. */
async function release(stream: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    await stream[Symbol.asyncIterator]().return?.();
  } catch {
    // The stream is being read, or has ended.
  }
}
