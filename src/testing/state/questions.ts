import { defined } from '../../core/json/json.js';
import { itemIdOf, type Item } from './items.js';
import { assertObject, assertText, FakeMarketplaceError } from '../errors.js';
import { EntityStore } from './entity-store.js';
import type { MarketplaceState } from './marketplace-state.js';

/** A stored question. */
export interface StoredQuestion {
  readonly id: number;
  readonly seller_id: number;
  readonly item_id: string;
  readonly from: number;
  readonly text: string;
  /** Time of asking, in milliseconds since 1970. */
  readonly askedAt: number;
  readonly answer?: {
    readonly text: string;
    readonly status: 'ACTIVE' | 'DISABLED';
    /** Time of answering, in milliseconds since 1970. */
    readonly answeredAt: number;
  };
  /** Whether the seller deleted it or moderation banned it. */
  readonly removed?: 'DELETED' | 'BANNED';
  readonly hidden?: true;
  /** Whether the service holds it back: it is `UNANSWERED`, but cannot be answered. */
  readonly hold?: boolean | undefined;
  /** Whether it was taken from the listing: the same. */
  readonly deleted_from_listing?: boolean | undefined;
}

/** What keeps a question that is `UNANSWERED` from being answered. */
export type QuestionMarks = Pick<StoredQuestion, 'hold' | 'deleted_from_listing'>;

/**
 * The questions, their answers and the blacklists.
 *
 * @example
 * const { questions } = marketplace;
 * const { id } = questions.add(marketplace.items.getOrThrow('MLA100'), 31, 'Is it new?');
 * questions.answer(id, 'Yes.');
 * questions.disableAnswer(id);
 * console.log(questions.statusOf(questions.getOrThrow(id)), questions.get(1)); // ANSWERED undefined
 * console.log(questions.answeredCount(31, 7));
 * questions.release(id); // no longer held back
 * questions.hide(id);
 * questions.ban(id); // or questions.delete(id)
 * questions.block(31, 7);
 * console.log(questions.isBlocked(31, 7), questions.blockedBy(7));
 * questions.unblock(31, 7);
 */
export class QuestionStore extends EntityStore<number, StoredQuestion> {
  readonly #state: MarketplaceState;
  /** @internal */
  protected data = {
    entries: new Map<number, StoredQuestion>(),
    /** By user and seller. */
    blocked: new Map<string, { readonly user_id: number; readonly seller_id: number; readonly since: number }>(),
    /** By asker and seller: the number of answered questions. */
    answered: new Map<string, number>(),
    // Larger than 2^31, like the ids of the service.
    nextQuestion: 5_000_000_001,
  };

