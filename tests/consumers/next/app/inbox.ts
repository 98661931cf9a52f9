import { createInbox } from 'marketplace-seller-sdk/inbox';

export const handled: number[] = [];

export const inbox = createInbox({
  on: {
    questions: ({ question_id }) => {
      handled.push(question_id);
    },
  },
});
