import type { Bytes } from '../../core/files/bytes.js';
import { FakeMarketplaceError } from '../errors.js';
import type { MarketplaceState } from './marketplace-state.js';

/** A file as the marketplace keeps it. */
export interface StoredFile {
  readonly id: string;
  readonly site_id: string;
  /** Who uploaded it. */
  readonly owner: number;
  readonly filename: string;
  /** The media type. */
  readonly type: string;
  readonly bytes: Bytes;
  /** When, in milliseconds since 1970. */
  readonly storedAt: number;
  /** A message carries it. */
  readonly inUse: boolean;
}

/** A file that no message uses is gone after so long. Wire notes 17. */
const lifetimeMs = 48 * 60 * 60 * 1000;

/** The files of messages. */
export class AttachmentStore {
  readonly #files = new Map<string, StoredFile>();
  readonly #world: Pick<MarketplaceState, 'clock'>;
  /** Uploads and downloads fail with 500 while this is `true`. */
  isBroken = false;

  constructor(world: Pick<MarketplaceState, 'clock'>) {
    this.#world = world;
  }

  /** Stores a file. */
  add(sketch: Pick<StoredFile, 'owner' | 'site_id' | 'filename' | 'type' | 'bytes'>): StoredFile {
    const ending = /\.[A-Za-z0-9]+$/.exec(sketch.filename)?.[0] ?? '';
    const id = `${sketch.owner}_${crypto.randomUUID()}${ending}`;
    const file: StoredFile = { ...sketch, id, storedAt: this.#world.clock.ms, inUse: false };
    this.#files.set(id, file);
    return file;
  }

  /** The file, while it is there. */
  get(id: string): StoredFile | undefined {
    const file = this.#files.get(id);
    if (!file) return undefined;
    const expired = !file.inUse && this.#world.clock.ms - file.storedAt >= lifetimeMs;
    return expired ? undefined : file;
  }

  /** A message carries the file from now on. */
  use(id: string): StoredFile {
    const file = this.get(id);
    if (!file) throw new FakeMarketplaceError(`there is no file ${id}`);
    const used = { ...file, inUse: true };
    this.#files.set(id, used);
    return used;
  }
}
