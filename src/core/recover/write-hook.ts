import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Confirmation } from '../errors/seller-error.js';
import { isPlainObject } from '../json/json.js';
import type { BookedWrite, Endpoint, WriteBook } from '../operation/endpoint.js';
import { nodeModule } from '../scope/node-module.js';
import { userOf } from './token-source.js';

/**
 * Decides about each write of a client before it is sent. It is asked once per call, whatever its retries, and only about
 * endpoints whose retry class is `unsafe` and that are not `harmless`: reads, idempotent writes and uploads may be repeated.
 */
export interface WriteHook {
  /**
   * Called after the input was checked and before anything is sent.
   *
   * @throws to send nothing: the call rejects with the same error.
   */
  begin(write: PendingWrite): Promise<WriteDecision>;
}

/** A write that is about to be sent. */
export interface PendingWrite {
  readonly endpoint: Endpoint;
  /** The checked input. */
  readonly input: unknown;
  /** See `BookedWrite`. */
  readonly target: string;
  /** After this time the service no longer carries out a write that was sent, in milliseconds. */
  readonly timeoutMs: number;
  /** What this process has seen of the times of writes. */
  readonly memory: {
    /** The times to note with the write `id`, which is sent now. */
    timesNow(id: string): Pick<WriteRecord, 'sentAt' | 'latestAt' | 'aheadMs'>;
    /** How long ago an earlier write was sent at least, in milliseconds. */
    ageMs(earlier: WriteRecord): number;
  };
  /** The write that an earlier run may have made in its place, see `replaces` of an endpoint. */
  readonly replaced?: PendingWrite | undefined;
  /** Reads what `confirm` will compare with, if the endpoint needs it: what the state is before the write. */
  readBefore(): Promise<unknown>;
  /**
   * Reads back once whether an earlier write to this target was carried out, with the token of this call.
   *
   * @param book the book of all processes. The one of this process is used as well.
   * @throws when reading fails although it may succeed later; that is no result.
   */
  confirm(earlier: WriteRecord, book?: WriteBook): Promise<Confirmation>;
}

/** What a hook decided. */
export type WriteDecision =
  /** Nothing is sent: the call returns this output. */
  | { readonly isDone: true; readonly output: unknown }
  | {
      readonly isDone: false;
      /** The `id` of the write. */
      readonly id: string;
      /**
       * Called just before each attempt. After a wait, the write is sent later than `begin` knew.
       *
       * @throws to send nothing.
       */
      beforeSend(): Promise<void>;
      /** Called when the call has ended. It does not throw. */
      end(result: WriteResult): Promise<void>;
    };

/** How the call of a write ended. */
export type WriteResult =
  /** `entry` is the name of the entry that it made, if the response shows it. */
  | { readonly state: 'done'; readonly output: unknown; readonly entry?: string | undefined }
  /** The service certainly did nothing. `error` is that of the call. */
  | { readonly state: 'rejected'; readonly error?: unknown }
  /** It may have been carried out. */
  | { readonly state: 'sent' };

/** A write of a handler or a job, as it is stored with the entry that caused it. Its fields can be written as JSON. */
export interface WriteRecord extends BookedWrite {
  /** What the call returned. */
  readonly output?: unknown;
  /** What was read before it was sent. */
  readonly before?: unknown;
  /** The name of its endpoint; absent in records of earlier versions. */
  readonly endpoint?: string | undefined;
  /** By how much the clock of `sentAt` was ahead of the service's at least, in milliseconds; absent if nothing showed that. */
  readonly aheadMs?: number | undefined;
}

/** What this package needs of a client: also of one that another copy of it has made. */
interface PackageClient {
  // No symbol: bundlers keep a class that computes the name of a method, and with it all resources.
  'marketplace-seller-sdk.inside'?(): InsideOfClient | undefined;
}

export interface InsideOfClient {
  /** The user whose token the client has, if it is known. */
  readonly user: string | undefined;
  /** Stands for the service: one object for each base URL and given `fetch`, of which a process has one book of writes. */
  readonly service: object;
  /** Names the service in a store. */
  readonly baseUrl: string;
  /** By how much this machine's clock is ahead of the service's at least, in milliseconds, as responses have shown; 0 if nothing shows that. */
  readonly aheadMs: number;
  /** Returns the same client, whose writes a hook decides about; so do those of all clients that are derived from it. */
  withHook(hook: WriteHook): object;
}

/** Returns what a client has inside; `undefined` for an object that is no client of this package, such as a mock. */
export function insideOf(client: unknown): InsideOfClient | undefined {
  return (client as PackageClient | undefined)?.['marketplace-seller-sdk.inside']?.();
}

/** Returns the same client, whose writes a hook decides about. One that is none of this package is returned as it is. */
export function withWriteHook<C>(client: C, hook: WriteHook): C {
  return (insideOf(client)?.withHook(hook) ?? client) as C;
}

interface HookedRun {
  readonly hook: WriteHook;
  isOver: boolean;
}

let runs: AsyncLocalStorage<HookedRun> | undefined;

/**
 * Runs a function whose writes a hook decides about: those of the client that it gets, for as long as that is used, and on
 * platforms that have `AsyncLocalStorage` those of any other client, until the function has ended. What is still running then is
 * no part of it: it may be a timer that works for everybody.
 */
export async function runWithWrites<C, T>(hook: WriteHook, client: C, run: (client: C) => Promise<T>): Promise<T> {
  const hooked = withWriteHook(client, hook);
  const Storage = nodeModule('node:async_hooks')?.AsyncLocalStorage;
  if (!Storage) return run(hooked);
  runs ??= new Storage<HookedRun>();
  const current: HookedRun = { hook, isOver: false };
  try {
    return await runs.run(current, run, hooked);
  } finally {
    current.isOver = true;
  }
}

/** Returns the hook of a call: that of its client, else that of the run that makes it. */
export function hookOf(ofClient: WriteHook | undefined): WriteHook | undefined {
  if (ofClient) return ofClient;
  const current = runs?.getStore();
  return current?.isOver === false ? current.hook : undefined;
}

type Described = Pick<Endpoint, 'name' | 'path' | 'content' | 'details'>;

/** Returns where a write writes to: two writes to one target may be the same write with another content. */
export function targetOf(endpoint: Described, input: unknown, token: string | undefined): string {
  const { name, content = [], details = [] } = endpoint;
  const fields = Object.entries(input as object).filter(([field]) => ![...content, ...details].includes(field));
  return `${name} ${userOf(endpoint, input, token) ?? ''} ${canonical(Object.fromEntries(fields))}`;
}

/** Returns the name of the endpoint of a write. Records of earlier versions have it in their target only. */
export function endpointOf({ endpoint, target }: Pick<WriteRecord, 'endpoint' | 'target'>): string {
  const [name = target] = target.split(' ', 1);
  return endpoint ?? name;
}

/** Returns the content of a write, to compare it with that of another write to the same target. */
export function contentOf({ content = [] }: Pick<Described, 'content'>, input: unknown): string {
  return canonical(content.map((field) => (input as Readonly<Record<string, unknown>>)[field] ?? null));
}

/** As JSON in which the order of fields and the type of an id do not matter. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => {
    if (typeof each === 'number' || typeof each === 'bigint') return String(each);
    if (!isPlainObject(each)) return each;
    return Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
