/**
 * Bytes in a buffer of their own, which `fetch` and `Blob` take: `Uint8Array<ArrayBuffer>` to TypeScript 5.7 and later,
 * `Uint8Array` to those before, where it takes no argument.
 */
export type Bytes = ReturnType<Uint8Array['slice']>;
