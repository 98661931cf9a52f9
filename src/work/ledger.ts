/**
 * What inboxes and outboxes keep beside their entries, by key and for a time: who looks for missed questions, which messages were handled,
 * and which writes were sent. All processes of a store or a queue share it.
 */
export interface Ledger {
  /** The value of a key; `undefined` if there is none, or its time is over. */
  get(key: string): Promise<string | undefined>;
  /**
   * Sets a value for `ms` milliseconds if the key has the value `expected`, in one step. Resolves once it
   * survives the end of the process.
   *
   * @param expected `undefined`: only if there is no value.
   * @returns whether it was set.
   */
  replace(key: string, expected: string | undefined, value: string, ms: number): Promise<boolean>;
}

/** The key of what the entries of a group came to: a verdict sets it, and each lease of the group has it. */
export const factKeyOf = (group: string): string => `fact ${group}`;

/** Takes the lead in something that one process does for all, or keeps it, for `ms` milliseconds. */
export async function leads(ledger: Ledger, name: string, holder: string, ms: number): Promise<boolean> {
  const current = await ledger.get(name);
  return (current === undefined || current === holder) && ledger.replace(name, current, holder, ms);
}
