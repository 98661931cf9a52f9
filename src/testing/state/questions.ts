import type { Item } from './items.js';
import { FakeMarketplaceError } from '../errors.js';
import type { MarketplaceState } from './marketplace-state.js';

/** A question as the marketplace keeps it. */
export interface StoredQuestion {
  readonly id: number;
  readonly seller_id: number;
  readonly item_id: string;
  readonly from: number;
  readonly text: string;
  /** When it was asked, in milliseconds since 1970. */
  readonly askedAt: number;
  readonly answer?: StoredAnswer;
  /** What became of it, other than an answer. */
  readonly removed?: 'DELETED' | 'BANNED';
  readonly hidden?: true;
}

/** The answer of a question. */
export interface StoredAnswer {
  readonly text: string;
  readonly status: 'ACTIVE' | 'DISABLED';
  /** When it was given, in milliseconds since 1970. */
  readonly answeredAt: number;
}

/** What a question's state comes to. Spec: States and transitions, Question status. */
export type QuestionStatus = 'UNANSWERED' | 'ANSWERED' | 'CLOSED_UNANSWERED' | 'UNDER_REVIEW' | 'DELETED' | 'BANNED';

/** Every question on the marketplace, and who may not ask whom. */
export class QuestionStore {
  readonly #questions = new Map<number, StoredQuestion>();
  /** By seller: who is blocked, and since when. */
  readonly #blocked = new Map<number, Map<number, number>>();
  /** By asker and seller: how many questions were answered. */
  readonly #answered = new Map<string, number>();
  readonly #world: MarketplaceState;
  // Beyond 2^31, as the service's are.
  #nextQuestion = 5_000_000_001;

  constructor(world: MarketplaceState) {
    this.#world = world;
  }

  /** All questions, the oldest first. */
  get all(): readonly StoredQuestion[] {
    return [...this.#questions.values()];
  }

  get(question_id: number): StoredQuestion | undefined {
    return this.#questions.get(question_id);
  }

  /** The question, which must exist. */
  need(question_id: number): StoredQuestion {
    const question = this.#questions.get(question_id);
    if (!question) throw new FakeMarketplaceError(`there is no question ${question_id}; ask one with ask({ ... })`);
    return question;
  }

  /** The state of a question follows its answer and its item. */
  statusOf(question: StoredQuestion): QuestionStatus {
    if (question.removed) return question.removed;
    const { status } = this.#world.items.getOrThrow(question.item_id);
    if (status === 'under_review') return 'UNDER_REVIEW';
    if (question.answer) return 'ANSWERED';
    return status === 'closed' ? 'CLOSED_UNANSWERED' : 'UNANSWERED';
  }

  /** Puts a question on an item, whatever its state. */
  add({ item_id, seller_id }: Item, from: number, text: string): StoredQuestion {
    const question = { id: this.#nextQuestion++, seller_id, item_id, from, text, askedAt: this.#world.clock.ms };
    this.#questions.set(question.id, question);
    this.#tell(question);
    return question;
  }

  /** Answers a question, which takes one answer, on behalf of its seller. */
  answer(question_id: number, text: string): StoredQuestion {
    const { answer, from, seller_id } = this.need(question_id);
    if (answer) throw new FakeMarketplaceError(`question ${question_id} has its answer already`);
    this.#answered.set(`${from} ${seller_id}`, this.answeredOf(from, seller_id) + 1);
    return this.#change(question_id, { answer: { text, status: 'ACTIVE', answeredAt: this.#world.clock.ms } });
  }

  /** How many questions of a user the seller has answered. */
  answeredOf(user_id: number, seller_id: number): number {
    return this.#answered.get(`${user_id} ${seller_id}`) ?? 0;
  }

  /** The moderation takes an answer off the listing. */
  disableAnswer(question_id: number): StoredQuestion {
    const { answer } = this.need(question_id);
    if (!answer) throw new FakeMarketplaceError(`question ${question_id} has no answer to disable`);
    return this.#change(question_id, { answer: { ...answer, status: 'DISABLED' } });
  }

  /** The seller takes a question away. */
  delete(question_id: number): StoredQuestion {
    return this.#change(question_id, { removed: 'DELETED' });
  }

  /** The moderation takes a question away. */
  ban(question_id: number): StoredQuestion {
    return this.#change(question_id, { removed: 'BANNED' });
  }

  /** The seller no longer wants to see a question in the listing. */
  hide(question_id: number): StoredQuestion {
    return this.#change(question_id, { hidden: true });
  }

  /** A seller takes no more questions from a user. */
  block(user_id: number, seller_id: number): void {
    const blocked = this.#blocked.get(seller_id) ?? new Map<number, number>();
    if (!blocked.has(user_id)) blocked.set(user_id, this.#world.clock.ms);
    this.#blocked.set(seller_id, blocked);
  }

  /** A seller takes questions from a user again. @returns whether the user was blocked. */
  unblock(user_id: number, seller_id: number): boolean {
    return this.#blocked.get(seller_id)?.delete(user_id) ?? false;
  }

  isBlocked(user_id: number, seller_id: number): boolean {
    return this.#blocked.get(seller_id)?.has(user_id) ?? false;
  }

  /** The users that a seller has blocked, and since when, in milliseconds since 1970. */
  blockedBy(seller_id: number): { readonly user_id: number; readonly since: number }[] {
    return [...(this.#blocked.get(seller_id) ?? [])].map(([user_id, since]) => ({ user_id, since }));
  }

  #change(question_id: number, change: Partial<StoredQuestion>): StoredQuestion {
    const question = { ...this.need(question_id), ...change };
    this.#questions.set(question_id, question);
    this.#tell(question);
    return question;
  }

  #tell({ id, seller_id }: StoredQuestion): void {
    this.#world.events.emit({ topic: 'questions', resource: `/questions/${id}`, user_id: seller_id });
  }
}
