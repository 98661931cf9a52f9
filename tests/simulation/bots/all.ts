import { checks } from 'marketplace-seller-sdk/simulation';
import type { Check, History, SimulationOptions } from 'marketplace-seller-sdk/simulation';
import { documentedBots, exampleBot } from './documented.ts';
import type { DocumentedBot } from './documented.ts';
import { inboxBot } from './inbox-bot.ts';
import { askedLater, jobsSentOnce, outboxBot } from './outbox-bot.ts';
import { eachGetsOnePhoto, photoBot } from './photo-bot.ts';
import { eachThankedOnce, sharedFileBot } from './shared-file-bot.ts';

/** A bot that we show, with what it needs of the world and what is judged. */
export interface ShownBot {
  readonly name: string;
  readonly options: Omit<SimulationOptions, 'seeds'>;
}

type CheckName = Exclude<keyof typeof checks, 'usual'>;

/** What a page says beside its code, and the checks that may fail because of it. */
export const named: readonly (readonly [code: RegExp, page: string, sentence: string, checks: readonly CheckName[]])[] =
  [
    [
      /^(?![^]*sqliteStore)/,
      'docs/guide/notifications.md',
      'A crash loses what waits.',
      ['acknowledgedHandled', 'allReplied'],
    ],
    [
      /^(?![^]*sellers:)/,
      'docs/guide/notifications.md',
      'A notification that never came is lost',
      ['answered', 'allReplied', 'missedHandled'],
    ],
    // Judged by `losesGrant`.
    [/refreshingToken/, 'docs/guide/connect-sellers.md', 'A refresh token works once', []],
    [/clientFor/, 'docs/guide/connect-sellers.md', 'With a fixed token, each call gets a 401', ['noCallAfterRevocation']], // prettier-ignore
    // Judged by `answeredOnceOrByAPerson`.
    [/createOutbox/, 'docs/guide/after-a-sale.md', 'Only what the service shows was not carried out is sent again', []],
  ];

/** The bots of the front page and the guides. */
export function botsOfPages(): ShownBot[] {
  return documentedBots().map(shown);
}

/** The bots of the examples, one with an outbox, one with an inbox and an outbox, and one with tools in a handler. */
export function botsOfExamples(): ShownBot[] {
  return [shown(exampleBot('examples/answer-questions.ts')), ofInbox, ofOutbox, ofSharedFile, ofPhotos];
}

function shown({ name, code, bot, marketplace }: DocumentedBot): ShownBot {
  const mayFail = named.filter(([pattern]) => pattern.test(code)).flatMap(([, , , names]) => names);
  const answers = code.includes('questions.answer(');
  const judged = checks.usual.filter(
    (check) => mayFail.every((each) => checks[each] !== check) && (answers || check !== checks.answered),
  );
  // Most have one seller, as their page has.
  const sellers = code.includes('clientFor({ user_id })') ? 2 : 1;
  return { name, options: { bot, marketplace, sellers, checks: judged } };
}

const ofInbox: ShownBot = {
  name: 'the bot of examples/inbox-bot, whose tokens are refreshed',
  options: {
    bot: inboxBot,
    load: { sales: 0, messages: 0, cancellations: 0 },
    checks: checks.usual.map(
      (check): Check =>
        (history) =>
          losesGrant(history) ? [] : check(history),
    ),
  },
};

/** Whether a refresh was carried out whose response was lost or said that it failed: the seller has to authorise the application again. */
function losesGrant({ calls }: History): boolean {
  return calls.some(
    ({ path, isCarriedOut, status }) => path === '/oauth/token' && isCarriedOut && (status ?? 500) >= 500,
  );
}

/**
 * It reads nothing, and hears only what it is told; its token is fixed; it sends messages that nobody has asked for; two of its jobs
 * may have the same text.
 */
const notOfOutbox = [
  checks.answered,
  checks.answeredOnce,
  checks.acknowledgedHandled,
  checks.missedHandled,
  checks.noCallAfterRevocation,
  checks.noMessageDoubled,
  checks.noRejectionRepeated,
];

const ofOutbox: ShownBot = {
  name: 'a bot that writes through an outbox in a file',
  options: {
    bot: (world) => outboxBot(world),
    checks: [
      ...checks.usual.filter((check) => !notOfOutbox.includes(check)),
      jobsSentOnce,
      askedLater,
      answeredOnceOrByAPerson,
    ],
  },
};

/** Its tokens are fixed, and a job and a handler may write the same text. */
const notOfSharedFile = [
  checks.answeredOnce,
  checks.noCallAfterRevocation,
  checks.noMessageDoubled,
  checks.noRejectionRepeated,
];

const ofSharedFile: ShownBot = {
  name: 'a bot whose inbox and outbox share a file',
  options: {
    bot: sharedFileBot,
    load: { questions: 10, messages: 30, cancellations: 4 },
    checks: [
      ...checks.usual.filter((check) => !notOfSharedFile.includes(check)),
      answeredOnceOrByAPerson,
      eachThankedOnce,
    ],
  },
};

/** Its token is fixed, and it answers no question. */
const notOfPhotos = [checks.answered, checks.noCallAfterRevocation];

const ofPhotos: ShownBot = {
  name: 'a bot whose handler uploads files, and sends them with a tool',
  options: {
    bot: photoBot,
    load: { questions: 2 },
    checks: [...checks.usual.filter((check) => !notOfPhotos.includes(check)), eachGetsOnePhoto],
  },
};

/** Where a person was first, reading back proves that the answer of the outbox was not carried out, and the service rejects it again. */
function answeredOnceOrByAPerson(history: History): readonly string[] {
  const { marketplace, nameOf } = history;
  const byAPerson = marketplace.questions.all.filter(({ answer }) => answer?.text.includes('A person of the team'));
  const names = new Set(byAPerson.map(({ id }) => nameOf(id)));
  return checks.answeredOnce(history).filter((violation) => !names.has(/ answers (q\d+),/.exec(violation)?.[1] ?? ''));
}
