import { isAnswerable } from 'marketplace-seller-sdk';
import { SimulationError, simulate } from 'marketplace-seller-sdk/simulation';
import type { Bot, World } from 'marketplace-seller-sdk/simulation';
import type { Chapter } from './stage.ts';

const day = { seeds: [17], load: { questions: 8, sales: 0, messages: 0 } };

/**
 * A bot runs through a simulated day on which calls and notifications go wrong. What happens around it takes
 * no real time.
 */
export const badDay: Chapter = {
  title: 'A bad day, seed 17',
  at: '2026-03-02T19:00:00-03:00',

  async play({ say }) {
    say.code('await simulate({ seeds: [17], bot: thatAnswersAtOnce });');
    const error: unknown = await simulate({ ...day, bot: botThat(false) }).catch(
      (reason: unknown) => reason,
    );
    if (!(error instanceof SimulationError)) throw error;
    say.bad(error.message.split('\n')[0] ?? '');
    for (const line of [...shortTraceOf(error), ...error.violations]) say.line(line);
    await simulate({ ...day, bot: botThat(true) });
    say.good('On the same day, a bot that reads each question first answers all of them.');
  },
};

/** Answers each question that it is told of, at once or after it has read that the question is open. */
function botThat(readsFirst: boolean): (world: World) => Bot {
  return (world) => ({
    callback: async (request) => {
      const { user_id, topic, resource } = (await request.json()) as Record<string, string>;
      if (topic !== 'questions') return new Response();
      const question_id = Number(resource?.split('/').pop());
      const { questions } = world.client(Number(user_id));
      const isOpen = !readsFirst || isAnswerable(await questions.get({ question_id }));
      if (isOpen) await questions.answer({ question_id, text: 'Yes.' });
      return new Response();
    },
  });
}

/** The lines of the events that are enough, and of what the service makes of them, without the day. */
function shortTraceOf({ trace, only }: SimulationError): string[] {
  const names = only.map((name) => `${name.split(': ')[0] ?? ''}:`);
  return trace
    .map((line) => line.replace(/^day \d /, ''))
    .filter((line) => [...names, 'the service has'].some((name) => line.slice(14).startsWith(name)));
}
