import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import type { Accounts, Bearer } from '../state/accounts.js';
import { paramsOf } from './all-endpoints.js';
import { copyBody } from './request-body.js';
import type { RequestBody } from './request-body.js';
import type { Routes } from './routes.js';

/** A call of the marketplace: a request, and what it asks for. */
export interface Call {
  readonly request: Request;
  readonly path: string;
  readonly query: URLSearchParams;
  /** `undefined` if there is none of this method and path. */
  readonly endpoint: DescribedEndpoint | undefined;
  /** The path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The caller; `undefined` without a valid token. */
  readonly bearer: Bearer | undefined;
  /** A copy of the body, for what does not handle the call. */
  readonly copied: RequestBody;
}

/** Wraps the handling of every call. */
export type Interceptor = (call: Call, next: () => Promise<Response>) => Promise<Response>;

/** Reads what a request asks for. The request stays unread. */
export async function readCall(request: Request, accounts: Accounts, routes: Routes): Promise<Call> {
  const { pathname: path, searchParams: query } = new URL(request.url);
  const endpoint = routes.of(request.method, path);
  return {
    request,
    path,
    query,
    endpoint,
    params: (endpoint && paramsOf(endpoint, path)) ?? {},
    bearer: accounts.bearerOf(bearerToken(request.headers) ?? ''),
    copied: await copyBody(request),
  };
}

/** Returns the token of an `Authorization: Bearer` header, in upper or lower case; `undefined` for other headers. */
export function bearerToken(headers: Headers): string | undefined {
  return /^bearer +(\S+)$/i.exec(headers.get('authorization')?.trim() ?? '')?.[1];
}
