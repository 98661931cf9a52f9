import type { LoggedRequest, RequestLog } from './request-log.js';
import type { Snapshot } from './snapshot.js';

/** Changes that come together are told together. */
const togetherMs = 40;
/** A listener that does not read is let go after so many untold events. */
const mostUntold = 1000;

type Tell = (event: string, data: unknown) => void;

/** Tells open pages what comes in and what there is, as server-sent events. */
export class EventStream {
  readonly #journal: RequestLog;
  readonly #look: () => Snapshot;
  readonly #open = new Set<Tell>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(journal: RequestLog, look: () => Snapshot) {
    this.#journal = journal;
    this.#look = look;
    journal.on((entry) => this.#came(entry));
  }

  /** A stream of events: all requests and the state at once, then each change. */
  stream(): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    let tell: Tell;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          tell = (event, data) => {
            controller.enqueue(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
            if ((controller.desiredSize ?? 0) > -mostUntold) return;
            this.#open.delete(tell);
            controller.close();
          };
          tell('requests', this.#journal.all);
          tell('state', this.#look());
          this.#open.add(tell);
        },
        cancel: () => void this.#open.delete(tell),
      },
      { highWaterMark: 16 },
    );
  }

  /** The marketplace has changed, or may have. */
  changed(): void {
    if (this.#open.size === 0 || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#tellAll('state', this.#look());
    }, togetherMs);
  }

  /** The requests that were told are to be forgotten. */
  cleared(): void {
    this.#tellAll('requests', this.#journal.all);
    this.changed();
  }

  #came(entry: LoggedRequest): void {
    this.#tellAll('request', entry);
    // Reading may change things too: it marks messages as read, and strikes faults off.
    if (entry.state !== 'open') this.changed();
  }

  #tellAll(event: string, data: unknown): void {
    for (const tell of [...this.#open]) tell(event, data);
  }
}
