import type { Endpoint } from '../operation/endpoint.js';

/** Returns the user id in an access token; `undefined` if the token contains none. */
export function userOfToken(token: string): string | undefined {
  return /^APP_USR-.{1,200}-(\d{1,20})$/.exec(token)?.[1];
}

/** Returns the user for whom a write is sent: that of the token, else the seller in the path; `undefined` if unknown. */
export function userOfWrite(
  { path }: Pick<Endpoint, 'path'>,
  input: unknown,
  token: string | undefined,
): string | undefined {
  const field = ['seller_id', 'user_id'].find((name) => path.includes(`{${name}}`));
  const inPath = field === undefined ? undefined : (input as Readonly<Record<string, string | number>>)[field];
  return userOfToken(token ?? '') ?? inPath?.toString();
}
