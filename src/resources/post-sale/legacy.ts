import { isObject } from '../../core/json/json.js';

type Raw = Readonly<Record<string, unknown>>;

/** Converts a message of any known shape to the current shape, before the schema checks it. */
export function currentShape(value: unknown): unknown {
  const entries = entriesIn(value);
  if (entries) return entries.length === 1 ? currentShape(entries[0]) : value;
  if (!isObject(value)) return value;
  if (value.message_id !== undefined || isObject(value.moderation)) return modernised(value);
  return needsTidying(value) ? tidied(value) : value;
}

/** The messages in a response that wraps its message: in a list, in `messages`, in `results` or in `message`. */
export function entriesIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value as unknown[];
  if (!isObject(value) || value.id !== undefined) return undefined;
  if (Array.isArray(value.messages)) return value.messages as unknown[];
  if (Array.isArray(value.results)) return value.results as unknown[];
  return isObject(value.message) ? [value.message] : undefined;
}

/** The id of a message in its current or its legacy shape. */
export function idOf(value: unknown): unknown {
  return isObject(value) ? (value.id ?? value.message_id ?? undefined) : undefined;
}

function needsTidying({ to, text }: Raw): boolean {
  return Array.isArray(to) || isEmpty(to) || isObject(text);
}

function tidied(value: Raw): Raw {
  const { to, text } = value;
  return {
    ...value,
    ...(isEmpty(to) && { to: null }),
    ...(Array.isArray(to) && isReadable(to) && { to: (to as unknown[])[0] ?? null }),
    ...(Array.isArray(to) && to.length > 1 && { recipients: to }),
    ...(isObject(text) && ('plain' in text || isEmpty(text)) && { text: text.plain ?? null }),
  };
}

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

/** Whether the first receiver in a list can stand for the list. */
function isReadable([first]: readonly unknown[]): boolean {
  return first === undefined || (isObject(first) && first.user_id !== undefined);
}

/** Fields that the current shape does not have keep their names. */
function modernised(value: Raw): Raw {
  const {
    message_id,
    id = message_id,
    date,
    date_received,
    date_available,
    date_notified,
    date_read,
    attachments,
    resource,
    resource_id,
    moderation,
    ...rest
  } = tidied(value);
  return {
    ...(message_id !== undefined && {
      message_date: dates({
        received: date_received,
        available: date_available,
        notified: date_notified,
        created: date,
        read: date_read,
      }),
      message_attachments: attachments,
      message_resources:
        resource_id === null || resource_id === undefined ? undefined : [{ id: resource_id, name: resource }],
    }),
    message_moderation: isObject(moderation) ? moderated(moderation) : moderation,
    ...rest,
    ...(id !== undefined && { id }),
  };
}

function dates(given: Raw): Raw {
  return Object.fromEntries(Object.entries(given).map(([name, at]) => [name, at ?? null]));
}

function moderated({ date_moderated, ...rest }: Raw): Raw {
  return { moderation_date: date_moderated ?? null, ...rest };
}
