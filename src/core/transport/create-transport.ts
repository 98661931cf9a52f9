import { platform } from '#platform';
import type { ResolvedOptions } from '../options/resolve-options.js';
import type { Transport } from './transport.js';

/**
 * Creates the transport of a client.
 *
 * @throws {ConfigurationError} when `agent` is given and has no effect.
 */
export function createTransport(options: ResolvedOptions): Transport {
  const send = platform.chooseTransport(options);
  const wrapAttempt = options.tracing?.wrapAttempt?.bind(options.tracing);
  return wrapAttempt ? (outgoing) => wrapAttempt(outgoing, () => send(outgoing)) : send;
}
