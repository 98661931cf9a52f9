import type { SellerClient } from 'marketplace-seller-sdk';
import { documentedResponses } from './documented-responses.ts';

/** A response with several entries, how a client reads it, and which entries it delivers. */
export interface GoodResponse {
  readonly body: object;
  /** Where the list is in the body. */
  readonly list: readonly string[];
  readonly read: (client: SellerClient) => PromiseLike<readonly unknown[]>;
}

const numbers = [1, 2, 3];
const items = ['MLA1', 'MLA2', 'MLA3'];
const options = ['OTHER', 'REQUEST_VARIANTS', 'SEND_INVOICE_LINK'];

/** The methods that deliver a list: where it is, and what tells its three entries apart. */
const lists: readonly (readonly [name: string, list: readonly string[], field: string, values: readonly unknown[]])[] =
  [
    ['questions.search', ['questions'], 'id', numbers],
    ['questions.blacklist.list', ['users'], 'id', numbers],
    ['messages.conversation', ['messages'], 'id', ['a', 'b', 'c']],
    ['actionGuide.options', ['options'], 'id', options],
    ['actionGuide.caps', [], 'option_id', options],
    ['contacts.phoneViews.windowOfItems', [], 'item_id', items],
    ['flex.subscriptions', [], 'id', numbers],
    ['flex.configuration', ['configuration', 'zones'], 'id', ['z1', 'z2', 'z3']],
    ['currencies.list', [], 'id', ['ARS', 'BRL', 'MXN']],
    ['sites.search', ['results'], 'id', items],
  ];

/** The documented response with three entries instead of its one. */
function withThree(body: unknown, list: readonly string[], field: string, values: readonly unknown[]): object {
  const [name, ...rest] = list;
  if (name === undefined) return values.map((value) => ({ ...(body as object[])[0], [field]: value }));
  const counted = JSON.parse(JSON.stringify(body).replace('"total":1', '"total":3')) as Record<string, unknown>;
  return { ...counted, [name]: withThree(counted[name], rest, field, values) };
}

/** Every method that delivers a list, with a response of three entries as documented. */
export const goodResponses: Readonly<Record<string, GoodResponse>> = Object.fromEntries(
  lists.map(([name, list, field, values]) => {
    const { body, call } = documentedResponses[name]!;
    const read = async (client: SellerClient): Promise<readonly unknown[]> => {
      const found =
        field === 'item_id'
          ? await client.contacts.phoneViews.windowOfItems({ ids: items, last: 2, unit: 'day' })
          : await call(client);
      if (Array.isArray(found)) return found as unknown[];
      return ((found ?? {}) as Record<string, unknown[] | undefined>)[list.at(-1)!] ?? [];
    };
    return [name, { body: withThree(body, list, field, values), list, read }];
  }),
);
