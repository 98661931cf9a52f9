import { ConfigurationError } from '../core/errors/errors.js';
import { storeRule } from './store-rule.js';
import { leaveStore, useStore } from './store-users.js';
import type { Shelf } from './works.js';

/** Begins to look at a store for `opener`, which changes nothing in its layout. Returns what ends that. @throws {ConfigurationError} when it is none */
export function lookAt(store: Shelf, opener: string): () => Promise<void> {
  const problem = storeRule(store);
  if (problem !== undefined) throw new ConfigurationError(`${opener} ${problem}`);
  useStore(store);
  store.onlyOpen?.();
  let closed: Promise<void> | undefined;
  return () => (closed ??= leaveStore(store));
}
