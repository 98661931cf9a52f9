import { SellerError, hasStatus, isAnswerable, packOf } from 'marketplace-seller-sdk';
import type { SellerClient } from 'marketplace-seller-sdk';
import type { Bot, World } from 'marketplace-seller-sdk/simulation';

/** Faults that ordinary bots have. */
export type Fault =
  | 'sends before it stores'
  | 'takes a lost response for done'
  | 'repeats blindly'
  | 'forgets a seller after a restart'
  | 'acknowledges before storing'
  | 'tells messages apart by text'
  | 'has two loops at once'
  | 'swallows errors';

interface Task {
  readonly user_id: number;
  readonly topic: string;
  readonly id: string;
}

/** A bot without an inbox: it stores what it is told, and answers questions and messages in a loop. One of the faults may be in it. */
export function faultyBot(world: World, fault?: Fault): Bot {
  const tasks = (world.lasting.get('tasks') ?? new Map()) as Map<string, Task>;
  world.lasting.set('tasks', tasks);
  const sellers =
    fault === 'forgets a seller after a restart' && world.start > 1 ? world.sellers.slice(0, 1) : world.sellers;
  const clients = new Map(sellers.map(({ user_id }) => [user_id, world.client(user_id)]));

  const loop = async (): Promise<void> => {
    for (const [key, task] of [...tasks]) {
      const client = clients.get(task.user_id);
      if (!client) continue;
      try {
        await (task.topic === 'questions' ? answer(client, task) : reply(client, task, fault));
        tasks.delete(key);
      } catch (error) {
        if (isOver(error, fault)) tasks.delete(key);
      }
    }
  };
  let running: Promise<void> | undefined;
  const wake = (): void => {
    if (fault === 'has two loops at once') void loop();
    else running ??= loop().finally(() => (running = undefined));
  };
  const timer = setInterval(wake, 30_000);

  return {
    callback: async (request) => {
      const { user_id, topic, resource } = (await request.json()) as Record<string, string>;
      const task = { user_id: Number(user_id), topic: topic!, id: resource!.split('/').pop()! };
      const store = (): void => {
        if (topic !== 'orders_v2') tasks.set(resource!, task);
        wake();
      };
      if (fault === 'acknowledges before storing') setTimeout(store, 2000);
      else store();
      return new Response();
    },
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}

function isOver(error: unknown, fault: Fault | undefined): boolean {
  if (fault === 'swallows errors') return true;
  return isTakenForDone(error, fault) || (error instanceof SellerError && error.isLasting);
}

export function isTakenForDone(error: unknown, fault: Fault | undefined): boolean {
  return fault === 'takes a lost response for done' && error instanceof Error && 'outcomeUnknown' in error;
}

async function answer(client: SellerClient, { id }: Task): Promise<void> {
  const question_id = Number(id);
  const question = await client.questions.get({ question_id });
  if (isAnswerable(question) && hasStatus(question, 'UNANSWERED'))
    await client.questions.answer({ question_id, text: 'Yes.' });
}

async function reply(client: SellerClient, { id, user_id }: Task, fault: Fault | undefined): Promise<void> {
  const message = await client.messages.get({ message_id: id });
  if (message.from?.user_id === user_id) return;
  const text = fault === 'tells messages apart by text' ? 'Thank you.' : `Thank you for ${id}.`;
  // What an earlier attempt may have sent is in the conversation.
  if (fault !== 'sends before it stores' && (await isSent(client, packOf(message), user_id, text))) return;
  await sendWith(fault, () => client.messages.reply(message, text));
}

/** Sends, and again after any error where it repeats blindly. */
export async function sendWith(fault: Fault | undefined, send: () => Promise<unknown>): Promise<void> {
  const attempts = fault === 'repeats blindly' ? 3 : 1;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await send();
      return;
    } catch (error) {
      if (attempt === attempts) throw error;
    }
  }
}

/** Whether a text of the seller is in a conversation. */
export async function isSent(
  client: SellerClient,
  pack_id: number | string,
  user_id: number,
  text: string,
): Promise<boolean> {
  for await (const message of client.messages.conversation({ pack_id, user_id, mark_as_read: false }))
    if (message.text === text) return true;
  return false;
}
