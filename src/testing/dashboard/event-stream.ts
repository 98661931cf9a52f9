import type { LoggedRequest, RequestLog } from './request-log.js';
import type { Snapshot } from './snapshot.js';

/** Changes within this time are sent together. */
const debounceMs = 40;
/** A client that does not read is disconnected after this many events. */
const maxBacklog = 1000;

type Send = (event: string, data: unknown) => void;

/** Sends requests and state changes to open dashboards, as server-sent events. */
export class EventStream {
  readonly #requestLog: RequestLog;
  readonly #takeSnapshot: () => Snapshot;
  readonly #clients = new Set<Send>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(requestLog: RequestLog, takeSnapshot: () => Snapshot) {
    this.#requestLog = requestLog;
    this.#takeSnapshot = takeSnapshot;
    requestLog.on((entry) => this.#onRequest(entry));
  }

  /** Opens a stream: first all requests and the state, then each change. */
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
          send('requests', this.#requestLog.all);
          send('state', this.#takeSnapshot());
          this.#clients.add(send);
        },
        cancel: () => void this.#clients.delete(send),
      },
      { highWaterMark: 16 },
    );
  }

  /** Sends the state soon. Call it whenever the marketplace may have changed. */
  changed(): void {
    if (this.#clients.size === 0 || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#broadcast('state', this.#takeSnapshot());
    }, debounceMs);
  }

  /** Sends the list of requests again, after it was cleared. */
  cleared(): void {
    this.#broadcast('requests', this.#requestLog.all);
    this.changed();
  }

  #onRequest(entry: LoggedRequest): void {
    this.#broadcast('request', entry);
    // A read can change state too: it marks messages as read and uses up faults.
    if (entry.state !== 'open') this.changed();
  }

  #broadcast(event: string, data: unknown): void {
    for (const send of [...this.#clients]) send(event, data);
  }
}
