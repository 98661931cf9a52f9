import type { Endpoint } from '../operation/endpoint.js';

/** Returns the user id in an access token; `undefined` if the token contains none. */
export function userOfToken(token: string): string | undefined {
  return /^APP_USR-.{1,200}-(\d{1,20})$/.exec(token)?.[1];
}

/** Returns the user for whom a call is made: that of the token, else the seller in the path; `undefined` if unknown. */
export function userOf(
  { path }: Pick<Endpoint, 'path'>,
  input: unknown,
  token: string | undefined,
): string | undefined {
  const field = ['seller_id', 'user_id'].find((name) => path.includes(`{${name}}`));
  const inPath = field === undefined ? undefined : (input as Readonly<Record<string, unknown>>)[field];
  const user = typeof inPath === 'string' || typeof inPath === 'number' ? String(inPath) : undefined;
  return userOfToken(token ?? '') ?? user;
}
