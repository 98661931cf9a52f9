import { SellerClient } from '../client.js';
import { FakeMarketplace } from '../testing/marketplace.js';
import type { Account } from '../testing/state/accounts.js';
import type { Item } from '../testing/state/items.js';
import { Bots } from './bots.js';
import { hashOf } from './decisions.js';
import type { Decisions } from './decisions.js';
import type { Recorder } from './history.js';
import type { Names } from './names.js';
import { Network } from './network.js';
import { sharesOf } from './options.js';
import type { SimulationOptions, World } from './options.js';
import { SimulatedProcess } from './process.js';
import type { VirtualTime } from './virtual-time.js';

/** What a scene is made of. */
export interface SceneInit {
  readonly options: SimulationOptions;
  readonly seed: number;
  readonly time: VirtualTime;
  readonly world: SimulatedProcess;
  readonly recorder: Recorder;
  readonly names: Names;
  readonly decisions: Decisions;
  readonly folder: string;
}

/** The marketplace with its sellers, the bot, and what lies between them. */
export interface Scene extends SceneInit {
  readonly marketplace: FakeMarketplace;
  readonly sellers: readonly Account[];
  readonly items: readonly Item[];
  readonly network: Network;
  readonly bots: Bots;
  /** Where the starts of the bot find the marketplace. */
  readonly baseUrls: ReadonlySet<string>;
}

/** Sets the scene. The bot has not begun. */
export function createScene(init: SceneInit): Scene {
  const { options, world, recorder } = init;
  const marketplace = new FakeMarketplace(options.marketplace);
  const { serve } = marketplace;
  // A client that was made with `marketplace.clientFor` is subject to the same faults.
  Object.defineProperty(marketplace, 'fetch', { value: (...args: Parameters<typeof fetch>) => fetch(...args) });
  const dateAheadMs = aheadMs(init, 'clock of the service', 1000);
  const network = new Network({ ...init, marketplace, serve, outside: options.outside, dateAheadMs });
  const sellers = Array.from({ length: options.sellers ?? 2 }, (_, index) =>
    marketplace.addUser({ user_id: 7 + index, nickname: `seller${index + 1}` }),
  );
  for (const { user_id, nickname } of sellers) init.names.give(user_id, nickname);
  const items = sellers.map(({ user_id }) => marketplace.addItem({ seller_id: user_id }));
  const baseUrls = new Set<string>();
  const worldOf = worldsOf(init, marketplace, sellers, baseUrls);
  const processOf = (start: number): SimulatedProcess => botProcess(init, network, start);
  const bots = new Bots({ bot: options.bot, world, recorder, processOf, worldOf });
  return { ...init, marketplace, sellers, items, network, bots, baseUrls };
}

function worldsOf(
  { time, folder, recorder }: SceneInit,
  marketplace: FakeMarketplace,
  sellers: readonly Account[],
  baseUrls: Set<string>,
): (start: number) => World {
  const tokens = new Map(sellers.map((seller) => [seller.user_id, marketplace.tokenFor(seller)]));
  const lasting = new Map<string, unknown>();
  return (start) => {
    const baseUrl = nextBaseUrl();
    baseUrls.add(baseUrl);
    return {
      ...{ sellers, baseUrl, marketplace, folder, lasting, start },
      client: (user_id, options) => new SellerClient({ baseUrl, accessToken: tokens.get(user_id) ?? '', ...options }),
      log: (text) => recorder.line(time.now, `log: ${text}`),
    };
  };
}

let starts = 0;

/**
 * Each start has one of its own: what an earlier run has left behind is not taken for a request of this one. All are equally long,
 * because a message that contains one may be cut off.
 */
function nextBaseUrl(): string {
  starts += 1;
  return `https://start${String(starts).padStart(9, '0')}.marketplace.test`;
}

/** By how much a clock is ahead, in milliseconds: as `clockDifferenceMs` says, and at most `most`. */
function aheadMs({ options, decisions }: SceneInit, clock: string, most = Infinity): number {
  return Math.round((2 * decisions.amount(clock) - 1) * Math.min(most, sharesOf(options).clockDifferenceMs ?? 0));
}

function botProcess(init: SceneInit, network: Network, start: number): SimulatedProcess {
  const { time, seed, recorder } = init;
  return new SimulatedProcess({
    name: 'The bot',
    time,
    seed: hashOf(seed, `start ${start}`),
    clockAheadMs: aheadMs(init, 'clock'),
    print: (text) => recorder.line(time.now, `bot: ${text.split('\n')[0] ?? ''}`),
    fetch: (request, from) => network.send(request, from, start),
  });
}
