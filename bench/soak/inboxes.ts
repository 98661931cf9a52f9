import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { nextMessage, post, range } from '../inbox-load.ts';
import { here } from '../measure.ts';

/** Inboxes in processes of their own on one store. They note in a file what they have handled. */
export class Inboxes {
  readonly acknowledged = new Set<number>();
  rejected = 0;
  readonly #folder = mkdtempSync(join(tmpdir(), 'soak-'));
  readonly #store: string;
  readonly #where: string;
  readonly #agent = new Agent({ keepAlive: true });
  #next = 0;

  constructor(store: string, where?: string) {
    this.#store = store;
    this.#where = where ?? join(this.#folder, 'inbox.db');
  }

  get #notes(): string {
    return join(this.#folder, 'notes.txt');
  }

  async start(mode: string): Promise<{ port: number; process: ChildProcess }> {
    const process = fork(here('children/inbox.ts'), [this.#store, this.#where, mode, this.#notes]);
    return { process, port: (await nextMessage<{ port: number }>(process)).port };
  }

  /** Delivers to a process, some at a time, until `hasEnded` or until the process does not respond any more. */
  async deliver(
    port: number,
    hasEnded: () => boolean,
    options: { body?: (id: number) => string; at?: number; everyMs?: number } = {},
  ): Promise<void> {
    const { body, at = 16, everyMs = 0 } = options;
    const loop = async (): Promise<void> => {
      while (!hasEnded()) {
        const id = this.#next++;
        const status = await post(port, this.#agent, id, body?.(id)).catch(() => undefined);
        if (status === undefined) return;
        if (status === 200) this.acknowledged.add(id);
        else this.rejected += 1;
        if (everyMs > 0) await pause(everyMs);
      }
    };
    await Promise.all(range(at).map(loop));
  }

  /** What was handled, in order: the id, and the number of the attempt. */
  handled(): { id: number; attempt: number }[] {
    const lines = readFileSync(this.#notes, { encoding: 'utf8', flag: 'a+' }).split('\n').filter(Boolean);
    return lines.map((line) => {
      const [id = 0, attempt = 0] = line.split(' ').map(Number);
      return { id, attempt };
    });
  }

  /** Waits until all that was acknowledged was handled, for a minute at the most, and counts. */
  async result(): Promise<{ acknowledged: number; again: number; lost: number; attempts: number }> {
    const missing = (): number[] => {
      const ids = new Set(this.handled().map(({ id }) => id));
      return [...this.acknowledged].filter((id) => !ids.has(id));
    };
    const endsAt = performance.now() + 60_000;
    while (missing().length > 0 && performance.now() < endsAt) await pause(250);
    await pause(500);
    const handled = this.handled();
    return {
      acknowledged: this.acknowledged.size,
      again: handled.length - new Set(handled.map(({ id }) => id)).size,
      lost: missing().length,
      attempts: Math.max(...handled.map(({ attempt }) => attempt)),
    };
  }

  remove(): void {
    this.#agent.destroy();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
