import type { TokenSet } from './token-set.js';

/** Options of `createOAuth`. Each value comes from the registration of your application. */
export interface OAuthOptions {
  /** The id of your application. */
  readonly clientId: string;
  /** The secret of your application. */
  readonly clientSecret: string;
  /** The address to which the seller's browser returns, exactly as it is registered. */
  readonly redirectUri: string;
  /** The page where a seller logs in and authorises your application. Its query is kept. */
  readonly authorizationUrl: string;
  /** The address that exchanges codes and refresh tokens. `http:` is only accepted for this machine. */
  readonly tokenUrl: string;
  /**
   * Sends the requests to `tokenUrl`.
   *
   * @default the platform's `fetch`
   */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** A new authorisation: where to send the seller, and what to keep until the seller returns. */
export interface AuthorizationRequest {
  /** Redirect the seller's browser to this address. */
  readonly url: string;
  /** Identifies this authorisation. Keep it in the session of the browser. */
  readonly state: string;
  /** The secret of this authorisation (PKCE). Keep it in the session, never in the browser. */
  readonly verifier: string;
}

/** What is known when the seller's browser returns. */
export interface AuthorizationCallback {
  /** The address that the browser requested, with its query. It may be relative, e.g. `request.url` of Node.js. */
  readonly url: string | URL;
  /** The `state` that `start()` returned. */
  readonly state: string;
  /** The `verifier` that `start()` returned. */
  readonly verifier: string;
}

/** The tokens of a seller. Store all fields. */
export interface OAuthTokens extends TokenSet {
  /** The seller who authorised your application. */
  readonly user_id: number;
}
