import type { Item } from './items.js';
import { FakeMarketplaceError } from '../errors.js';
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
  readonly answer?: StoredAnswer;
  /** Whether the seller deleted it or moderation banned it. */
  readonly removed?: 'DELETED' | 'BANNED';
  readonly hidden?: true;
}

/** The answer of a question. */
export interface StoredAnswer {
  readonly text: string;
  readonly status: 'ACTIVE' | 'DISABLED';
  /** Time of answering, in milliseconds since 1970. */
  readonly answeredAt: number;
}

/** The status of a question. */
export type QuestionStatus = 'UNANSWERED' | 'ANSWERED' | 'CLOSED_UNANSWERED' | 'UNDER_REVIEW' | 'DELETED' | 'BANNED';

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
 * questions.hide(id);
 * questions.ban(id); // or questions.delete(id)
 * questions.block(31, 7);
 * console.log(questions.isBlocked(31, 7), questions.blockedBy(7));
 * questions.unblock(31, 7);
 */
export class QuestionStore {
  #questions = new Map<number, StoredQuestion>();
  /** By seller: the blocked users, with the time of the block. */
  #blocked = new Map<number, Map<number, number>>();
  /** By asker and seller: the number of answered questions. */
  #answered = new Map<string, number>();
  readonly #state: MarketplaceState;
  // Larger than 2^31, like the ids of the service.
  #nextQuestion = 5_000_000_001;

  constructor(state: MarketplaceState) {
    this.#state = state;
    state.items.onStatusChange((before) => this.#notifyOfItem(before));
  }

  /** All questions, the oldest first. */
  get all(): readonly StoredQuestion[] {
    return [...this.#questions.values()];
  }

  /** Returns a question, or `undefined` if there is none. */
  get(question_id: number): StoredQuestion | undefined {
    return this.#questions.get(question_id);
  }

  /** Returns a question. @throws {FakeMarketplaceError} when there is none */
  getOrThrow(question_id: number): StoredQuestion {
    const question = this.#questions.get(question_id);
    if (!question)
      throw new FakeMarketplaceError(`there is no question ${question_id}; add one with ask({ from, item_id, text })`);
    return question;
  }

  /** Returns the status of a question, which depends on its answer and its item. */
  statusOf(
    question: StoredQuestion,
    { status }: Pick<Item, 'status'> = this.#state.items.getOrThrow(question.item_id),
  ): QuestionStatus {
    if (question.removed) return question.removed;
    if (status === 'under_review') return 'UNDER_REVIEW';
    if (question.answer) return 'ANSWERED';
    return status === 'closed' ? 'CLOSED_UNANSWERED' : 'UNANSWERED';
  }

  /** Adds a question about an item, whatever the item's status. */
  add({ item_id, seller_id }: Item, from: number, text: string): StoredQuestion {
    const question = { id: this.#nextQuestion++, seller_id, item_id, from, text, askedAt: this.#state.clock.ms };
    this.#questions.set(question.id, question);
    this.#emit(question);
    return question;
  }

  /** Answers a question on behalf of its seller. A question has at most one answer. */
  answer(question_id: number, text: string): StoredQuestion {
    const { answer, from, seller_id } = this.getOrThrow(question_id);
    if (answer) throw new FakeMarketplaceError(`question ${question_id} already has an answer`);
    this.#answered.set(`${from} ${seller_id}`, this.answeredCount(from, seller_id) + 1);
    return this.#change(question_id, { answer: { text, status: 'ACTIVE', answeredAt: this.#state.clock.ms } });
  }

  /** Returns how many questions of a user the seller has answered. */
  answeredCount(user_id: number, seller_id: number): number {
    return this.#answered.get(`${user_id} ${seller_id}`) ?? 0;
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

  /** Hides a question, as its seller does. */
  hide(question_id: number): StoredQuestion {
    return this.#change(question_id, { hidden: true });
  }

  /** Blocks a user from asking a seller. */
  block(user_id: number, seller_id: number): void {
    const blocked = this.#blocked.get(seller_id) ?? new Map<number, number>();
    if (!blocked.has(user_id)) blocked.set(user_id, this.#state.clock.ms);
    this.#blocked.set(seller_id, blocked);
  }

  /** Unblocks a user. @returns whether the user was blocked */
  unblock(user_id: number, seller_id: number): boolean {
    return this.#blocked.get(seller_id)?.delete(user_id) ?? false;
  }

  /** Whether a seller has blocked a user. */
  isBlocked(user_id: number, seller_id: number): boolean {
    return this.#blocked.get(seller_id)?.has(user_id) ?? false;
  }

  /** Returns the users that a seller has blocked, with the time in milliseconds since 1970. */
  blockedBy(seller_id: number): { readonly user_id: number; readonly since: number }[] {
    return [...(this.#blocked.get(seller_id) ?? [])].map(([user_id, since]) => ({ user_id, since }));
  }

  #change(question_id: number, change: Partial<StoredQuestion>): StoredQuestion {
    const question = { ...this.getOrThrow(question_id), ...change };
    this.#questions.set(question_id, question);
    this.#emit(question);
    return question;
  }

  /** A change of an item's status is an event of each question whose status it changes. */
  #notifyOfItem(before: Item): void {
    for (const question of this.#questions.values()) {
      if (question.item_id === before.item_id && this.statusOf(question) !== this.statusOf(question, before))
        this.#emit(question);
    }
  }

  #emit({ id, seller_id }: StoredQuestion): void {
    this.#state.events.emit({ topic: 'questions', resource: `/questions/${id}`, user_id: seller_id });
  }

  /** @internal Saves the content. @returns a function that restores it */
  checkpoint(): () => void {
    const questions = new Map(this.#questions);
    const blocked = new Map([...this.#blocked].map(([seller_id, users]) => [seller_id, new Map(users)]));
    const answered = new Map(this.#answered);
    const numbers = [this.#nextQuestion] as const;
    return () => {
      this.#questions = questions;
      this.#blocked = blocked;
      this.#answered = answered;
      [this.#nextQuestion] = numbers;
    };
  }
}
