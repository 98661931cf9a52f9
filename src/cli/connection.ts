import { SellerClient } from '../client.js';
import { ConfigurationError } from '../core/errors/errors.js';
import type { ClientOptions } from '../core/options/client-options.js';
import { userOfToken } from '../core/recover/token-source.js';
import { FakeMarketplace } from '../testing/marketplace.js';
import { sample } from '../testing/seed/schema.js';
import { UsageError, type Options, type Values } from './command.js';

/** The options of commands that call the service. */
export const connectionOptions: Options = {
  'base-url': { value: 'URL', text: 'base URL of the service (default: the environment variable SELLER_BASE_URL)' },
  token: { value: 'TOKEN', text: 'access token (default: the environment variable SELLER_TOKEN)' },
  fake: { text: 'use a fake marketplace in this process, with a small sample, instead of the service' },
};

/** Where the calls of a command go. */
export interface Connection {
  readonly client: SellerClient;
  readonly baseUrl: string;
  /** The seller's user id, as far as the token contains it. */
  readonly user: string | undefined;
}

/** Returns the client that a command line asks for. @throws {UsageError} */
export function connect(values: Values): Connection {
  if (values.has('fake')) return connectToFake();
  const baseUrl = baseUrlOf(values, ', or --fake');
  const accessToken = values.text('token') ?? process.env.SELLER_TOKEN;
  if (!accessToken) throw new UsageError('--token, or the environment variable SELLER_TOKEN, must be an access token');
  return { client: clientOf({ baseUrl, accessToken }), baseUrl, user: userOfToken(accessToken) };
}

/** Returns a client without a token, from which those of sellers are derived. @throws {UsageError} */
export function connectApplication(values: Values): Pick<Connection, 'client' | 'baseUrl'> {
  const baseUrl = baseUrlOf(values);
  return { client: clientOf({ baseUrl }), baseUrl };
}

function baseUrlOf(values: Values, otherwise = ''): string {
  const baseUrl = values.text('base-url') ?? process.env.SELLER_BASE_URL;
  if (baseUrl) return baseUrl;
  throw new UsageError(`--base-url, or the environment variable SELLER_BASE_URL, must be given${otherwise}`);
}

function clientOf(options: ClientOptions): SellerClient {
  try {
    return new SellerClient(options);
  } catch (error) {
    if (error instanceof ConfigurationError) throw new UsageError(`--base-url or --token is invalid: ${error.message}`);
    throw error;
  }
}

function connectToFake(): Connection {
  const marketplace = new FakeMarketplace();
  const seed = sample();
  marketplace.seed(seed);
  const user_id = seed.users?.[0]?.user_id ?? 0;
  return { client: marketplace.clientFor({ user_id }), baseUrl: marketplace.baseUrl, user: String(user_id) };
}
