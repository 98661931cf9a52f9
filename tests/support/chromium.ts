import { existsSync } from 'node:fs';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** A Chromium of this machine; says loudly where there is none. */
export const chromiumPath = process.env.CHROMIUM_PATH ?? places.find((place) => existsSync(place));
if (chromiumPath === undefined)
  console.warn('NOT RUN: the tests in Chromium, because there is none; install one or set CHROMIUM_PATH');

/** What keeps it to the pages it is given: it looks for nothing on other hosts. */
export const chromiumArguments = [
  // Root, as which containers run, has no sandbox.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
