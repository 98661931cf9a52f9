/**
 * Bytes that are not in shared memory, so `fetch` and `Blob` accept them: `Uint8Array<ArrayBuffer>` in TypeScript 5.7
 * and later, `Uint8Array` in earlier versions, where it is not generic.
 */
export type Bytes = ReturnType<Uint8Array['slice']>;
