import type { SellerClient } from '../client.js';
import type { Endpoint } from '../core/operation/endpoint.js';
import type { ContactParams } from '../resources/messages/schemas.js';

/** The part of a seller's client that an outbox needs: `messages` only for messages. */
export interface OutboxClient extends Pick<SellerClient, 'call'>, Partial<Pick<SellerClient, 'messages' | 'confirm'>> {}

/** A call of an endpoint that writes. */
interface CallStep<In> {
  readonly endpoint: Endpoint<In>;
  /** What `seller.call` takes. It must be possible to write it as JSON; a `file` is a path. */
  readonly input: NoInfer<In>;
  readonly contact?: undefined;
}

interface ContactStep {
  /** A message through the channel that is open when it is sent: see `messages.contact`. */
  readonly contact: ContactParams;
  readonly endpoint?: undefined;
  readonly input?: undefined;
}

/** A write: a call of an endpoint, or a message through the channel that is open when it is sent. */
export type Step<In = unknown> = CallStep<In> | ContactStep;

/** Whose job it is. */
interface JobOwner {
  /** Your own name of the job, e.g. `invoice-42`. A key is sent once, however often it is added. */
  readonly key: string;
  /** The seller, for `clientFor`. */
  readonly user_id: number;
}

interface SeveralSteps<Ins extends readonly unknown[]> {
  /**
   * The steps of the job. Each begins when the one before is accepted. The files that steps upload become the `attachments` of
   * the next message.
   */
  readonly steps: { readonly [Index in keyof Ins]: Step<Ins[Index]> };
  readonly endpoint?: undefined;
  readonly input?: undefined;
  readonly contact?: undefined;
}

/** A job: one write, or several `steps`. The compiler checks each input against its endpoint. */
export type Job<In = unknown, Ins extends readonly unknown[] = readonly unknown[]> = JobOwner &
  ((Step<In> & { readonly steps?: undefined }) | SeveralSteps<Ins>);

/** A step as a store keeps it. `endpoint` is its name, or `contact`. */
export interface StoredStep {
  readonly endpoint: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A job as a store keeps it. JSON can represent it. */
export interface StoredJob {
  readonly key: string;
  readonly user_id: number;
  /** The pack of its first message; absent if it has none. */
  readonly pack_id?: number | string | undefined;
  readonly steps: readonly StoredStep[];
}

/**
 * - `waiting`: it is sent later, or its moderation is followed.
 * - `running`: a process works on it.
 * - `accepted`: the service carried it out, and moderation let its messages pass.
 * - `rejected`: moderation rejected a message; the steps behind it are not sent.
 * - `dead`: it was given up, and a person decides: see `deadLetters`.
 */
export type JobState = 'waiting' | 'running' | 'accepted' | 'rejected' | 'dead';

/** A job, and what has become of it. */
export interface JobStatus {
  readonly entry: StoredJob;
  readonly state: JobState;
  /** Whether its data is gone, because it ended long ago or was removed: then `entry` has no steps, and `outputs` is empty. */
  readonly isReduced?: true | undefined;
  /** How many attempts have failed. */
  readonly failures: number;
  /** Why moderation rejected it, why it is dead, or the last error of a job that waits. */
  readonly reason?: string | undefined;
  /** When it was added, in milliseconds since 1970. */
  readonly addedAt: number;
  /** What the steps have returned that are accepted. */
  readonly outputs: readonly unknown[];
  /** Its place in the list; the next page begins after it. A job that ends gets a new one. */
  readonly number: number;
}

/** What an outbox holds. */
export interface OutboxStats {
  /** Jobs that wait for their first or next attempt, or for moderation. */
  readonly waiting: number;
  /** Jobs that a process works on. */
  readonly running: number;
  readonly dead: number;
  readonly accepted: number;
  readonly rejected: number;
  /** How long ago the oldest job that is open was added, in milliseconds; absent when none is. */
  readonly oldestAgeMs?: number | undefined;
}
