import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createOutbox } from 'marketplace-seller-sdk/outbox';
import { sqliteStore } from 'marketplace-seller-sdk/stores';
import type { JobStatus } from 'marketplace-seller-sdk/outbox';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import type { Bot, Check, History, World } from 'marketplace-seller-sdk/simulation';
import type { FakeMarketplace } from 'marketplace-seller-sdk/testing';

/** The jobs of a run at its end. */
const jobsAtTheEnd = new WeakMap<FakeMarketplace, readonly JobStatus[]>();

const texts = {
  thanks: 'Thank you.',
  invoice: 'Here is your invoice.',
  mail: 'Write to shop@example.com.',
  later: 'Has it arrived?',
};
/** How long after a sale its buyer is asked, in milliseconds. A quiet day lasts at least two hours. */
const laterMs = 90 * 60_000;

/**
 * Answers questions, thanks for sales, sends invoices and replies to messages through an outbox in a file. It stores a job
 * before it acknowledges. Moderation rejects some of its replies. 90 minutes after a sale it asks whether it has arrived.
 */
export function outboxBot(world: World, isHasty = false): Bot {
  const { folder, marketplace } = world;
  const file = join(folder, 'invoice.pdf');
  writeFileSync(file, '%PDF-1.7 an invoice');
  const outbox = createOutbox({
    store: sqliteStore(join(folder, 'outbox.db')),
    clientFor: (user_id) => world.client(user_id),
    onFailure: ({ entry, error }) => world.log(`the job ${entry.key} fails: ${String(error)}`),
    onRejection: ({ entry, reason }) => world.log(`moderation rejects the message of the job ${entry.key}: ${reason}`),
  });
  outbox.start();
  const add = async (user_id: number, topic: string, id: string): Promise<void> => {
    if (topic === 'questions') {
      const input = { question_id: Number(id), text: 'Yes.' };
      await outbox.add({ key: keyOf(topic, id), user_id, endpoint: endpoints.questions.answer, input });
    } else if (topic === 'orders_v2') {
      const { pack_id } = marketplace.packs.all.find(({ order_ids }) => order_ids.includes(Number(id)))!;
      const contact = { pack_id: pack_id!, user_id };
      const upload = { endpoint: endpoints.messages.upload, input: { site_id: 'MLA' as const, file } };
      await outbox.add({ key: keyOf(topic, id), user_id, contact: { ...contact, text: texts.thanks } });
      const notBefore = new Date(Date.now() + (isHasty ? 0 : laterMs));
      await outbox.add({ key: `later-${id}`, user_id, notBefore, contact: { ...contact, text: texts.later } });
      const steps = [upload, { contact: { ...contact, text: texts.invoice } }] as const;
      await outbox.add({ key: `invoice-${id}`, user_id, steps });
    } else if (topic === 'messages') {
      const message = marketplace.messages.all.find((each) => each.id === id)!;
      if (message.from === user_id) return;
      const text = marketplace.messages.all.indexOf(message) % 4 === 0 ? texts.mail : texts.thanks;
      const input = { pack_id: message.pack, user_id, to: { user_id: message.from }, text };
      await outbox.add({ key: keyOf(topic, id), user_id, endpoint: endpoints.messages.send, input });
    }
  };
  return {
    callback: async (request) => {
      const { user_id, topic, resource } = (await request.json()) as Record<string, string>;
      await add(Number(user_id), topic!, idIn(resource!));
      return new Response();
    },
    stop: () => outbox.close(),
    stats: async () => {
      jobsAtTheEnd.set(marketplace, await outbox.list({ limit: 10_000 }));
      return outbox.stats();
    },
  };
}

/** Each job is sent once, or the service rejected it, or a person is told of it because the service does not show what happened. */
export const jobsSentOnce: Check = (history) => {
  const jobs = jobsAtTheEnd.get(history.marketplace) ?? [];
  const open = jobs.filter(({ entry }) => !history.revoked.has(entry.user_id));
  return [
    ...withoutJob(history, jobs),
    ...open.flatMap((job) => unexplained(job, history)),
    ...open.filter(({ entry }) => entry.key.startsWith('questions')).flatMap((job) => wronglyAnswered(job, history)),
    ...wronglySent(open, history),
  ];
};

/** No buyer is asked earlier than 90 minutes after the sale, less a minute for what two clocks may differ by. */
export const askedLater: Check = ({ marketplace: { messages, packs }, events, nameOf }) =>
  packs.all.flatMap((pack) => {
    const name = nameOf(pack.pack_id ?? 0);
    const soldAt = events.find((event) => event.name === name)?.at ?? 0;
    const early = messages
      .of(pack)
      .filter((each) => each.text === texts.later && each.sentAt < soldAt + laterMs - 60_000);
    return early.map(() => `the buyer of ${name} was asked too early`);
  });

