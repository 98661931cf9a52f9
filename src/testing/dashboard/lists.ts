import { endpointName } from '../http/routes.js';
import type { StoredMessage } from '../state/message.js';
import { numberOf } from '../state/packs.js';
import type { Pack } from '../state/packs.js';
import type { StoredQuestion } from '../state/questions.js';
import { listed } from './listed.js';
import { toSubscriptionView } from './notification-controls.js';
import type { LoggedRequest } from './request-log.js';
import { containsWord } from './select-requests.js';
import type { ServedMarketplace } from './served-marketplace.js';

/** The newest messages of a conversation, and tokens of a user, that are shown. */
const [maxMessages, maxTokens] = [30, 10];

/** Returns the lists that the dashboard shows. */
// oxlint-disable-next-line typescript/explicit-module-boundary-types -- the type of a view is that of its function
export function listsOf(marketplace: ServedMarketplace, requests: readonly LoggedRequest[]) {
  const { accounts, attachments, faults, flex, items, messages, notifications, packs, questions } = marketplace;
  const nameOf = (user_id: number): string => accounts.get(user_id)?.nickname ?? String(user_id);
  return {
    users: usersOf(marketplace),
    items: listed(items.all, (item) => ({ ...item, flex: flex.isEnabled(item), down: flex.isDown(item) })),
    questions: listed(questions.all, toQuestion),
    conversations: listed(packs.all, toConversation),
    subscriptions: listed(flex.all, ({ zones, zoneCutoffs: _, ...subscription }) => ({
      ...subscription,
      nickname: nameOf(subscription.user_id),
      zones,
      zoneNames: flex.zonesOf(subscription.site_id).flatMap(({ id, label }) => (zones.includes(id) ? [label] : [])),
    })),
    shipments: listed(flex.shipments, ({ driver_id = null, ...shipment }) => ({
      ...shipment,
      nickname: nameOf(shipment.user_id),
      driver_id,
    })),
    callbacks: listed(notifications.subscriptions, toSubscriptionView),
    attempts: listed(notifications.attempts, (attempt) => attempt),
    scheduled: listed(notifications.scheduled.toReversed(), (attempt) => attempt),
    faults: listed(faults.all, ({ fault: { endpoint, ...fault }, left }) => ({
      ...fault,
      endpoint: endpoint === undefined ? null : endpointName(endpoint),
      // `null`: no limit.
      left: Number.isFinite(left) ? left : null,
    })),
    blacklist: listed(questions.blocked, (blocked) => ({
      ...blocked,
      seller: nameOf(blocked.seller_id),
      nickname: nameOf(blocked.user_id),
    })),
    files: listed(attachments.all, ({ bytes, ...file }) => ({
      ...file,
      nickname: nameOf(file.owner),
      size: bytes.byteLength,
    })),
    requests: listed(requests, toRow, containsWord),
  };

  function toQuestion(question: StoredQuestion) {
    const { id, item_id, seller_id, from, text, askedAt, answer = null, hidden = false } = question;
    const { title } = items.getOrThrow(item_id);
    const status = questions.statusOf(question);
    return {
      ...{ id, item_id, title, seller: nameOf(seller_id), from: nameOf(from), text, askedAt, answer, hidden, status },
      ...questions.marksOf(question),
    };
  }

  function toConversation(pack: Pack) {
    const { seller_id, buyer_id, shipping, delivered, inMediation, exceptedCase, blockedBy } = pack;
    const newest = messages.of(pack).slice(-maxMessages);
    return {
      pack: numberOf(pack),
      seller: nameOf(seller_id),
      buyer: nameOf(buyer_id),
      ...{ seller_id, shipping, delivered, inMediation, exceptedCase, blockedBy },
      messages: newest.map((message) => toMessage(message, pack)),
    };
  }
}

/** Lists the users with their tokens: the sellers first, so that a large seed does not hide them. */
function usersOf({ accounts, items }: Pick<ServedMarketplace, 'accounts' | 'items'>) {
  const sellers = new Set(items.all.map(({ seller_id }) => seller_id));
  const tokens = Map.groupBy(accounts.bearers, ({ user_id }) => user_id);
  const sellersLast = accounts.all.toSorted((a, b) => Number(sellers.has(a.user_id)) - Number(sellers.has(b.user_id)));
  return listed(sellersLast, (user) => {
    const own = tokens.get(user.user_id) ?? [];
    const shown = own.slice(-maxTokens).map(({ user_id: _, ...token }) => token);
    return { ...user, sells: sellers.has(user.user_id), token: own[0]?.token ?? null, tokens: shown };
  });
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

/** A request without its headers and bodies, which the dashboard loads when a person opens it. */
function toRow({ id, at, method, path, nickname, state, brokenAt, status, ms, fault, rule }: LoggedRequest) {
  return { id, at, method, path, nickname, state, brokenAt, status, ms, fault, rule };
}
