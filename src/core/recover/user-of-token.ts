import type { Endpoint } from '../operation/endpoint.js';

/** Returns the user id in an access token; `undefined` if the token contains none. */
export function userOfToken(token: string): string | undefined {
  return /^APP_USR-.{1,200}-(\d{1,20})$/.exec(token)?.[1];
}

/** A client of this or another copy of the package. */
interface ClientOfUser {
  'marketplace-seller-sdk.user'?(): string | undefined;
}

/** Returns the user whose token a client has; `undefined` if it is not known, or the object is no client of this package. */
export function userOfClient(client: object): string | undefined {
  return (client as ClientOfUser)['marketplace-seller-sdk.user']?.();
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
