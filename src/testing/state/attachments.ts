import type { Bytes } from '../../core/files/bytes.js';
import { FakeMarketplaceError } from '../errors.js';
import type { MarketplaceState } from './marketplace-state.js';

/** A stored file. */
export interface StoredFile {
  readonly id: string;
  readonly site_id: string;
  /** The user who uploaded it. */
  readonly owner: number;
  readonly filename: string;
  /** The media type. */
  readonly type: string;
  readonly bytes: Bytes;
  /** Upload time, in milliseconds since 1970. */
  readonly storedAt: number;
  /** Whether a message uses the file. */
  readonly inUse: boolean;
}

const maxTotalBytes = 512 * 1024 * 1024;

/**
 * The uploaded files.
 *
 * @example
 * const bytes = new TextEncoder().encode('An invoice');
 * console.log(marketplace.attachments.hasRoomFor(bytes)); // true
 * const file = marketplace.attachments.add({ owner: 7, site_id: 'MLA', filename: 'a.txt', type: 'text/plain', bytes });
 * marketplace.attachments.use(file.id); // as a message with this file does
 * console.log(marketplace.attachments.get(file.id)?.inUse); // true
 * console.log(marketplace.attachments.getOrThrow(file.id).filename); // a.txt
 */
export class AttachmentStore {
  #files = new Map<string, StoredFile>();
  readonly #state: Pick<MarketplaceState, 'accounts' | 'clock' | 'settings'>;
  /** Makes uploads and downloads fail with 500 while it is `true`. */
  isBroken = false;

  constructor(state: Pick<MarketplaceState, 'accounts' | 'clock' | 'settings'>) {
    this.#state = state;
  }

  /** Stores a file of a user. @throws {FakeMarketplaceError} when there is no such user */
  add(init: Pick<StoredFile, 'owner' | 'site_id' | 'filename' | 'type' | 'bytes'>): StoredFile {
    this.#state.accounts.getOrThrow(init.owner);
    const extension = /\.[A-Za-z0-9]+$/.exec(init.filename)?.[0] ?? '';
    const id = `${init.owner}_${crypto.randomUUID()}${extension}`;
    const file: StoredFile = { ...init, id, storedAt: this.#state.clock.ms, inUse: false };
    this.#dropExpired();
    this.#files.set(id, file);
    return file;
  }

  /** All files that have not expired, the oldest first. */
  get all(): readonly StoredFile[] {
    return [...this.#files.keys()].flatMap((id) => this.get(id) ?? []);
  }

  /** Whether a file fits into the storage of 512 MB. */
  hasRoomFor(bytes: Bytes): boolean {
    const used = [...this.#files.values()].reduce((sum, file) => sum + file.bytes.byteLength, 0);
    return used + bytes.byteLength <= maxTotalBytes;
  }

  #dropExpired(): void {
    for (const id of this.#files.keys()) if (!this.get(id)) this.#files.delete(id);
  }

  /** Returns a file, unless it has expired. */
  get(id: string): StoredFile | undefined {
    const file = this.#files.get(id);
    if (!file) return undefined;
    const age = this.#state.clock.ms - file.storedAt;
    const expired = !file.inUse && age >= this.#state.settings.attachmentLifetimeMs;
    return expired ? undefined : file;
  }

  /** Returns a file. @throws {FakeMarketplaceError} when there is none, or it has expired */
  getOrThrow(id: string): StoredFile {
    const file = this.get(id);
    if (!file) throw new FakeMarketplaceError(`there is no file ${id}`);
    return file;
  }

  /** Marks a file as used by a message, so that it does not expire. */
  use(id: string): StoredFile {
    const updated = { ...this.getOrThrow(id), inUse: true };
    this.#files.set(id, updated);
    return updated;
  }

  /** @internal Saves the content. @returns a function that restores it */
  checkpoint(): () => void {
    const files = new Map(this.#files);
    return () => {
      this.#files = files;
    };
  }
}
