import { join } from 'node:path';
import { isAnswerable, packOf } from 'marketplace-seller-sdk';
import type { SellerClient } from 'marketplace-seller-sdk';
import { createInbox, fetchHandler } from 'marketplace-seller-sdk/inbox';
import { sqliteStore } from 'marketplace-seller-sdk/stores';
import type { Handlers, Inbox } from 'marketplace-seller-sdk/inbox';
import type { Bot, World } from 'marketplace-seller-sdk/simulation';
import { isSent, isTakenForDone, sendWith } from './faulty-bot.ts';
import type { Fault } from './faulty-bot.ts';

/**
 * The bot of the guides, with an inbox in a file. One of the faults may be in it. It logs each time at which a fault that the
 * inbox cures would have done harm.
 */
export function faultyInboxBot(world: World, fault?: Fault): Bot {
  const forgets = fault === 'forgets a seller after a restart' && world.start > 1;
  const sellers = forgets ? world.sellers.slice(0, 1) : world.sellers;
  const clients = new Map(sellers.map(({ user_id }) => [user_id, world.client(user_id)]));
  const open = (loop: number): Inbox =>
    createInbox({
      store: sqliteStore(join(world.folder, 'inbox.db')),
      clientFor: (user_id) => clients.get(user_id),
      sellers: [...clients.keys()],
      // Each fourth of the usual rounds, which are most of what a small day costs.
      catchUpEveryMs: 3_600_000,
      on: handlersOf(world, fault, loop),
    });
  const inboxes = fault === 'has two loops at once' ? [open(1), open(2)] : [open(1)];
  for (const each of inboxes) each.start();
  const [inbox] = inboxes as [Inbox];
  const receive = fetchHandler(inbox);
  return {
    callback: fault === 'acknowledges before storing' ? acknowledging(world, receive) : receive,
    stop: () => Promise.all(inboxes.map((each) => each.close())),
    stats: () => inbox.stats(),
  };
}

type Receive = (request: Request) => Response | Promise<Response>;

function handlersOf(world: World, fault: Fault | undefined, loop: number): Handlers<SellerClient> {
  const stored = lastingSet(world, 'stored');
  const write = async (resource: string, text: string, send: () => Promise<unknown>): Promise<void> => {
    if (loop > 1) world.log(`harm: a second loop handles ${resource}`);
    if (fault === 'sends before it stores') {
      if (stored.has(resource)) return;
      if (world.marketplace.messages.all.some((each) => each.text === text)) world.log(`harm: ${resource} again`);
    }
    await sendWith(fault, send).catch((error: unknown) => {
      if (!isTakenForDone(error, fault)) throw error;
    });
    stored.add(resource);
  };
  const swallowing = <Args extends unknown[]>(handler: (...args: Args) => Promise<void>): typeof handler =>
    fault === 'swallows errors' ? (...args) => handler(...args).catch(() => undefined) : handler;
  return {
    questions: swallowing(async ({ resource }, { read, client }) => {
      const question = await read();
      const answer = { question_id: question.id, text: 'Yes.' };
      if (isAnswerable(question)) await write(resource, '', () => client.questions.answer(answer));
    }),
    messages: swallowing(async ({ user_id, resource }, { read, reply, client }) => {
      const message = await read();
      if (message.from?.user_id === user_id) return;
      const byText = fault === 'tells messages apart by text';
      const text = byText ? 'Thank you.' : `Thank you for ${message.id}.`;
      if (byText && (await isSent(client, packOf(message), user_id, text))) return;
      await write(resource, text, () => reply(text));
    }),
  };
}

/** Stores two seconds after its response: a kill in between loses the notification. */
function acknowledging(world: World, receive: Receive): Receive {
  const pending = lastingSet(world, 'pending');
  for (const key of pending) world.log(`harm: notification ${key} was lost`);
  pending.clear();
  let count = 0;
  return (request) => {
    const kept = request.clone();
    const key = `${world.start}.${(count += 1)}`;
    pending.add(key);
    setTimeout(() => {
      pending.delete(key);
      void receive(kept);
    }, 2000);
    return new Response();
  };
}

function lastingSet(world: World, name: string): Set<string> {
  const kept = (world.lasting.get(name) ?? new Set()) as Set<string>;
  world.lasting.set(name, kept);
  return kept;
}
