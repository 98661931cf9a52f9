import { createHash } from 'node:crypto';
import type { UUID } from 'node:crypto';

/** `crypto.getRandomValues`, from the random numbers of the process. */
export function randomFill<T extends ArrayBufferView>(view: T): T {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = Math.floor(Math.random() * 256);
  return view;
}

/** `crypto.randomUUID`. */
export function randomUuid(): UUID {
  const digits = randomBytes(16).toString('hex');
  const variant = (8 + (Number.parseInt(digits.charAt(16), 16) & 3)).toString(16);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20)}`;
}

type Done<T> = (error: null, value: T) => void;

/** `crypto.randomBytes`. */
export function randomBytes(size: number, done?: Done<Buffer>): Buffer {
  const bytes = randomFill(Buffer.alloc(size));
  if (done) setImmediate(done, null, bytes);
  return bytes;
}

/** `crypto.randomInt`. */
export function randomInt(...args: readonly [number | Done<number>, (number | Done<number>)?, Done<number>?]): number {
  const [low, high] = typeof args[1] === 'number' ? [Number(args[0]), args[1]] : [0, Number(args[0])];
  const value = low + Math.floor(Math.random() * (high - low));
  const done = args.find((each) => typeof each === 'function');
  if (done) setImmediate(done, null, value);
  return value;
}

/** `crypto.subtle.digest` without Node's threads, in which several end in any order. */
export function digest(algorithm: { readonly name: string } | string, data: BufferSource): Promise<ArrayBuffer> {
  const name = typeof algorithm === 'string' ? algorithm : algorithm.name;
  const bytes = ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : data;
  const hashed = createHash(name.replace('-', '')).update(new Uint8Array(bytes)).digest();
  return Promise.resolve(new Uint8Array(hashed).buffer);
}