/** What was acknowledged, and has no job. */
function withoutJob({ deliveries, marketplace: { messages } }: History, jobs: readonly JobStatus[]): string[] {
  const keys = new Set(jobs.map(({ entry }) => entry.key));
  const isOwn = (id: string, user_id: number): boolean =>
    messages.all.some((each) => each.id === id && each.from === user_id);
  return deliveries
    .map(({ resource, ...delivery }) => ({ ...delivery, id: idIn(resource) }))
    .filter(({ outcome, topic, user_id, id }) => outcome === 200 && !isOwn(id, user_id) && !keys.has(keyOf(topic, id)))
    .map(({ name }) => `${name} was acknowledged, and has no job`);
}

/** A job that is not done, for another reason than that the service rejected it, or does not show it. */
function unexplained(job: JobStatus, history: History): string[] {
  const { entry, state, reason = '' } = job;
  if (state === 'accepted' || state === 'rejected') return [];
  const what = `the job ${entry.key} is ${state}: ${reason}`;
  if (state !== 'dead') return [what];
  if (!isUnknown(reason)) return /NoChannelError|failed with 4\d\d/.test(reason) ? [] : [what];
  if (isByHand(entry, history.marketplace) || hasNoClock(job, history)) return [];
  return [`${what}, although nobody else has written`];
}

/** A message shows a clock as exactly as it was fast on its way, half of this time. Clocks that differ by 0.1 seconds count as equal. */
const atOnceMs = 200;

/** Whether the clock of the bot is ahead, and no message in the conversation whose response came at once shows it: the guide says so. */
function hasNoClock({ entry, addedAt }: JobStatus, { deliveries, calls, nameOf }: History): boolean {
  const told = deliveries.filter(({ resource, outcome }) => outcome === 200 && entry.key.endsWith(idIn(resource)));
  const toldAt = Math.min(...told.map(({ at }) => at));
  const isOfConversation = (name: string): boolean => name.includes(` ${nameOf(String(packOf(entry)))}#`);
  const isShown = calls.some(
    ({ name, method, status = 500, at, receivedAt = Infinity }) =>
      method === 'POST' && isOfConversation(name) && status < 300 && receivedAt < Math.min(toldAt, at + atOnceMs),
  );
  return addedAt - toldAt > 100 && !isShown;
}

/** Whether a person of the team has answered the question, or written to the conversation. */
function isByHand(entry: JobStatus['entry'], { messages, questions }: FakeMarketplace): boolean {
  const { question_id, pack_id } = inputOf(entry);
  if (question_id !== undefined) return !isOurs(questions.getOrThrow(Number(question_id)).answer?.text);
  return messages.all.some(
    ({ pack, client_id, from }) => pack === pack_id && client_id === null && from === entry.user_id,
  );
}

function wronglyAnswered({ entry, state }: JobStatus, { marketplace: { questions } }: History): string[] {
  const { answer } = questions.getOrThrow(Number(inputOf(entry).question_id));
  const isThere = isOurs(answer?.text);
  return isThere === (state === 'accepted')
    ? []
    : [`the job ${entry.key} is ${state}: is its answer there? ${isThere}`];
}

/** Counts the messages of each conversation and text. */
function wronglySent(jobs: readonly JobStatus[], { marketplace: { packs, messages }, nameOf }: History): string[] {
  return packs.all.flatMap((pack) =>
    Object.values(texts).flatMap((text) => {
      const own = jobs.filter(({ entry }) => packOf(entry) === pack.pack_id && textOf(entry) === text);
      if (own.length === 0) return [];
      const sent = messages.of(pack).filter((each) => each.from === pack.seller_id && each.text === text).length;
      const done = own.filter(({ state }) => state === 'accepted' || state === 'rejected').length;
      const unknown = own.filter(({ state, reason }) => state === 'dead' && isUnknown(reason)).length;
      if (sent >= done && sent <= done + unknown) return [];
      return [
        `${nameOf(pack.pack_id ?? 0)} has ${sent} messages "${text}" of ${done} done jobs, and ${unknown} unknown`,
      ];
    }),
  );
}

const keyOf = (topic: string, id: string): string => `${topic}-${id}`;
const idIn = (resource: string): string => resource.split('/').pop()!;
const isOurs = (answer: string | undefined): boolean => answer === 'Yes.';
const isUnknown = (reason = ''): boolean => reason.endsWith('may have been carried out)');

type Inputs = Readonly<Record<string, unknown>>;
const inputOf = ({ steps }: JobStatus['entry']): Inputs => steps.at(-1)!.input;
const packOf = (entry: JobStatus['entry']): unknown => inputOf(entry).pack_id;
const textOf = (entry: JobStatus['entry']): unknown => inputOf(entry).text;
