import { once } from 'node:events';
import { SellerError } from 'marketplace-seller-sdk';
import { chapters, shortDay } from './chapters.ts';
import { Narrator } from './narrator.ts';
import type { Output } from './narrator.ts';
import { readFrom } from './reading.ts';
import { closeStage, openStage } from './stage.ts';
import type { Chapter, Stage } from './stage.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** An argument or an environment variable is wrong. The program prints only the message. */
class UsageError extends Error {}

/** Runs the program and returns its exit code. If it fails, it writes one sentence to `errors`. */
export async function main(
  args: readonly string[],
  env: Environment,
  out: Output,
  errors: Output,
  ended: () => Promise<unknown> = interrupted,
): Promise<number> {
  try {
    const { wire, short, stay } = optionsFrom(args);
    const say = new Narrator(out, { wire, color: out.isTTY === true && !env.NO_COLOR });
    const service = serviceFrom(env);
    await (service
      ? readFrom(service, say)
      : playDay(say, short ? shortDay : chapters, stay ? ended : undefined));
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof SellerError)) throw error;
    errors.write(`${error.message}\n`);
    return 1;
  }
}

/** Plays chapters of the day against a fake marketplace on a port of this machine. */
async function playDay(
  say: Narrator,
  played: readonly Chapter[],
  ended?: () => Promise<unknown>,
): Promise<void> {
  const stage = await openStage(say);
  try {
    say.title(`A day of ${stage.seller.nickname}`, `on a fake marketplace at ${stage.url}`);
    for (const chapter of played) {
      stage.marketplace.clock.set(chapter.at);
      say.heading(chapter.title, stage.marketplace.clock.ms);
      await chapter.play(stage);
    }
    say.end();
    if (ended) await stay(stage, ended);
  } finally {
    await closeStage(stage);
  }
}

/** Keeps the marketplace at its address. */
async function stay(
  { say, marketplace, seller, url }: Stage,
  ended: () => Promise<unknown>,
): Promise<void> {
  const until = ended();
  say.line(`The marketplace stays at ${url}: open it in a browser, or call it with the token`);
  say.line(`${marketplace.tokenFor(seller)}. Ctrl+C ends it.`);
  await until;
}

function interrupted(): Promise<unknown> {
  return Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
}

function optionsFrom(args: readonly string[]): { wire: boolean; short: boolean; stay: boolean } {
  const unknown = args.find((each) => !['--wire', '--short', '--stay'].includes(each));
  if (unknown !== undefined) {
    throw new UsageError(
      `There is no option ${unknown}. \`npm start -- --wire\` also shows requests and responses, \`--short\` plays three chapters, \`--stay\` keeps the address alive.`,
    );
  }
  return {
    wire: args.includes('--wire'),
    short: args.includes('--short'),
    stay: args.includes('--stay'),
  };
}

function serviceFrom(env: Environment) {
  const {
    SELLER_BASE_URL: baseUrl,
    SELLER_ACCESS_TOKEN: accessToken,
    SELLER_USER_ID: user,
    SELLER_SITE_ID,
  } = env;
  if (!baseUrl && !accessToken) return undefined;
  if (!baseUrl || !accessToken) {
    const [given, missing] = ['SELLER_BASE_URL', 'SELLER_ACCESS_TOKEN'].sort((a) => (env[a] ? -1 : 1));
    throw new UsageError(
      `${given} is set and ${missing} is not. Set both to read from a service, or neither.`,
    );
  }
  // The tokens of the service end in the id of their user.
  const user_id = user ?? /-(\d+)$/.exec(accessToken)?.[1];
  if (user_id === undefined) {
    throw new UsageError(
      'The token does not contain the id of its user. Set SELLER_USER_ID to the id of the seller.',
    );
  }
  return { baseUrl, accessToken, user_id, site_id: SELLER_SITE_ID };
}
