import { knownTopics } from '../webhooks/subscription.js';
import type { ServedMarketplace } from './control.js';
import { toSettingsView } from './environment-controls.js';
import { listsOf, maxShown, type Listed } from './lists.js';
import type { LoggedRequest } from './request-log.js';

type Newest<Lists> = { [Name in keyof Lists]: Lists[Name] extends Listed<infer View> ? View[] : never };
type Lists = ReturnType<typeof listsOf>;

/** The state that the dashboard shows. */
export interface Snapshot extends ReturnType<typeof snapshot> {}

/** Returns the current state of a marketplace as plain data: the newest 100 entries of each list, and all counts. */
// oxlint-disable-next-line typescript/explicit-module-boundary-types -- `Snapshot` is derived from this function
export function snapshot(marketplace: ServedMarketplace, requests: readonly LoggedRequest[]) {
  const { attachments, clock, messages, notifications, operations, questions, records } = marketplace;
  const lists: Record<string, Listed<unknown>> = listsOf(marketplace, requests);
  const each = <Value>(read: (list: Listed<unknown>) => Value): Record<string, Value> =>
    Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, read(list)]));
  return {
    now: clock.iso,
    clockIsStopped: clock.isStopped,
    ...(each((list) => list.newest()) as Newest<Lists>),
    counts: {
      ...(each(({ count }) => count) as Record<keyof Lists, number>),
      unanswered: questions.all.filter((question) => questions.statusOf(question) === 'UNANSWERED').length,
    },
    isHeld: notifications.isHeld,
    storage: { filesBroken: attachments.isBroken, messagesUnavailable: messages.isUnavailable },
    moderation: {
      mode: messages.moderation,
      pending: messages.all.filter(({ moderation }) => moderation.status === 'pending').length,
    },
    ...toSettingsView(marketplace),
    topics: knownTopics,
    endpoints: operations.routes.all.map(({ name }) => name).sort(),
    operations: operations.all.slice(-maxShown),
    records: newestOf(records.all),
  };
}

/** The newest entries of each table. */
function newestOf(tables: Readonly<Record<string, object>>): Record<string, Record<string, unknown>> {
  const newest = Object.entries(tables).map(
    ([name, table]) => [name, Object.fromEntries(Object.entries(table).slice(-maxShown))] as const,
  );
  return Object.fromEntries(newest);
}

/** Entries of the list before that stay, by the index of the first and their number. */
type KeptEntries = readonly [from: number, count: number];

type Parts = Readonly<Record<string, unknown>>;

/**
 * Returns what turns the fields of an object into later ones: the new values, and of each list the new entries between those
 * that stay.
 */
function changesOf(before: object, after: object): Parts {
  const was = before as Parts;
  const changed = Object.entries(after as Parts).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(was[name]),
  );
  return Object.fromEntries(
    changed.map(([name, value]) => [name, Array.isArray(value) ? editsOf(was[name] as unknown[], value) : value]),
  );
}

function editsOf(before: readonly unknown[], after: readonly unknown[]): unknown[] {
  const places = new Map(before.map((entry, index) => [JSON.stringify(entry), index]));
  const edits: unknown[] = [];
  let kept: KeptEntries | undefined;
  for (const entry of after) {
    const place = places.get(JSON.stringify(entry));
    const isNext = kept !== undefined && place === kept[0] + kept[1];
    if (isNext && kept) edits.pop();
    kept = place === undefined ? undefined : isNext && kept ? [kept[0], kept[1] + 1] : [place, 1];
    edits.push(kept ?? entry);
  }
  return edits;
}

/** Changes within this time are sent together. */
const debounceMs = 60;
/** A client that does not read is disconnected after this many events. */
const maxBacklog = 1000;

type Send = (event: string, data: unknown) => void;

/** Sends the state and its changes to open dashboards, as server-sent events. */
export class EventStream {
  readonly #takeSnapshot: () => Snapshot;
  readonly #clients = new Set<Send>();
  /** What the clients show. */
  #shown: Snapshot | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(takeSnapshot: () => Snapshot) {
    this.#takeSnapshot = takeSnapshot;
  }

  /** Opens a stream: first the state, then each change of it. */
  stream(): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    let send: Send;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          send = (event, data) => {
            controller.enqueue(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
            if ((controller.desiredSize ?? 0) > -maxBacklog) return;
            this.#clients.delete(send);
            controller.close();
          };
          send('state', this.#update());
          this.#clients.add(send);
        },
        cancel: () => void this.#clients.delete(send),
      },
      { highWaterMark: 16 },
    );
  }

  /** Sends what has changed soon. Call it whenever the marketplace may have changed. */
  changed(): void {
    if (this.#clients.size === 0 || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#update();
    }, debounceMs);
  }

  #update(): Snapshot {
    const before = this.#shown;
    const after = this.#takeSnapshot();
    this.#shown = after;
    if (before && this.#clients.size > 0) {
      const change = changesOf(before, after);
      for (const send of [...this.#clients]) send('change', change);
    }
    return after;
  }
}
