/** Returns the charset of a body by its content type, if it is one that this platform can read and not UTF-8. */
export function charsetOf(contentType: string | null): string | undefined {
  const stated = /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType ?? '')?.[1];
  if (stated === undefined || /^utf-?8$/i.test(stated)) return undefined;
  try {
    return new TextDecoder(stated).encoding;
  } catch {
    return undefined;
  }
}
