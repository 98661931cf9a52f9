import { existsSync } from 'node:fs';
import type { SellerClient } from '../../client.js';
import { ConfigurationError } from '../../core/errors/errors.js';
import { createOAuth } from '../../oauth/oauth.js';
import { createSellers } from '../../oauth/sellers.js';
import type { Sellers } from '../../oauth/sellers.js';
import { sqliteTokens } from '../../oauth/sqlite-tokens.js';
import { connect, connectApplication } from '../connection.js';
import { UsageError } from '../errors.js';
import type { Values } from '../options.js';

/** For whom tools are called, and what is closed in the end. */
interface Everybody {
  readonly target: SellerClient | Sellers;
  readonly baseUrl: string;
  readonly seller: string | readonly number[] | undefined;
  readonly close?: () => Promise<void>;
}

/** Returns the client, or the sellers, that a command line asks for. @throws {UsageError} */
export async function connectAll(values: Values): Promise<Everybody> {
  const path = values.text('sellers');
  if (path === undefined) {
    const { client: target, baseUrl, user: seller } = connect(values);
    return { target, baseUrl, seller };
  }
  const other = ['seller', 'token', 'fake'].find((name) => values.text(name) !== undefined);
  if (other !== undefined) throw new UsageError(`--sellers and --${other} contradict each other`);
  if (!existsSync(path)) throw new UsageError(`--sellers: the file ${path} does not exist`);
  const { client, baseUrl } = connectApplication(values);
  try {
    const tokens = sqliteTokens(path);
    const target = createSellers({ client, tokens, refresh: refreshOf(process.env) });
    const close = async (): Promise<void> => {
      await target.close();
      await tokens.close?.();
    };
    return { target, baseUrl, seller: await target.ids(), close };
  } catch (error) {
    if (error instanceof ConfigurationError) throw new UsageError(error.message);
    throw error;
  }
}

const settings = ['CLIENT_ID', 'CLIENT_SECRET', 'TOKEN_URL'] as const;

/** What renews the tokens; `undefined` if nothing in the environment does. @throws {UsageError} when a part is missing */
function refreshOf(environment: NodeJS.ProcessEnv): ReturnType<typeof createOAuth>['refresh'] | undefined {
  const missing = settings.filter((name) => !environment[name]);
  if (missing.length === settings.length) return undefined;
  if (missing.length > 0) throw new UsageError(`--sellers needs ${missing.join(' and ')} in the environment, too`);
  const { CLIENT_ID: clientId = '', CLIENT_SECRET: clientSecret = '', TOKEN_URL: tokenUrl = '' } = environment;
  // Only an authorisation, which this command never starts, needs the other two addresses.
  return createOAuth({ clientId, clientSecret, tokenUrl, redirectUri: tokenUrl, authorizationUrl: tokenUrl }).refresh;
}
