import { platform } from '#platform';
import { secretNamesWith } from '../errors/secret-names.js';
import type { IsSecretName } from '../errors/secret-names.js';
import { Events } from '../observability/events.js';
import type { ResolvedOptions } from '../options/resolve-options.js';
import type { SharedState } from './shared-state.js';
import { userAgentOf } from './user-agent.js';

/** What all calls of a client share. */
export interface ClientRuntime {
  readonly options: ResolvedOptions;
  readonly shared: SharedState;
  readonly events: Events;
  /** Headers of every request, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The `user-agent`, unless `headers` have one; `undefined` if the platform sends its own. */
  readonly userAgent: string | undefined;
  /** Recognises the headers whose values are secret. */
  readonly isSecretHeader: IsSecretName;
}

/** Creates what all calls of a client share. */
export function createRuntime(options: ResolvedOptions, shared: SharedState): ClientRuntime {
  const { logger, tracing } = options;
  return {
    options,
    shared,
    events: new Events({
      loggers: [logger, platform.debugLogger()],
      tracing,
      openChannel: () => platform.openChannel(),
    }),
    headers: { accept: 'application/json', ...lowerCaseNames(options.headers ?? {}) },
    userAgent: userAgentOf(options.userAgent),
    isSecretHeader: secretNamesWith(options.redactHeaders),
  };
}

/** Converts header names to lower case, so that a user's header replaces the default in any case. */
export function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
