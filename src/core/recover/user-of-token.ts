/** Returns the user id in an access token; `undefined` if the token contains none. */
export function userOfToken(token: string): string | undefined {
  return /^APP_USR-.{1,200}-(\d{1,20})$/.exec(token)?.[1];
}
