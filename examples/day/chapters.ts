import { badDay } from './bad-day.ts';
import { blocking } from './blocking.ts';
import { cancellation } from './cancellation.ts';
import { files } from './files.ts';
import { flex } from './flex.ts';
import { lostResponse } from './lost-response.ts';
import { notifications } from './notifications.ts';
import { outbox } from './outbox.ts';
import { phoneViews } from './phone-views.ts';
import { questions } from './questions.ts';
import { errors } from './errors.ts';
import { evening, morning } from './response-time.ts';
import { sale } from './sale.ts';
import type { Chapter } from './stage.ts';

/** The chapters of the day, in order. */
export const chapters: readonly Chapter[] = [
  morning,
  questions,
  errors,
  blocking,
  notifications,
  flex,
  sale,
  files,
  cancellation,
  lostResponse,
  phoneViews,
  outbox,
  badDay,
  evening,
];

/** The chapters that show what is unlike other libraries, in some forty lines. The day begins with the first of them. */
export const shortDay: readonly Chapter[] = [
  lostResponse,
  { ...notifications, at: '2026-03-02T18:10:00-03:00' },
  badDay,
];
