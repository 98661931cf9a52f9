import type { SellerClient } from '../client.js';
import { ConfigurationError, InvalidInputError } from '../core/errors/errors.js';
import { isPlainObject } from '../core/json/plain-object.js';
import { withMethods } from '../core/options/rules.js';

/** The sellers of an application, as `createSellers` returns them. */
export interface ToolSellers {
  /** Returns the client of a seller; `undefined` for anybody whose tokens are not there. */
  readonly for: (user_id: number) => Promise<SellerClient | undefined>;
  /** The ids of the sellers. */
  readonly ids: () => Promise<readonly number[]>;
}

/** For whom a tool is called. */
export interface ToolTarget {
  readonly client: SellerClient;
  /** The id of the seller, if there are several. */
  readonly seller?: string | undefined;
}

/** The field with which a model says for which of several sellers it calls. */
export const sellerField = 'seller';

/** How the field looks in the input of each tool. */
export const sellerSchema = {
  type: 'string',
  description: 'The id of the seller for whom it is called.',
  pattern: '^\\d+$',
};

/** Finds the client of a call: the only one, or that of the seller in its input. */
export class Targets {
  readonly #given: SellerClient | ToolSellers;

  /** @throws {ConfigurationError} when it is neither a client nor the sellers */
  constructor(given: SellerClient | ToolSellers) {
    const isTaken = ['for', 'call'].some((name) => withMethods(name)(given) === undefined);
    if (!isTaken) throw new ConfigurationError('createTools takes a client, or what createSellers returns');
    this.#given = given;
  }

  get areMany(): boolean {
    return 'for' in this.#given;
  }

  /**
   * Returns the input of the operation, without the seller.
   *
   * @throws {InvalidInputError} when there are many sellers, and it names none.
   */
  inputOf(input: unknown): unknown {
    if (!this.areMany) return input;
    const { [sellerField]: seller, ...rest } = (isPlainObject(input) ? input : {}) as Record<string, unknown>;
    if (/^\d{1,15}$/.test(String(seller))) return rest;
    const problem = seller === undefined || seller === null ? 'is missing; it takes' : 'takes';
    throw new InvalidInputError([{ path: [sellerField], message: `\`seller\` ${problem} the id of a seller` }]);
  }

  /**
   * Returns for whom a tool is called.
   *
   * @throws {InvalidInputError} when the seller has not authorised the application.
   */
  async of(input: unknown): Promise<ToolTarget> {
    if (!('for' in this.#given)) return { client: this.#given };
    const seller = String((input as Record<string, unknown>)[sellerField]);
    const client = await this.#given.for(Number(seller));
    if (client) return { client, seller };
    const ids = await this.#given.ids();
    const message = `\`seller\` ${seller} has not authorised the application; the sellers are ${ids.join(', ')}`;
    throw new InvalidInputError([{ path: [sellerField], message }]);
  }
}
