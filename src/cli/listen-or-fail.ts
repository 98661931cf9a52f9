import { FakeMarketplaceError } from '../testing/errors.js';
import { listen } from '../testing/server.js';
import type { Listening } from '../testing/server.js';
import { CliError } from './errors.js';

/** Serves a function over HTTP. @throws {CliError} when the address cannot be bound */
export async function listenOrFail(
  handle: (request: Request) => Promise<Response>,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<Listening> {
  try {
    return await listen(handle, { port, host });
  } catch (error) {
    if (!(error instanceof FakeMarketplaceError)) throw error;
    const { code } = (error.cause ?? {}) as { code?: string };
    if (code === 'EADDRINUSE') throw new CliError(`port ${port} is in use; --port 0 picks a free one`);
    throw new CliError(`cannot listen on ${host}, port ${port}: ${code ?? error.message}`);
  }
}
