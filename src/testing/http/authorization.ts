/** Returns the token of an `Authorization: Bearer` header, in upper or lower case; `undefined` for other headers. */
export function bearerToken(headers: Headers): string | undefined {
  return /^bearer +(\S+)$/i.exec(headers.get('authorization')?.trim() ?? '')?.[1];
}
