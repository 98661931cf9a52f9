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
  readonly fetch?: ((request: Request, init?: RequestInit) => Promise<Response>) | undefined;
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

/** What is known when the seller's browser returns. The `state` is always compared. */
export interface AuthorizationCallback {
  /** The address that the browser requested, with its query. It may be relative, e.g. `request.url` of Node.js. */
  readonly url: string | URL;
  /** The `state` that `start()` returned. */
  readonly state: string;
  /** The `verifier` that `start()` returned; without it, if the address was not that of `start()`. */
  readonly verifier?: string | undefined;
  readonly code?: undefined;
}

/**
 * A code that somebody has copied from the address of the browser, e.g. to try an application on a machine that no browser can return
 * to. Nothing shows whose code it is, so do not take one from a request.
 */
export interface PastedCode {
  /** The code alone, without its address. */
  readonly code: string;
  /** The `verifier` that `start()` returned; without it, if the address was not that of `start()`. */
  readonly verifier?: string | undefined;
  readonly url?: undefined;
  readonly state?: undefined;
}

/** The tokens of a seller. Store all fields. */
export interface OAuthTokens extends TokenSet {
  /** The seller who authorised your application. */
  readonly user_id: number;
}
