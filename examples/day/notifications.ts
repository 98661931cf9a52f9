import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isAnswerable } from 'marketplace-seller-sdk';
import { createInbox, nodeHandler } from 'marketplace-seller-sdk/inbox';
import type { Chapter, Stage } from './stage.ts';

/**
 * The service sends some notifications twice and some in unusual formats. Each question is answered once.
 */
export const notifications: Chapter = {
  title: 'Notifications announce new questions',
  at: '2026-03-02T12:10:00-03:00',

  async play(stage) {
    const { say, marketplace, buyers, items, clientOf } = stage;
    say.code('const inbox = createInbox({ clientFor, on: { questions: readAndAnswer } });');
    say.code('createServer(nodeHandler(inbox)).listen(port);');
    const handled: number[] = [];
    const inbox = createAnsweringInbox(stage, handled);
    const server = createServer(nodeHandler(inbox)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const callback = `http://127.0.0.1:${(server.address() as AddressInfo).port}/notifications`;
    const subscription = marketplace.notifications.subscribe({
      callback,
      faults: { twice: 0.5, late: 0.5, odd: 0.5 },
    });

    const asked = [
      { who: buyers.mateo, about: items.lamp, text: 'Is it in stock?' },
      { who: buyers.ines, about: items.kettle, text: 'Is there a red one?' },
    ];
    for (const { who, about, text } of asked) {
      say.quote(who.nickname, about.title, text);
      await clientOf(who).questions.ask({ item_id: about.item_id, text });
      await marketplace.notifications.flush();
      await inbox.idle();
      // The answer also causes a notification.
      await marketplace.notifications.flush();
      await inbox.idle();
    }
    printDeliveries(stage, callback);
    const { length } = marketplace.notifications.attempts;
    say.good(`${length} deliveries for ${handled.length} events; each event was handled once.`);
    subscription.cancel();
    server.close();
    server.closeAllConnections();
    await inbox.close();
  },
};

/** Prints each delivery. The service sends one for each new question and one for each new answer. */
function printDeliveries({ say, marketplace }: Stage, callback: string): void {
  const known = new Set<string>();
  say.line(`Received at ${new URL(callback).host}, for each new question and each new answer:`);
  for (const { id, event, outcome } of marketplace.notifications.attempts) {
    say.line(`POST ${event.resource}  ${outcome}${known.has(id) ? '  (a duplicate)' : ''}`);
    known.add(id);
  }
}

function createAnsweringInbox({ say, client, seller }: Stage, handled: number[]) {
  return createInbox({
    clientFor: (user_id) => (user_id === seller.user_id ? client : undefined),
    on: {
      questions: async (_, { read }) => {
        const question = await read();
        const { id, text } = question;
        handled.push(id);
        if (!isAnswerable(question)) return;
        await client.questions.answer({ question_id: id, text: 'Yes.' });
        say.line(`${(text ?? '').padEnd(27)} Yes.`);
      },
    },
  });
}
