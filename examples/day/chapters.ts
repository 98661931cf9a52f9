import { blocking } from './blocking.ts';
import { evening, morning } from './response-time.ts';
import { notifications } from './notifications.ts';
import { messages } from './messages.ts';
import { questions } from './questions.ts';
import { refusals } from './refusals.ts';
import type { Chapter } from './stage.ts';

/** The day, in order. */
export const chapters: readonly Chapter[] = [morning, questions, refusals, blocking, notifications, messages, evening];
