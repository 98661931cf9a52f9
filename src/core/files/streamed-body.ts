import type { Writable } from 'node:stream';

/** A multipart body. It is sent once, in one of these ways. */
export interface StreamedBody {
  /** Writes the body into a request of `node:http`; absent if the platform has no streams of Node.js. */
  readonly pipeTo?: (request: Writable) => void;
  /** Returns the body for `fetch`. */
  readonly forFetch: () => BodyInit;
}
