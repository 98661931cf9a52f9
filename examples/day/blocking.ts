import { ForbiddenError } from 'marketplace-seller-sdk';
import type { Chapter } from './stage.ts';

/** The seller blocks a user who advertises. This user can no longer ask questions. */
export const blocking: Chapter = {
  title: 'A user is blocked',
  at: '2026-03-02T11:20:00-03:00',

  async play({ say, client, clientOf, seller, marketplace, items }) {
    const spammer = marketplace.addUser({ nickname: 'Ofertas24' });
    const advertise = () =>
      clientOf(spammer).questions.ask({
        item_id: items.kettle.item_id,
        text: 'Cheaper kettles at our shop!!!',
      });
    const spam = await advertise();
    say.quote(spammer.nickname, items.kettle.title, spam?.text ?? '');

    say.code('await seller.questions.delete({ question_id });');
    const deleted = await client.questions.delete({ question_id: spam?.id ?? 0 });
    const confirmation = Array.isArray(deleted) ? deleted[0] : deleted?.message;
    say.good(confirmation ?? 'The question was deleted');

    say.code('await seller.questions.blacklist.add({ seller_id, user_id });');
    await client.questions.blacklist.add({ seller_id: seller.user_id, user_id: spammer.user_id });
    const blocked = await client.questions.blacklist.list({ seller_id: seller.user_id }).toArray();
    say.good(`${blocked.length} user is on the blacklist.`);

    try {
      await advertise();
    } catch (error) {
      if (!(error instanceof ForbiddenError)) throw error;
      say.quote(spammer.nickname, items.kettle.title, '…');
      say.bad(error.message);
    }
  },
};
