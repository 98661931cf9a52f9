/** A write as a book keeps it. */
export interface BookedWrite {
  /** Unique over all processes. */
  readonly id: string;
  /** Where it writes to: its endpoint, its user, and all fields of its input but the content. */
  readonly target: string;
  /** The checked input. */
  readonly input: unknown;
  /** When it was sent, in milliseconds since 1970, by the clock of the machine that sent it. */
  readonly sentAt: number;
  /** `sent`: it may have been carried out. `rejected`: it certainly was not. */
  readonly state: 'sent' | 'done' | 'rejected';
  /** The name of the entry of the service that proves it; absent if none was found yet. */
  readonly entry?: string | undefined;
}

/**
 * The book of a seller's writes: which were sent, and which entry of the service proves which of them. An entry proves one
 * write, so that two equal writes need two entries.
 *
 * An entry has a name that is unique at the service, e.g. `message 5f1b`: see `entryOf` of an endpoint.
 */
export interface WriteBook {
  /** Returns the writes of the last day to a target, and those that one of these entries proves. */
  look(target: string, entries: readonly string[]): Promise<readonly BookedWrite[]>;
  /**
   * Records that an entry proves a write, unless it proves another one: in one step, also between processes.
   *
   * @returns whether it proves this write.
   */
  claim(entry: string, id: string): Promise<boolean>;
}
