import { Reporter } from './handling/reporter.js';
import { routes } from './queued-notification.js';
import type { ResolvedReceiverOptions } from './resolve-options.js';
import { memoryStore } from './stores/memory.js';
import type { Claim, NotificationStore } from './stores/store.js';

/** What every part of a receiver works with. */
export interface Inbox {
  readonly store: NotificationStore;
  readonly options: ResolvedReceiverOptions;
  readonly reporter: Reporter;
  /** This process, as a store knows it. */
  readonly claimant: Pick<Claim, 'workerId' | 'leaseMs'> & { readonly routes: readonly string[] };
}

/** Sets up the inbox of one receiver. */
export function inboxOf(options: ResolvedReceiverOptions): Inbox {
  const { leaseMs, on, fallback, handle } = options;
  const handled = routes.filter((route) => (route === '*' ? fallback : on?.[route]) !== undefined);
  return {
    store: options.store ?? memoryStore(),
    options,
    reporter: new Reporter(options),
    claimant: { workerId: crypto.randomUUID(), leaseMs, routes: handle ? handled : [] },
  };
}
