import type { OptionId } from '../../resources/action-guide/schemas.js';
import type { StoredFile } from './attachments.js';
import type { PackId } from './pack-id.js';

/** A stored message. */
export interface StoredMessage {
  readonly id: string;
  /** The pack's number. */
  readonly pack: PackId;
  readonly site_id: string;
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** The application that sent it; `null` for a person. */
  readonly client_id: number | null;
  /** The action guide option that sent it. */
  readonly option: OptionId | null;
  readonly files: readonly StoredFile[];
  /** Time of sending, in milliseconds since 1970. */
  readonly sentAt: number;
  readonly moderation: { readonly status: 'clean' | 'rejected' | 'pending'; readonly reason: string | null };
  /** Time of the moderation decision; `null` while it is pending. */
  readonly moderatedAt: number | null;
  readonly readAt: number | null;
}
