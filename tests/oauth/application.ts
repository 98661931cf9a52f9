import { SellerClient, refreshingToken } from 'marketplace-seller-sdk';
import type { RefreshingTokenOptions } from 'marketplace-seller-sdk';
import { createOAuth } from 'marketplace-seller-sdk/oauth';
import type { AuthorizationCallback, OAuth, OAuthTokens } from 'marketplace-seller-sdk/oauth';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { receiving } from '../support/stubs.ts';

export const clientSecret = 'the-secret-of-application-500';
const tokenPath = '/oauth/token';

/** What happens to a request to the token endpoint: a response, or an error, instead of the marketplace's response. */
export type TokenFault = (request: Request, next: () => Promise<Response>) => Response | Promise<Response>;

/** An application of one seller, whose token endpoint has the given faults, one for each request. */
export interface TestApplication {
  readonly marketplace: FakeMarketplace;
  readonly oauth: OAuth;
  readonly user_id: number;
  readonly store: { tokens: OAuthTokens };
  /** The forms that the token endpoint received, also those of faults. */
  readonly forms: URLSearchParams[];
  /** Adds faults of the next requests to the token endpoint. */
  readonly fail: (...faults: readonly TokenFault[]) => void;
  /** Lets the seller agree. @returns the input of `exchange` */
  readonly authorize: () => Promise<AuthorizationCallback>;
  /** Creates a process of the application: a client with a provider of its own. */
  readonly start: (options?: Partial<RefreshingTokenOptions<OAuthTokens>>) => SellerClient;
}

export async function createApplication(): Promise<TestApplication> {
  const marketplace = new FakeMarketplace();
  const { user_id } = marketplace.addUser({ user_id: 7 });
  const faults: TokenFault[] = [];
  const forms: URLSearchParams[] = [];
  const oauth = createOAuth({
    clientId: '500',
    clientSecret,
    redirectUri: 'https://bot.example.com/callback',
    authorizationUrl: 'https://auth.example.com/authorization?lang=es',
    tokenUrl: `${marketplace.baseUrl}${tokenPath}`,
    fetch: receiving(async (request) => {
      forms.push(new URLSearchParams(await request.clone().text()));
      const next = (): Promise<Response> => marketplace.fetch(request);
      // It responds later than the marketplace does to calls that were sent before.
      await marketplace.fetch(new Request(marketplace.baseUrl));
      return (faults.shift() ?? ((_, go) => go()))(request, next);
    }),
  });
  const authorize = async (): Promise<AuthorizationCallback> => {
    const { url, state, verifier } = await oauth.start();
    return { url: marketplace.authorize({ user_id }, url), state, verifier };
  };
  const store = { tokens: await oauth.exchange(await authorize()) };
  forms.length = 0;
  return {
    marketplace,
    oauth,
    user_id,
    store,
    forms,
    fail: (...added) => void faults.push(...added),
    authorize,
    start: (options = {}) =>
      new SellerClient({
        baseUrl: marketplace.baseUrl,
        fetch: marketplace.fetch,
        accessToken: refreshingToken<OAuthTokens>({
          load: () => store.tokens,
          save: (tokens) => void (store.tokens = tokens),
          refresh: oauth.refresh,
          ...options,
        }),
      }),
  };
}

/** An error response of the token endpoint. */
export function errorResponse(status: number, error: string, headers: Record<string, string> = {}): TokenFault {
  return () => Response.json({ error, error_description: `because of ${error}` }, { status, headers });
}

/** An error of the network: before a connection, or after the request was sent. */
export function breaks(code: string, syscall: 'connect' | 'read'): TokenFault {
  return () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error(`${syscall} ${code}`), { code, syscall }) });
  };
}

/** The server uses the grant up, and its response is lost. */
export const losesResponse: TokenFault = async (_, next) => {
  await next();
  throw new TypeError('fetch failed', {
    cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' }),
  });
};
