import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checks, simulate } from 'marketplace-seller-sdk/simulation';
import type { Check, History, SimulationOptions } from 'marketplace-seller-sdk/simulation';
import { describe, expect, test } from 'vitest';
import { documentedBots, exampleBot } from './bots/documented.ts';
import type { DocumentedBot } from './bots/documented.ts';
import { inboxBot } from './bots/inbox-bot.ts';
import { jobsSentOnce, outboxBot } from './bots/outbox-bot.ts';
import { failedOnce } from './failed-seeds.ts';

type CheckName = Exclude<keyof typeof checks, 'usual'>;

/** `npm run simulate` sets them: each commit has seeds of its own. */
const { SIMULATION_SEEDS: count = '', SIMULATION_SEED: first = '1' } = process.env;
const drawn = Array.from({ length: Number(count) || 5 }, (_, index) => Number(first) + index);
/** In `npm test`, a smaller day: it has every fault, and fewer questions. */
const load = count === '' ? { questions: 10, sales: 4, messages: 6, cancellations: 1, byHand: 2 } : {};

/** What a page says beside its code, and the checks that may fail because of it. */
const named: readonly (readonly [code: RegExp, page: string, sentence: string, checks: readonly CheckName[]])[] = [
  [/^(?![^]*(sqliteStore|sellers:))/, 'docs/guide/notifications.md', 'A crash loses what waits.', ['acknowledgedHandled', 'answered']], // prettier-ignore
  [/^(?![^]*sellers:)/, 'docs/guide/notifications.md', 'A notification that never came is lost', ['answered']],
  // Judged by `losesGrant`.
  [/refreshingToken/, 'docs/guide/authentication.md', 'a refresh token works once', []],
  [/clientFor/, 'docs/guide/several-sellers.md', 'With a fixed token, each call gets a 401', ['noCallAfterRevocation']],
];

/** Whether a refresh was carried out whose response was lost or said that it failed: the seller has to authorise the application again. */
function losesGrant({ calls }: History): boolean {
  return calls.some(
    ({ path, isCarriedOut, status }) => path === '/oauth/token' && isCarriedOut && (status ?? 500) >= 500,
  );
}

const bots = [...documentedBots(), exampleBot('examples/answer-questions.ts')];

describe('on bad days, nothing goes wrong that its page does not name', () => {
  test.each(bots)('$name', async (documented) => {
    await simulate(dayOf(documented, { seeds: drawn, load }));
    const seeds = failedOnce[documented.name] ?? [];
    if (seeds.length > 0) await simulate(dayOf(documented, { seeds }));
  });

  test('the bot of examples/inbox-bot, whose tokens are refreshed', async () => {
    const asked = { sales: 0, messages: 0, cancellations: 0 };
    const judged = checks.usual.map(
      (check): Check =>
        (history) =>
          losesGrant(history) ? [] : check(history),
    );
    await simulate({ bot: inboxBot, seeds: drawn, load: { ...load, ...asked }, checks: judged });
  });

  test('a bot that writes through an outbox in a file', async () => {
    // It reads nothing, and hears only what it is told; its token is fixed; it sends messages that nobody has asked for.
    const { answered, acknowledgedHandled, noCallAfterRevocation, noMessageDoubled, usual } = checks;
    const left = [answered, acknowledgedHandled, noCallAfterRevocation, noMessageDoubled];
    const judged = [jobsSentOnce, ...usual.filter((check) => !left.includes(check))];
    await simulate({ bot: outboxBot, seeds: drawn, load, checks: judged });
  });

  test.each(named)('%s: %s says "%s"', (_, page, sentence) => {
    expect(readFileSync(join(import.meta.dirname, '../..', page), 'utf8').replace(/\s+/g, ' ')).toContain(sentence);
  });

  test('there are many of them, and a seed is kept only for one that exists', () => {
    expect(bots.length).toBeGreaterThan(9);
    expect(Object.keys(failedOnce).filter((name) => bots.every((each) => each.name !== name))).toEqual([]);
  });
});

function dayOf({ bot, code, marketplace }: DocumentedBot, options: Partial<SimulationOptions>): SimulationOptions {
  const mayFail = named.filter(([pattern]) => pattern.test(code)).flatMap(([, , , names]) => names);
  const answers = code.includes('questions.answer(');
  const judged = checks.usual.filter(
    (check) => mayFail.every((name) => checks[name] !== check) && (answers || check !== checks.answered),
  );
  // Most have one seller, as their page has.
  const sellers = code.includes('clientFor({ user_id })') ? 2 : 1;
  return { seeds: drawn, bot, marketplace, sellers, checks: judged, ...options };
}