  /** @internal */
  constructor(state: MarketplaceState) {
    super('question', () => '; add one with ask({ from, item_id, text })');
    this.#state = state;
    state.items.onStatusChange((before) => this.#notifyOfItem(before));
  }

  /** Returns the status of a question, which depends on its answer and its item. */
  statusOf(
    question: StoredQuestion,
    item: Pick<Item, 'status'> = this.#state.items.getOrThrow(itemIdOf(question)),
  ): 'UNANSWERED' | 'ANSWERED' | 'CLOSED_UNANSWERED' | 'UNDER_REVIEW' | 'DELETED' | 'BANNED' {
    assertObject('a question', question);
    assertObject('an item', item);
    const { status } = item;
    if (question.removed) return question.removed;
    if (status === 'under_review') return 'UNDER_REVIEW';
    if (question.answer) return 'ANSWERED';
    return status === 'closed' ? 'CLOSED_UNANSWERED' : 'UNANSWERED';
  }

  /** @internal Returns the marks that the service shows: it also holds what is under review; hidden and removed are not listed. */
  marksOf(question: StoredQuestion): { readonly hold: boolean; readonly deleted_from_listing: boolean } {
    const isUnderReview = this.statusOf(question) === 'UNDER_REVIEW';
    const { hold = false, deleted_from_listing = false, hidden = false, removed } = question;
    return {
      hold: hold || isUnderReview,
      deleted_from_listing: deleted_from_listing || hidden || removed !== undefined,
    };
  }

  /** Adds a question about an item, whatever the item's status. */
  add(
    item: Item,
    from: number,
    text: string,
    { hold, deleted_from_listing }: Pick<StoredQuestion, 'hold' | 'deleted_from_listing'> = {},
  ): StoredQuestion {
    const { item_id, seller_id } = this.#state.items.getOrThrow(itemIdOf(item));
    this.#state.accounts.getOrThrow(from);
    assertText('text', text);
    while (this.data.entries.has(this.data.nextQuestion)) this.data.nextQuestion += 1;
    const question: StoredQuestion = {
      ...{ id: this.data.nextQuestion++, seller_id, item_id, from, text, askedAt: this.#state.clock.ms },
      ...defined({ hold, deleted_from_listing }),
    };
    this.data.entries.set(question.id, question);
    this.#emit(question);
    return question;
  }

  /** Answers a question on behalf of its seller. A question has at most one answer. */
  answer(question_id: number, text: string): StoredQuestion {
    const { answer, from, seller_id } = this.getOrThrow(question_id);
    if (answer) throw new FakeMarketplaceError(`question ${question_id} already has an answer`);
    assertText('text', text);
    this.data.answered.set(`${from} ${seller_id}`, this.answeredCount(from, seller_id) + 1);
    return this.#change(question_id, { answer: { text, status: 'ACTIVE', answeredAt: this.#state.clock.ms } });
  }

  /** Returns how many questions of a user the seller has answered. */
  answeredCount(user_id: number, seller_id: number): number {
    return this.data.answered.get(`${user_id} ${seller_id}`) ?? 0;
  }

  /** Disables an answer, as moderation does. */
  disableAnswer(question_id: number): StoredQuestion {
    const { answer } = this.getOrThrow(question_id);
    if (!answer) throw new FakeMarketplaceError(`question ${question_id} has no answer to disable`);
    return this.#change(question_id, { answer: { ...answer, status: 'DISABLED' } });
  }

  /** Deletes a question, as its seller does. */
  delete(question_id: number): StoredQuestion {
    return this.#change(question_id, { removed: 'DELETED' });
  }

  /** Bans a question, as moderation does. */
  ban(question_id: number): StoredQuestion {
    return this.#change(question_id, { removed: 'BANNED' });
  }

  /** Releases a question that was held back. */
  release(question_id: number): StoredQuestion {
    return this.#change(question_id, { hold: false });
  }

  /** Hides a question, as its seller does. */
  hide(question_id: number): StoredQuestion {
    return this.#change(question_id, { hidden: true });
  }

  /** Blocks a user from asking a seller. */
  block(user_id: number, seller_id: number): void {
    if (this.isBlocked(user_id, seller_id)) return;
    this.data.blocked.set(`${user_id} ${seller_id}`, { user_id, seller_id, since: this.#state.clock.ms });
  }

  /** Unblocks a user. @returns whether the user was blocked */
  unblock(user_id: number, seller_id: number): boolean {
    return this.data.blocked.delete(`${user_id} ${seller_id}`);
  }

  /** Whether a seller has blocked a user. */
  isBlocked(user_id: number, seller_id: number): boolean {
    return this.data.blocked.has(`${user_id} ${seller_id}`);
  }

  /** @internal All blocked users, the first blocked first. */
  get blocked(): readonly { readonly user_id: number; readonly seller_id: number; readonly since: number }[] {
    return [...this.data.blocked.values()];
  }

  /** Returns the users that a seller has blocked, with the time in milliseconds since 1970. */
  blockedBy(seller_id: number): { readonly user_id: number; readonly since: number }[] {
    const own = this.blocked.filter((each) => each.seller_id === seller_id);
    return own.map(({ user_id, since }) => ({ user_id, since }));
  }

  #change(question_id: number, change: Partial<StoredQuestion>): StoredQuestion {
    const question = { ...this.getOrThrow(question_id), ...change };
    this.data.entries.set(question_id, question);
    this.#emit(question);
    return question;
  }

  /** A change of an item's status is an event of each question whose status it changes. */
  #notifyOfItem(before: Item): void {
    for (const question of this.data.entries.values()) {
      if (question.item_id === before.item_id && this.statusOf(question) !== this.statusOf(question, before))
        this.#emit(question);
    }
  }

  #emit({ id, seller_id }: StoredQuestion): void {
    this.#state.events.emit({ topic: 'questions', resource: `/questions/${id}`, user_id: seller_id });
  }
}
