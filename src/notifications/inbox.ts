import { routesOf } from './handling/handler.js';
import { Reporter } from './handling/reporter.js';
import type { ResolvedReceiverOptions } from './resolve-options.js';
import { memoryStore } from './stores/memory.js';
import type { Ledger } from '../work/ledger.js';
import type { NotificationStore, StoredNotifications } from './stores/store.js';

/**
 * How far `close()` has come. `closing`: nothing more is accepted or claimed. `aborting`: the signals of the handlers are
 * aborted, and what fails is given back. `closed`: the store is being closed, so nothing can be stored any more.
 */
export type Stage = 'open' | 'closing' | 'aborting' | 'closed';

/** What every part of a receiver works with. */
export interface Inbox {
  readonly store: NotificationStore;
  /** What is stored: in the store, or in the queue. */
  readonly stored: StoredNotifications;
  readonly options: ResolvedReceiverOptions;
  readonly reporter: Reporter;
  /** What receivers keep beside the entries; of the store or the queue. */
  readonly ledger: Ledger | undefined;
  /** The routes that this process has handlers for. */
  readonly routes: readonly string[];
  stage: Stage;
}

/** Sets up the inbox of one receiver. */
export function inboxOf(options: ResolvedReceiverOptions): Inbox {
  const store = options.store ?? memoryStore();
  return {
    store,
    stored: options.queue?.inbox ?? store,
    ledger: options.queue ? options.queue.ledger : store.ledger,
    options,
    reporter: new Reporter(options),
    routes: options.handle ? routesOf(options) : [],
    stage: 'open',
  };
}
