import { changesOf } from './changes.js';
import type { Snapshot } from './snapshot.js';

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
