import { kindsOf } from './handling/handler.js';
import { Reporter } from './handling/reporter.js';
import type { Store } from '../work/store.js';
import type { Engine } from '../work/works.js';
import type { InboxKind } from './entry.js';
import type { ResolvedInboxOptions } from './resolve-options.js';

/** What every part of an inbox works with. */
export interface InboxContext {
  readonly store: Store | Engine;
  readonly options: ResolvedInboxOptions;
  readonly reporter: Reporter;
  /** What this process has handlers for. */
  readonly kinds: readonly InboxKind[];
  /** Whether `close()` was not called. */
  isOpen: boolean;
}

export function inboxContext(
  options: ResolvedInboxOptions,
  store: Store | Engine,
  reporter = new Reporter(options),
): InboxContext {
  const kinds = options.handle ? kindsOf(options) : [];
  return { store, options, reporter, kinds, isOpen: true };
}
