import type { Issue } from '../schema/issue.js';

/** Creates the error of a path that takes no file. */
type Reject = (issue: Issue, prefix: string) => Error;

/**
 * Writes a stream to a file of its own beside a path and moves it there when it is complete. An existing file keeps its
 * mode, and a link keeps leading to its file.
 *
 * @throws {InvalidInputError} when there is something at the path that is not a file; nothing is read.
 */
export async function saveStream(stream: AsyncIterable<Uint8Array>, path: string, reject: Reject): Promise<string> {
  // Loaded here, because bundlers for browsers and Workers resolve what a file imports even if it is never loaded.
  const [{ open, rename, rm }, paths] = await Promise.all([import('node:fs/promises'), import('node:path')]);
  let unfinished: string | undefined;
  try {
    const { target, mode } = await findTarget(path, reject);
    // A short name: with the file's own in it, it could be longer than a name may be.
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

/** The file that is replaced, links followed, and its mode; of a new file, its path. */
async function findTarget(path: string, reject: Reject): Promise<{ target: string; mode?: number }> {
  const { realpath, stat } = await import('node:fs/promises');
  try {
    const stats = await stat(path);
    if (!stats.isFile()) {
      const what = stats.isDirectory() ? 'a folder' : 'a device, a pipe or a socket';
      throw reject({ path: ['path'], message: `\`path\` is ${what}; it takes a file` }, 'Not saved: ');
    }
    return { target: await realpath(path), mode: stats.mode & 0o777 };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { target: path };
    throw error;
  }
}

/** Closes the connection of a stream that is not read to its end. */
async function release(stream: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    await stream[Symbol.asyncIterator]().return?.();
  } catch {
    // It is being read, or has ended.
  }
}
