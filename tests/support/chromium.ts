import { findProgram } from '../../tools/find-program.mjs';

/** The Chromium of this machine; tests that need one are skipped when there is none. */
export const chromiumPath = findProgram('chromium');

/** Keeps Chromium to the pages it is given: it connects to no other host. */
export const chromiumArguments = [
  // Root, as in a container, has no sandbox.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
