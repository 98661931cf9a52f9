import type { Requester } from '../../core/operation/requester.js';
import { PhoneViews } from './phone-views.js';
import { QuestionContacts } from './question-contacts.js';

/** How often users contacted a seller through classified items. Read only. */
export class Contacts {
  /** Questions from guests. */
  readonly questions: QuestionContacts;
  /** Clicks on "See phone". */
  readonly phoneViews: PhoneViews;

  constructor(requester: Requester) {
    this.questions = new QuestionContacts(requester);
    this.phoneViews = new PhoneViews(requester);
  }
}
