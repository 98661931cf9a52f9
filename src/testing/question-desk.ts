import type { Item } from './items.js';
import { FakeMarketplaceError } from './misuse.js';
import type { World } from './world.js';

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
export class QuestionDesk {
  readonly #questions = new Map<number, StoredQuestion>();
  readonly #blocked = new Map<number, Map<number, number>>();
  readonly #world: World;
  // Beyond 2^31, as the service's are.
  #nextQuestion = 5_000_000_001;

  constructor(world: World) {
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
    const { status } = this.#world.items.need(question.item_id);
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

  /** Answers a question, whatever its state. */
  answer(question_id: number, text: string): StoredQuestion {
    return this.#change(question_id, { answer: { text, status: 'ACTIVE', answeredAt: this.#world.clock.ms } });
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

  /** The users that a seller has blocked, and when, in milliseconds since 1970. */
  blockedBy(seller_id: number): Map<number, number> {
    const blocked = this.#blocked.get(seller_id) ?? new Map<number, number>();
    this.#blocked.set(seller_id, blocked);
    return blocked;
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
