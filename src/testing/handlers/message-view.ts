import type { StoredMessage } from '../state/messages.js';
import { shownUserId } from '../state/packs.js';
import type { Stores } from '../state/stores.js';

type View = Readonly<Record<string, unknown>>;

function instant(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

function dates({ sentAt, moderation, moderatedAt, readAt }: StoredMessage): View {
  const available = moderation.status === 'clean' ? instant(moderatedAt) : null;
  return { received: instant(sentAt), available, notified: available, created: instant(sentAt), read: instant(readAt) };
}

function moderated({ moderation, moderatedAt }: StoredMessage): View {
  return { ...moderation, source: 'online', moderation_date: instant(moderatedAt) };
}

function statusOf({ moderation }: StoredMessage): string {
  return moderation.status === 'rejected' ? 'moderated' : 'available';
}

function files({ files: stored }: StoredMessage): View[] {
  return stored.map(({ id, filename, type, bytes, storedAt }) => ({
    filename: id,
    original_filename: filename,
    type,
    size: bytes.byteLength,
    potential_security_threat: false,
    creation_date: instant(storedAt),
  }));
}

/** Serializes a message in the current shape. Spec: Message. */
export function toMessageView(message: StoredMessage, { messages, packs }: Stores): View {
  const { id, site_id, client_id, from, to, text } = message;
  const pack = packs.getOrThrow(message.pack);
  const attachments = files(message);
  return {
    id,
    site_id,
    client_id,
    from: { user_id: shownUserId(pack, from) },
    to: { user_id: shownUserId(pack, to) },
    status: statusOf(message),
    subject: null,
    text,
    message_date: dates(message),
    message_moderation: moderated(message),
    message_attachments: attachments.length > 0 ? attachments : null,
    message_resources: [
      { id: String(message.pack), name: 'packs' },
      { id: String(pack.seller_id), name: 'sellers' },
    ],
    conversation_first_message: messages.isFirst(message),
  };
}

/** Serializes a message sent through an option, with the receiver's name. Spec: Message. Wire notes 9: it is reduced. */
export function toOptionMessageView(message: StoredMessage, stores: Stores): View {
  const to = {
    user_id: shownUserId(stores.packs.getOrThrow(message.pack), message.to),
    name: stores.accounts.getOrThrow(message.to).nickname,
  };
  const view: View = { ...toMessageView(message, stores), to };
  if (!stores.settings.reducedOptionResponse) return view;
  const { from: _from, site_id: _site, subject: _subject, ...reduced } = view;
  return reduced;
}

/** Converts a message from the current shape to the legacy one. Spec: Message, legacy shape. */
export function toLegacy({ id, message_date, message_moderation, message_attachments, text, to, ...rest }: View): View {
  const { received, created, available, notified, read } = (message_date ?? {}) as View;
  const { moderation_date, reason, ...moderation } = (message_moderation ?? {}) as View;
  return {
    message_id: id,
    date_received: received,
    date: created,
    date_available: available,
    date_notified: notified,
    date_read: read,
    from: rest.from,
    to: [to],
    subject: rest.subject,
    text: { plain: text },
    attachments: message_attachments,
    site_id: rest.site_id,
    status: rest.status,
    moderation: { ...moderation, date_moderated: moderation_date, ...(reason !== null && { reason }) },
  };
}

function toLegacyView(message: StoredMessage, stores: Stores): View {
  return {
    ...toLegacy(toMessageView(message, stores)),
    attachments: files(message),
    attachments_validations: { invalid_size: [], invalid_extension: [], forbidden: [], internal_error: [] },
    resource: 'orders',
    resource_id: String(stores.packs.getOrThrow(message.pack).order_ids[0]),
  };
}

/** Serializes a message read by id, in the configured shape. */
export function toMessageByIdView(message: StoredMessage, stores: Stores): View {
  if (stores.messages.shape === 'legacy') return toLegacyView(message, stores);
  const view = toMessageView(message, stores);
  return stores.messages.shape === 'current' ? view : { paging: null, conversation_status: null, messages: [view] };
}
