import type { Bytes } from '../../core/files/file-source.js';
import { uuidOf } from '../random.js';
import { assertSite } from '../clock.js';
import { FakeMarketplaceError, assertFields, assertText } from '../errors.js';
import { EntityStore } from './entity-store.js';
import type { MarketplaceState } from './marketplace-state.js';
import type { Pack } from './packs.js';

/** A stored file. */
export type StoredFile = Readonly<{
  id: string;
  site_id: string;
  /** The user who uploaded it. */
  owner: number;
  filename: string;
  /** The media type. */
  type: string;
  bytes: Bytes;
  /** Upload time, in milliseconds since 1970. */
  storedAt: number;
  /** Whether a message uses the file. */
  inUse: boolean;
}>;

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
export class AttachmentStore extends EntityStore<string, StoredFile> {
  /** @internal */
  protected data = { entries: new Map<string, StoredFile>(), nextFile: 1 };
  readonly #state: MarketplaceState;
  /** Makes uploads and downloads fail with 500 while it is `true`. */
  isBroken = false;

  /** @internal */
  constructor(state: MarketplaceState) {
    super('file');
    this.#state = state;
  }

  /** Stores a file of a user. @throws {FakeMarketplaceError} when there is no such user */
  add(init: Pick<StoredFile, 'owner' | 'site_id' | 'filename' | 'type' | 'bytes'>): StoredFile {
    assertFields('a file', init, ['owner', 'site_id', 'filename', 'type', 'bytes']);
    this.#state.accounts.getOrThrow(init.owner);
    assertSite(init.site_id);
    assertText('filename', init.filename);
    assertBytes(init.bytes);
    const extension = /\.[A-Za-z0-9]+$/.exec(init.filename)?.[0] ?? '';
    const id = `${init.owner}_${uuidOf(this.data.nextFile++)}${extension}`;
    const file: StoredFile = { ...init, id, storedAt: this.#state.clock.ms, inUse: false };
    this.#dropExpired();
    this.data.entries.set(id, file);
    return file;
  }

  /** @internal Stores a file that the buyer of a pack sends. */
  addSent(
    { buyer_id, site_id }: Pack,
    file: { filename: string; content: string | Bytes; type?: string | undefined },
  ): StoredFile {
    assertFields('a file', file, ['filename', 'content', 'type']);
    const { filename, content, type = 'application/octet-stream' } = file;
    assertText('filename', filename);
    if (typeof content !== 'string' && !((content as unknown) instanceof Uint8Array))
      throw new FakeMarketplaceError('`content` of a file is a text or a Uint8Array');
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    return this.use(this.add({ owner: buyer_id, site_id, filename, type, bytes }).id);
  }

  /** All files that have not expired, the oldest first. */
  override get all(): readonly StoredFile[] {
    return super.all.filter(({ id }) => this.get(id));
  }

  /** Whether a file fits into the storage of 512 MB. */
  hasRoomFor(bytes: Bytes): boolean {
    assertBytes(bytes);
    const used = this.all.reduce((sum, file) => sum + file.bytes.byteLength, 0);
    return used + bytes.byteLength <= maxTotalBytes;
  }

  #dropExpired(): void {
    for (const id of this.data.entries.keys()) if (!this.get(id)) this.data.entries.delete(id);
  }

  /** Returns a file, unless it has expired. */
  override get(id: string): StoredFile | undefined {
    const file = this.data.entries.get(id);
    if (!file) return undefined;
    const age = this.#state.clock.ms - file.storedAt;
    const expired = !file.inUse && age >= this.#state.settings.attachmentLifetimeMs;
    return expired ? undefined : file;
  }

  /** Marks a file as used by a message, so that it does not expire. */
  use(id: string): StoredFile {
    const updated = { ...this.getOrThrow(id), inUse: true };
    this.data.entries.set(id, updated);
    return updated;
  }
}

/** @throws {FakeMarketplaceError} when a value is no Uint8Array, which JavaScript code can pass */
function assertBytes(bytes: unknown): void {
  if (typeof (bytes as Bytes | null | undefined)?.byteLength !== 'number')
    throw new FakeMarketplaceError('`bytes` is a Uint8Array');
}
