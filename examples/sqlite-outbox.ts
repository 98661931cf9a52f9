import { DatabaseSync } from 'node:sqlite';
import { ApiError, UnexpectedResponseError } from 'marketplace-seller-sdk';
import type { Endpoint, SellerClient, SendMessageParams, SendOptionParams } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';

/** What the outbox can send. */
const writes: Readonly<Record<Job['kind'], Endpoint>> = {
  message: endpoints.messages.send,
  option: endpoints.actionGuide.send,
};

/** A message, perhaps with a file on disk, or an option of the action guide. */
export type Job =
  | { readonly kind: 'message'; readonly input: SendMessageParams; readonly file?: string }
  | { readonly kind: 'option'; readonly input: SendOptionParams; readonly file?: undefined };

interface OutboxOptions {
  /** The site that stores the files. */
  readonly site_id: string;
  /** How long the service may still carry out a write whose process has stopped, in milliseconds. */
  readonly confirmWindowMs?: number | undefined;
}

interface Row {
  readonly id: string;
  readonly kind: Job['kind'];
  readonly input: string;
  readonly file: string | null;
  readonly attachment: string | null;
  readonly sent_at: number;
  readonly state: 'new' | 'open' | 'sent' | 'for a person';
  readonly reason: string | null;
}

/**
 * Sends each job once, across crashes and restarts, for one process. A row is `open` from before the call until its
 * outcome is known.
 */
export class SqliteOutbox {
  readonly #database: DatabaseSync;
  readonly #seller: SellerClient;
  readonly #options: OutboxOptions;

  constructor(path: string, seller: SellerClient, options: OutboxOptions) {
    this.#database = new DatabaseSync(path);
    this.#database
      .exec(`PRAGMA busy_timeout = 5000; CREATE TABLE IF NOT EXISTS outbox (id TEXT PRIMARY KEY, kind TEXT NOT NULL,
      input TEXT NOT NULL, file TEXT, attachment TEXT, sent_at INTEGER, state TEXT NOT NULL DEFAULT 'new', reason TEXT)`);
    this.#seller = seller;
    this.#options = options;
  }

  /** Adds a job. Your own id of it, e.g. `invoice-42`, makes it safe to add a job again. */
  add(id: string, { kind, input, file }: Job): void {
    this.#database
      .prepare('INSERT OR IGNORE INTO outbox (id, kind, input, file) VALUES (?, ?, ?, ?)')
      .run(id, kind, JSON.stringify(input), file ?? null);
  }

  /** Sends what is new and settles what is open, in the order in which it was added. Call it at start and after `add`. */
  async flush(): Promise<void> {
    for (const row of this.rows()) if (row.state === 'new' || row.state === 'open') await this.#work(row);
  }

  rows(): Row[] {
    return this.#database.prepare('SELECT * FROM outbox ORDER BY rowid').all() as unknown as Row[];
  }

  close(): void {
    this.#database.close();
  }

  async #work(row: Row): Promise<void> {
    const endpoint = writes[row.kind];
    if (row.state === 'open') {
      const found = await this.#seller.confirm(endpoint, inputOf(row), {
        sentAt: row.sent_at,
        confirmWindowMs: this.#options.confirmWindowMs,
      });
      if (found.done === true) {
        this.#set(row, 'sent');
        return;
      }
      if (found.done === undefined) {
        this.#set(row, 'for a person', found.unknown);
        return;
      }
    }
    const input = inputOf({ ...row, attachment: row.attachment ?? (await this.#upload(row)) });
    this.#database
      .prepare("UPDATE outbox SET state = 'open', sent_at = ? WHERE id = ?")
      .run(Date.now(), row.id);
    try {
      await this.#seller.call(endpoint, input);
    } catch (error) {
      this.#afterError(row, error);
      return;
    }
    this.#set(row, 'sent');
  }

  /** Nothing can confirm an upload, but it can be repeated: the buyer does not see a file that no message uses. */
  async #upload({ id, file }: Row): Promise<string | null> {
    if (file === null) return null;
    const { site_id } = this.#options;
    const { id: attachment } = await this.#seller.messages.upload({ site_id, file });
    this.#database.prepare('UPDATE outbox SET attachment = ? WHERE id = ?').run(attachment, id);
    return attachment;
  }

  #afterError(row: Row, error: unknown): void {
    // An open row is confirmed by the next `flush`, when the service has come to an end with it.
    if (hasUnknownOutcome(error)) return;
    const isRejected =
      error instanceof ApiError && error.status < 500 && ![401, 429].includes(error.status);
    if (isRejected) {
      this.#set(row, 'for a person', error.message);
      return;
    }
    this.#set(row, 'new');
    throw error;
  }

  #set({ id }: Row, state: Row['state'], reason: string | null = null): void {
    this.#database.prepare('UPDATE outbox SET state = ?, reason = ? WHERE id = ?').run(state, reason, id);
  }
}

function inputOf({ input, attachment }: Pick<Row, 'input' | 'attachment'>): object {
  const parsed = JSON.parse(input) as object;
  return attachment === null ? parsed : { ...parsed, attachments: [attachment] };
}

function hasUnknownOutcome(error: unknown): boolean {
  return (
    error instanceof UnexpectedResponseError ||
    (error as { outcomeUnknown?: unknown }).outcomeUnknown === true
  );
}
