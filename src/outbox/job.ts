import type { SellerClient } from '../client.js';
import type { Endpoint } from '../core/operation/endpoint.js';
import type { WriteRecord } from '../core/recover/write-hook.js';
import type { ContactParams } from '../resources/messages/schemas.js';

/** The part of a seller's client that an outbox needs: `messages` only for messages. */
export interface OutboxClient extends Pick<SellerClient, 'call'>, Partial<Pick<SellerClient, 'messages' | 'confirm'>> {}

/** A call of an endpoint that writes. */
export interface CallStep<In = never> {
  readonly endpoint: Endpoint<In>;
  /** What `seller.call` takes. It must be possible to write it as JSON; a `file` is a path. */
  readonly input: In;
}

/** A message through the channel that is open when it is sent: see `messages.contact`. */
export interface ContactStep {
  readonly contact: ContactParams;
}

interface JobOwner {
  /** Your own name of the job, e.g. `invoice-42`. A key is sent once, however often it is added. */
  readonly key: string;
  /** The seller, for `clientFor`. */
  readonly user_id: number;
}

/** A job that is one call. */
export interface CallJob<In = never> extends JobOwner, CallStep<In> {}

/** A job that is one message through the channel that is open. */
export interface ContactJob extends JobOwner, ContactStep {}

/**
 * A job of several steps. Each begins when the one before is accepted. The files that steps upload become the `attachments`
 * of the next message.
 */
export interface StepsJob<Ins extends readonly unknown[] = readonly never[]> extends JobOwner {
  readonly steps: { readonly [Index in keyof Ins]: CallStep<Ins[Index]> | ContactStep };
}

/** A step as a store keeps it. `endpoint` is its name, or `contact`. */
export interface StoredStep {
  readonly endpoint: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A job as a store keeps it. JSON can represent it. */
export interface StoredJob {
  readonly key: string;
  readonly user_id: number;
  readonly steps: readonly StoredStep[];
}

/** What the runs of a job have reached. JSON can represent it. */
export interface JobProgress {
  /** What the steps that are accepted have returned. */
  readonly outputs: readonly StepOutput[];
  /** The writes of the step that is next. */
  readonly writes: readonly WriteRecord[];
  /** Since when moderation has not decided about its message, in milliseconds since 1970. */
  readonly followedSince?: number | undefined;
  /** How often the service did not show whether its write was carried out. */
  readonly unknowns?: number | undefined;
}

/** What a step has returned. */
export interface StepOutput {
  /** Absent if the service returned nothing. */
  readonly output?: unknown;
  /** When, in milliseconds since 1970. */
  readonly at: number;
}

/** One attempt to do a job. */
export interface JobRun {
  readonly entry: StoredJob;
  /** What has been reached; the run replaces it. */
  progress: JobProgress;
  /** Aborted when the outbox closes, or another process has the job. */
  readonly signal: AbortSignal;
  /** Keeps the progress. Resolves to `false` when another process has the job. */
  note(progress: JobProgress): Promise<boolean>;
}

/** A job has not begun. */
export const noProgress: JobProgress = { outputs: [], writes: [] };

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
  /** How many attempts have failed. */
  readonly failures: number;
  /** Why moderation rejected it, why it is dead, or the last error of a job that waits. */
  readonly reason?: string | undefined;
  /** When it was added, in milliseconds since 1970. */
  readonly addedAt: number;
  /** What the steps have returned that are accepted. */
  readonly outputs: readonly unknown[];
  /** Its place in the list; the next page begins after it. */
  readonly number: number;
}
