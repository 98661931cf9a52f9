import type { Issue } from '../schema/issue.js';

/** Creates the error of a path where no file can be saved. */
type Reject = (issue: Issue, prefix: string) => Error;

/**
 * Writes a stream to a temporary file in the folder of the path, and moves it to the path when it is complete. A
 * replaced file keeps its mode. If the path is a link, the file that it refers to is replaced.
 *
 * @throws {InvalidInputError} when the path exists and is not a file, or its folder does not exist; nothing is read.
 */
export async function saveStream(stream: AsyncIterable<Uint8Array>, path: string, reject: Reject): Promise<string> {
  // Imported here, because bundlers for browsers and Workers resolve static imports even if they are never executed.
  const [{ open, rename, rm }, paths] = await Promise.all([import('node:fs/promises'), import('node:path')]);
  let unfinished: string | undefined;
  try {
    const { target, mode } = await findTarget(path, reject);
    // The name is short, because the name of the file plus a suffix could exceed the maximum length of a name.
    unfinished = paths.join(paths.dirname(target), `.${crypto.randomUUID().slice(0, 8)}.part`);
    const file = await open(unfinished, 'wx');
    try {
      if (mode !== undefined) await file.chmod(mode);
      for await (const chunk of stream) await file.writeFile(chunk);
    } finally {
      await file.close();
    }
    await rename(unfinished, target);
    return path;
  } catch (error) {
    await release(stream);
    if (unfinished !== undefined) await rm(unfinished, { force: true });
    throw error;
  }
}

/** Returns the file to replace, with links resolved, and its mode; for a new file, only the path. */
async function findTarget(path: string, reject: Reject): Promise<{ target: string; mode?: number }> {
  const [{ realpath, stat }, paths] = await Promise.all([import('node:fs/promises'), import('node:path')]);
  try {
    const stats = await stat(path);
    if (!stats.isFile()) {
      const what = stats.isDirectory() ? 'a folder' : 'a device, a pipe or a socket';
      throw reject({ path: ['path'], message: `\`path\` is ${what}; it takes a file` }, 'Not saved: ');
    }
    return { target: await realpath(path), mode: stats.mode & 0o777 };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const folder = await stat(paths.dirname(path)).catch(() => undefined);
    if (path !== '' && folder?.isDirectory()) return { target: path };
    const message = path === '' ? '`path` is empty' : 'the folder of `path` does not exist';
    throw reject({ path: ['path'], message }, 'Not saved: ');
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
