/** Returns the token of an `Authorization: Bearer` header, whatever the case of the scheme; `undefined` for any other. */
export function bearerToken(headers: Headers): string | undefined {
  return /^bearer +(\S+)$/i.exec(headers.get('authorization')?.trim() ?? '')?.[1];
}
