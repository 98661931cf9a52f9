// Property tests import fast-check from here, so that a failure can be repeated.
export * as fc from './seeded-fast-check.ts';
