import { blocking } from './blocking.ts';
import { cancellation } from './cancellation.ts';
import { files } from './files.ts';
import { flex } from './flex.ts';
import { lostAnswer } from './lost-answer.ts';
import { notifications } from './notifications.ts';
import { phoneViews } from './phone-views.ts';
import { questions } from './questions.ts';
import { refusals } from './refusals.ts';
import { evening, morning } from './response-time.ts';
import { sale } from './sale.ts';
import type { Chapter } from './stage.ts';

/** The day, in order. */
export const chapters: readonly Chapter[] = [
  morning,
  questions,
  refusals,
  blocking,
  notifications,
  flex,
  sale,
  files,
  cancellation,
  lostAnswer,
  phoneViews,
  evening,
];
