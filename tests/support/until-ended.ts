/** What of an inbox or an outbox is waited for. */
interface Ending {
  idle(): Promise<void>;
  readonly waiting: { list(): Promise<readonly { readonly nextInMs?: number | undefined }[]> };
}

/** Has an inbox or an outbox work until nothing is open: it waits for what is tried later, or whose moderation is followed. */
export async function untilEnded(work: Ending): Promise<void> {
  for (;;) {
    await work.idle();
    const open = await work.waiting.list();
    if (open.length === 0) return;
    const nextInMs = Math.min(...open.map((each) => each.nextInMs ?? 0));
    await new Promise((resolve) => setTimeout(resolve, Math.max(1, nextInMs)));
  }
}
