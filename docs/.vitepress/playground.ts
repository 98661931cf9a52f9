// Runs an example of the guides against a fake marketplace, in the page. It is loaded when a reader presses "Run".
import * as main from 'marketplace-seller-sdk';
import * as inbox from 'marketplace-seller-sdk/inbox';
import * as outbox from 'marketplace-seller-sdk/outbox';
import * as schemas from 'marketplace-seller-sdk/schemas';
import * as stores from 'marketplace-seller-sdk/stores';
import * as testing from 'marketplace-seller-sdk/testing';
import * as tools from 'marketplace-seller-sdk/tools';

/** A request that an example sent. */
export interface ShownRequest {
  /** Its method and path. */
  readonly call: string;
  /** The status of the response; `undefined` if the connection broke. */
  readonly status: number | undefined;
}

/** What an example has said and sent so far. */
export interface Progress {
  readonly lines: readonly string[];
  readonly requests: readonly ShownRequest[];
}

/** A marketplace where something has happened, and what the examples of the guides use without creating it. */
export function createScene(): {
  readonly marketplace: testing.FakeMarketplace;
  readonly accessToken: string;
  readonly question_id: number;
} {
  const marketplace = new testing.FakeMarketplace({ now: '2026-03-02T12:00:00Z' });
  const account = marketplace.addUser({ user_id: 7 });
  const from = marketplace.addUser({ user_id: 31 });
  marketplace.addItem({ item_id: 'MLA100', seller_id: 7 });
  const ask = (text: string): number => marketplace.ask({ from, item_id: 'MLA100', text }).id;
  const question_id = ask('Is there stock?');
  ask('Which colours are there?');
  ask('Do you ship to Salta?');
  marketplace.flex.subscribe({ user_id: 7, service_id: 1001 });
  marketplace.flex.assignDriver(marketplace.flex.ship(account), 345);
  return { marketplace, accessToken: marketplace.tokenFor(account), question_id };
}

/**
 * Runs an example that was compiled to CommonJS. Its clients reach a fake marketplace, and nothing else.
 *
 * @throws what the example throws.
 */
export async function runExample(program: string, show: (progress: Progress) => void): Promise<void> {
  const { marketplace, accessToken, question_id } = createScene();
  const marketplaces = [marketplace];
  const lines: string[] = [];
  const told = (): void => show({ lines: [...lines], requests: marketplaces.flatMap(requestsOf) });
  const log = (...values: unknown[]): void => {
    lines.push(values.map(textOf).join(' '));
    told();
  };
  const modules = {
    ...modulesFor(marketplace, (created) => void marketplaces.push(created)),
    // It is large, and few examples need it.
    // oxlint-disable-next-line no-restricted-imports -- the examples import it as users do
    ...(/require\(['"]zod['"]\)/.test(program) && { zod: await import('zod') }),
  };
  const given = {
    console: { ...console, log, info: log, warn: log, error: log },
    process: { env: { SELLER_TOKEN: accessToken } },
    seller: new main.SellerClient({ baseUrl: marketplace.baseUrl, accessToken, fetch: marketplace.fetch }),
    marketplace,
    question_id,
  };
  try {
    // Inside a block, an example may declare the given names itself.
    const run = new AsyncFunction('require', 'exports', ...Object.keys(given), `{${program}\n}`);
    await run((name: string) => (modules as Readonly<Record<string, unknown>>)[name], {}, ...Object.values(given));
  } finally {
    told();
  }
}

/** What an example imports. Its clients send to the marketplace whatever their base URL is. */
function modulesFor(
  { fetch }: testing.FakeMarketplace,
  onCreated: (marketplace: testing.FakeMarketplace) => void,
): Readonly<Record<string, unknown>> {
  class SellerClient extends main.SellerClient {
    constructor(options: main.ClientOptions) {
      super({ fetch, ...options });
    }
  }
  class FakeMarketplace extends testing.FakeMarketplace {
    constructor(options?: testing.FakeMarketplaceOptions) {
      super(options);
      onCreated(this);
    }
  }
  return {
    'marketplace-seller-sdk': { ...main, SellerClient },
    'marketplace-seller-sdk/inbox': inbox,
    'marketplace-seller-sdk/outbox': outbox,
    'marketplace-seller-sdk/schemas': schemas,
    'marketplace-seller-sdk/stores': stores,
    'marketplace-seller-sdk/testing': { ...testing, FakeMarketplace },
    'marketplace-seller-sdk/tools': tools,
  };
}

function requestsOf({ requests }: testing.FakeMarketplace): ShownRequest[] {
  return requests.all.map(({ method, path, response }) => ({ call: `${method} ${path}`, status: response?.status }));
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  return value === undefined ? 'undefined' : JSON.stringify(value);
}

const { constructor: AsyncFunction } = Object.getPrototypeOf(runExample) as {
  constructor: new (...parts: string[]) => (...values: unknown[]) => Promise<void>;
};
