import type { ServedMarketplace } from './served-marketplace.js';
import type { StoredMessage } from '../state/message.js';
import { numberOf } from '../state/packs.js';
import type { Pack } from '../state/packs.js';
import type { StoredQuestion } from '../state/questions.js';
import { toSettingsView } from './environment-controls.js';
import { toSubscriptionView } from './notification-controls.js';
import { endpointName } from '../http/routes.js';
import { topics } from '../webhooks/topics.js';

/** The number of entries of each kind: the newest are shown. */
const maxEntries = 100;

/** The state that the dashboard shows. */
export interface Snapshot extends ReturnType<typeof snapshot> {}

/** Returns the current state of a marketplace as plain data. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- `Snapshot` is derived from this function
export function snapshot(marketplace: ServedMarketplace) {
  const {
    accounts,
    attachments,
    clock,
    faults,
    flex,
    items,
    messages,
    notifications,
    operations,
    packs,
    questions,
    records,
  } = marketplace;
  return {
    now: clock.iso,
    clockIsStopped: clock.isStopped,
    users: accounts.all.map((user) => ({ ...user, token: tokenOf(user.user_id) })),
    tokens: accounts.bearers.slice(-maxEntries),
    items: items.all.map((item) => ({ ...item, flex: flex.isEnabled(item), down: flex.isDown(item) })),
    questions: questions.all.slice(-maxEntries).reverse().map(toQuestion),
    conversations: packs.all.slice(-maxEntries).reverse().map(toConversation),
    subscriptions: flex.all.map((subscription) => ({
      ...subscription,
      zoneNames: flex
        .zonesOf(subscription.site_id)
        .flatMap(({ id, label }) => (subscription.zones.includes(id) ? [label] : [])),
    })),
    shipments: flex.shipments.slice(-maxEntries).map(({ driver_id = null, ...rest }) => ({ ...rest, driver_id })),
    notifications: {
      isHeld: notifications.isHeld,
      attempts: notifications.attempts.slice(-maxEntries),
      scheduled: notifications.scheduled.slice(0, maxEntries),
      subscriptions: notifications.subscriptions.map(toSubscriptionView),
    },
    faults: faults.all.map(({ fault: { endpoint, ...fault }, left }) => ({
      ...fault,
      endpoint: endpoint === undefined ? null : endpointName(endpoint),
      // `null`: no limit.
      left: Number.isFinite(left) ? left : null,
    })),
    blacklist: accounts.all.flatMap(({ user_id: seller_id }) =>
      questions.blockedBy(seller_id).map((blocked) => ({ seller_id, ...blocked })),
    ),
    files: attachments.all
      .slice(-maxEntries)
      .reverse()
      .map(({ bytes, ...file }) => ({ ...file, size: bytes.byteLength })),
    storage: { filesBroken: attachments.isBroken, messagesUnavailable: messages.isUnavailable },
    moderation: {
      mode: messages.moderation,
      pending: messages.all.filter(({ moderation }) => moderation.status === 'pending').length,
    },
    ...toSettingsView(marketplace),
    topics,
    endpoints: operations.routes.all.map(({ name }) => name).sort(),
    operations: operations.all,
    records: records.all,
  };

  function tokenOf(user_id: number): string | null {
    return accounts.bearers.find((bearer) => bearer.user_id === user_id)?.token ?? null;
  }

  function nameOf(user_id: number): string {
    return accounts.getOrThrow(user_id).nickname;
  }

  function toQuestion(question: StoredQuestion) {
    const { id, item_id, seller_id, from, text, askedAt, answer = null, hidden = false } = question;
    return {
      id,
      item_id,
      title: items.getOrThrow(item_id).title,
      seller: nameOf(seller_id),
      from: nameOf(from),
      text,
      askedAt,
      answer,
      hidden,
      status: questions.statusOf(question),
    };
  }

  function toConversation(pack: Pack) {
    const { seller_id, buyer_id, shipping, delivered, inMediation, exceptedCase, blockedBy } = pack;
    const newest = messages.of(pack).slice(0, 30).reverse();
    return {
      pack: numberOf(pack),
      seller: nameOf(seller_id),
      buyer: nameOf(buyer_id),
      ...{ seller_id, shipping, delivered, inMediation, exceptedCase, blockedBy },
      messages: newest.map((message) => toMessage(message, pack)),
    };
  }

  function toMessage({ id, from, text, sentAt, readAt, files, moderation, option }: StoredMessage, pack: Pack) {
    return {
      id,
      from: from === pack.seller_id ? ('seller' as const) : ('buyer' as const),
      text,
      ...{ sentAt, readAt, option },
      files: files.map(({ filename }) => filename),
      moderation: moderation.status,
      reason: moderation.reason,
    };
  }
}
