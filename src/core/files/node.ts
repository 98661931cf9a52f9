/** Writes a stream beside a path and moves it there when it is complete. */
export async function saveStream(stream: AsyncIterable<Uint8Array>, path: string): Promise<string> {
  // Loaded here, because bundlers for browsers and Workers resolve what a file imports even if it is never loaded.
  const [{ open, rename, rm }, paths] = await Promise.all([import('node:fs/promises'), import('node:path')]);
  const { dir, base } = paths.parse(path);
  const unfinished = paths.join(dir, `.${base}.${crypto.randomUUID()}.part`);
  try {
    const file = await open(unfinished, 'wx').catch(async (error: unknown) => {
      await release(stream);
      throw error;
    });
    try {
      for await (const chunk of stream) await file.writeFile(chunk);
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
    return path;
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** The stream is not read: closes its connection. */
async function release(stream: AsyncIterable<Uint8Array>): Promise<void> {
  await stream[Symbol.asyncIterator]().return?.();
}
