import { createReceiver } from 'marketplace-seller-sdk/notifications';

export const handled: number[] = [];

export const receiver = createReceiver({
  on: {
    questions: ({ question_id }) => {
      handled.push(question_id);
    },
  },
});
