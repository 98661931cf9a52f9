import { assert as assertWith, configureGlobal } from 'fast-check';
import type { IRawProperty, Parameters } from 'fast-check';
import { seed, share } from './seed.ts';

configureGlobal({ seed });

export * from 'fast-check';

/** Tries a share of the cases that a property names, 100 if it names none. */
export const assert: typeof assertWith = <T>(
  property: IRawProperty<T>,
  { numRuns = 100, ...more }: Parameters<T> = {},
) => assertWith(property, { ...more, numRuns: Math.ceil(numRuns * share) }) as Promise<void>;
