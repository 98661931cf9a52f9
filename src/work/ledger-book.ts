import type { BookedWrite, WriteBook } from '../core/operation/write-book.js';
import type { Ledger } from './ledger.js';

/** Entries of the service that are older cannot be confused with a write that is read back today, in milliseconds. */
const rememberedMs = 86_400_000;

/** What a ledger has of an entry of the service: which write it proves. */
interface Proof {
  readonly id: string;
  readonly target: string;
}

/**
 * The book of the writes of all processes, in a ledger: the writes to a target are one value, and so is what an entry of the
 * service proves.
 */
export class LedgerBook implements WriteBook {
  readonly #ledger: Ledger;
  /** Where the writes of this run write to. */
  readonly #targets = new Map<string, string>();

  /** @param earlier The writes of earlier runs, which may be read back before one is entered. */
  constructor(ledger: Ledger, earlier: readonly BookedWrite[] = []) {
    for (const { id, target } of earlier) this.#targets.set(id, target);
    this.#ledger = ledger;
  }

  /** A process may have been killed after its claim, before it entered which entry its write has made. */
  async look(target: string, entries: readonly string[]): Promise<readonly BookedWrite[]> {
    const found = await Promise.all(entries.map(async (entry) => ({ entry, ...(await this.#proof(entry)) })));
    const proofs = found.filter((each): each is Proof & { readonly entry: string } => each.id !== undefined);
    const targets = new Set([target, ...proofs.map((proof) => proof.target)]);
    const written = (await Promise.all([...targets].map(async (each) => this.#writesTo(each)))).flat();
    const proved = proofs.map((proof): BookedWrite => {
      const write = written.find(({ id }) => id === proof.id);
      return { input: undefined, sentAt: 0, state: 'done', ...proof, ...write, entry: proof.entry };
    });
    const others = written.filter((each) => each.target === target && proofs.every(({ id }) => id !== each.id));
    return [...others, ...proved];
  }

  async claim(entry: string, id: string): Promise<boolean> {
    const proof: Proof = { id, target: this.#targets.get(id) ?? '' };
    const isFirst = await this.#ledger.replace(proofOf(entry), undefined, JSON.stringify(proof), rememberedMs);
    return isFirst || (await this.#proof(entry))?.id === id;
  }

  /** Enters writes, in place of what the book has of them. */
  async enter(writes: readonly BookedWrite[]): Promise<void> {
    for (const { id, target } of writes) this.#targets.set(id, target);
    for (const target of new Set(writes.map((each) => each.target)))
      await this.#enter(
        target,
        writes.filter((each) => each.target === target),
      );
  }

  async #enter(target: string, entered: readonly BookedWrite[]): Promise<void> {
    for (;;) {
      const value = await this.#ledger.get(writesOf(target));
      const oldest = Date.now() - rememberedMs;
      const others = parsed(value).filter(
        ({ id, sentAt }) => sentAt > oldest && entered.every((each) => each.id !== id),
      );
      const next = JSON.stringify([...others, ...entered.map(booked)]);
      if (next === value || (await this.#ledger.replace(writesOf(target), value, next, rememberedMs))) return;
    }
  }

  async #writesTo(target: string): Promise<readonly BookedWrite[]> {
    return parsed(await this.#ledger.get(writesOf(target)));
  }

  async #proof(entry: string): Promise<Proof | undefined> {
    const value = await this.#ledger.get(proofOf(entry));
    return value === undefined ? undefined : (JSON.parse(value) as Proof);
  }
}

function booked({ id, target, input, sentAt, state, entry }: BookedWrite): BookedWrite {
  return { id, target, input, sentAt, state, ...(entry !== undefined && { entry }) };
}

function parsed(value: string | undefined): readonly BookedWrite[] {
  return value === undefined ? [] : (JSON.parse(value) as readonly BookedWrite[]);
}

const writesOf = (target: string): string => `writes ${target}`;
const proofOf = (entry: string): string => `proof ${entry}`;
