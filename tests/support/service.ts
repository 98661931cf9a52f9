import { SellerClient } from 'marketplace-seller-sdk';
import type { ClientOptions } from 'marketplace-seller-sdk';
import { receiving } from './stubs.ts';

/** A client of a service that responds by path, or fails with what it throws; `paths` is what was asked, with queries. */
export function service(
  respond: (path: string, request: Request) => unknown,
  options: Partial<ClientOptions> = {},
): { client: SellerClient; paths: string[] } {
  const paths: string[] = [];
  const fetch = receiving(async (request) => {
    const { pathname, search } = new URL(request.url);
    paths.push(pathname + search);
    const body = await respond(pathname, request);
    return body instanceof Response ? body : Response.json(body);
  });
  const accessToken = 'APP_USR-1-7';
  return { client: new SellerClient({ baseUrl: 'https://api.test', accessToken, fetch, ...options }), paths };
}
