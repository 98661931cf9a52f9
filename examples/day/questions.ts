import { isAnswerable } from 'marketplace-seller-sdk';
import type { Chapter, Stage } from './stage.ts';

/** Buyers ask. The seller iterates over the open questions and answers each, so the list gets shorter. */
export const questions: Chapter = {
  title: 'Questions arrive and are answered',
  at: '2026-03-02T09:05:00-03:00',

  async play(stage) {
    const { say, client, seller, marketplace } = stage;
    await askAll(stage);
    marketplace.clock.advance({ minutes: 9 });

    say.line('');
    say.code('for await (const question of seller.questions.search({ seller_id, filters }))');
    say.code('  await seller.questions.answer({ question_id: question.id, text });');
    let answered = 0;
    // Small pages, to show that no question is skipped when the loop answers them.
    const open = { seller_id: seller.user_id, limit: 2, filters: { status: 'UNANSWERED' } };
    for await (const question of client.questions.search(open)) {
      if (!isAnswerable(question)) continue;
      await client.questions.answer({ question_id: question.id, text: answerTo(question.text ?? '') });
      marketplace.clock.advance({ minutes: 2 });
      answered += 1;
    }

    const all = await client.questions.search({ seller_id: seller.user_id, limit: 5 }).toArray({ max: 5 });
    for (const { text, answer } of all.reverse())
      say.line(`${(text ?? '').padEnd(27)} ${answer?.text ?? ''}`);
    const left = await client.questions.search(open).first();
    say.good(
      `${answered} questions answered while the list got shorter; ${left ? 'some are' : 'none is'} left.`,
    );
  },
};

async function askAll({ say, buyers, items, marketplace, clientOf }: Stage): Promise<void> {
  const asked = [
    { who: buyers.lucia, about: items.lamp, text: 'Is the light warm or cold?' },
    { who: buyers.mateo, about: items.kettle, text: 'How many litres?' },
    { who: buyers.ines, about: items.lamp, text: 'Does it come with a bulb?' },
    { who: buyers.mateo, about: items.shelf, text: 'Does it hold 30 kg?' },
    { who: buyers.lucia, about: items.shelf, text: 'Do you ship to Córdoba?' },
  ];
  for (const { who, about, text } of asked) {
    marketplace.clock.advance({ minutes: 3 });
    await clientOf(who).questions.ask({ item_id: about.item_id, text });
    say.quote(who.nickname, about.title, text);
  }
}

const answers: Readonly<Record<string, string>> = {
  'Is the light warm or cold?': 'Warm, 2,700 K.',
  'How many litres?': 'One and a half.',
  'Does it come with a bulb?': 'Yes, an LED.',
  'Does it hold 30 kg?': 'Yes, each shelf does.',
  'Do you ship to Córdoba?': 'Yes, to the whole country.',
};

function answerTo(text: string): string {
  return answers[text] ?? 'Good question! We will check.';
}
