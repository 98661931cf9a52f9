import type { Endpoint } from '../endpoint.js';
import type { Logger } from '../options/client-options.js';
import type { ResolvedOptions } from '../options/resolve-options.js';

/** One call, as its events name it: the same object in all of them. It holds no token, no body and no query. */
export interface CallInfo {
  readonly endpoint: Endpoint;
  readonly baseUrl: string;
}

/** Why a call waits: for the rate limit of the service, or before it is repeated after a fault. */
export type WaitReason = 'rate limit' | 'fault';

/** What happens in the life of a call. */
export type CallEvent =
  | { readonly type: 'start'; readonly call: CallInfo }
  | { readonly type: 'attempt'; readonly call: CallInfo; readonly attempt: number }
  | {
      readonly type: 'response';
      readonly call: CallInfo;
      readonly attempt: number;
      readonly status: number;
      readonly requestId: string | undefined;
      readonly durationMs: number;
    }
  /** The attempt got no answer; what that means for the call, its end tells. */
  | { readonly type: 'error'; readonly call: CallInfo; readonly attempt: number }
  | {
      readonly type: 'delay';
      readonly call: CallInfo;
      /** The attempt that is waited for. */
      readonly attempt: number;
      readonly waitMs: number;
      readonly reason: WaitReason;
    }
  | {
      readonly type: 'end';
      readonly call: CallInfo;
      readonly attempts: number;
      readonly durationMs: number;
      /** What the call rejects with; absent where it succeeds. */
      readonly error?: unknown;
      readonly status?: number | undefined;
    };

/** Where events go. */
export type Emit = (event: CallEvent) => void;

/** The channel of `node:diagnostics_channel` that carries every `CallEvent`. */
const channelName = 'marketplace-seller-sdk:call';

/** The sinks of a client's events. */
export class Events {
  readonly #sinks: readonly Emit[];
  #channel: Channel | undefined;

  constructor({ logger, tracing, onWait }: Pick<ResolvedOptions, 'logger' | 'tracing' | 'onWait'>) {
    const waits: Emit | undefined = onWait && waitTeller(onWait);
    this.#sinks = [logger && logTo(logger), tracing?.observe.bind(tracing), waits].filter((sink) => sink !== undefined);
  }

  /** Where the events of a call go; `undefined` when nobody looks. */
  get sink(): Emit | undefined {
    const channel = (this.#channel ??= channelOf());
    if (!channel.hasSubscribers) return this.#sinks.length === 0 ? undefined : this.#toSinks;
    return (event) => {
      this.#toSinks(event);
      channel.publish(event);
    };
  }

  readonly #toSinks: Emit = (event) => {
    for (const sink of this.#sinks) {
      try {
        sink(event);
      } catch {
        // Whoever looks on must not be able to end a call: a write that was done would be told as failed.
      }
    }
  };
}

interface Channel {
  readonly hasSubscribers: boolean;
  publish(event: CallEvent): void;
}

const silent: Channel = { hasSubscribers: false, publish: () => undefined };

/** Node's, Bun's and Deno's channel; browsers and workers have none. Nothing is imported, so bundlers see nothing. */
function channelOf(): Channel {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  const module = process?.getBuiltinModule?.('node:diagnostics_channel') as
    { channel(name: string): Channel } | undefined;
  return module?.channel(channelName) ?? silent;
}

function waitTeller(onWait: NonNullable<ResolvedOptions['onWait']>): Emit {
  return (event) => {
    if (event.type !== 'delay') return;
    const { call, attempt, waitMs, reason } = event;
    onWait({ endpoint: call.endpoint, attempt, waitMs, reason });
  };
}

function logTo(logger: Logger): Emit {
  return (event) => {
    const { endpoint } = event.call;
    const what = `${endpoint.method} ${endpoint.path}`;
    switch (event.type) {
      case 'response': {
        const { attempt, status, requestId, durationMs } = event;
        const fields = { endpoint: endpoint.name, attempt, status, requestId, durationMs };
        logger.debug(`${what} responded ${status} after ${Math.round(durationMs)} ms`, fields);
        break;
      }
      case 'delay': {
        const { attempt, waitMs, reason } = event;
        const why = reason === 'fault' ? 'after a fault' : 'for the rate limit';
        const fields = { endpoint: endpoint.name, attempt, waitMs, reason };
        logger.info(`${what} waits ${Math.round(waitMs)} ms ${why}, before attempt ${attempt}`, fields);
        break;
      }
      case 'end':
        if (event.error instanceof Error) {
          const { name, message } = event.error;
          logger.warn(message, { endpoint: endpoint.name, error: name, attempts: event.attempts });
        }
        break;
      default:
    }
  };
}
