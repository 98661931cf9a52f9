import { defined } from '../core/json/defined.js';
import { ConfigurationError } from '../core/errors/errors.js';
import { endpointError } from '../core/options/check-endpoint.js';
import { didYouMean } from '../core/options/nearest.js';
import { optionIssues } from '../core/options/rules.js';
import type { Rule } from '../core/options/rules.js';
import { isObject } from '../core/json/plain-object.js';
import { count, retryDefaults, retryRules, time } from '../work/retry.js';
import type { RetryOptions } from '../work/retry.js';
import type { OwnTopic, OwnTopics } from './handling/own-topic.js';
import { knownTopics } from './notification.js';
import type { ReceiverOptions } from './options.js';
import type { NotificationClient } from './handling/read-notification.js';

const defaults = {
  acknowledge: 'accepted' as 'accepted' | 'handled',
  coalesce: false as boolean,
  handle: true as boolean,
  concurrency: 32,
  maxBodyBytes: 16_384,
  handlerTimeoutMs: 300_000,
  leaseMs: 30_000,
  deduplicationMs: 24 * 3_600_000,
  pollMs: 1_000,
  acceptTimeoutMs: 400,
  bodyTimeoutMs: 5_000,
  catchUpEveryMs: 900_000,
};

/** The options with their defaults filled in. */
export type ResolvedReceiverOptions = Omit<ReceiverOptions, keyof typeof defaults | 'retry'> &
  Readonly<typeof defaults> & { readonly retry: Readonly<Record<keyof RetryOptions, number>> };

const flag: Rule = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
const callback: Rule = (value) => (typeof value === 'function' ? undefined : 'must be a function');
const object: Rule = (value) => (isObject(value) ? undefined : 'must be an object');
const withMethods =
  (...names: readonly string[]): Rule =>
  (value) => {
    const methods = isObject(value) ? value : {};
    const missing = names.find((name) => typeof methods[name] !== 'function');
    return missing === undefined ? undefined : `must be an object with the method \`${missing}\``;
  };

/** What a value is lacking to be a store. */
export const storeRule: Rule = withMethods(
  'add',
  'claim',
  'renew',
  'settle',
  'deadLetters',
  'redrive',
  'removeDeadLetter',
);

const rules: Readonly<Record<keyof ReceiverOptions, Rule>> = {
  on: object,
  fallback: callback,
  topics: object,
  clientFor: callback,
  accept: callback,
  handle: flag,
  sellers: (value) => (isSellers(value) ? undefined : 'must be a list of ids, or a function'),
  store: storeRule,
  queue: withMethods('add'),
  acknowledge: (value) => (value === 'accepted' || value === 'handled' ? undefined : "must be 'accepted' or 'handled'"),
  coalesce: flag,
  concurrency: count,
  maxBodyBytes: count,
  handlerTimeoutMs: time,
  leaseMs: time,
  deduplicationMs: time,
  pollMs: time,
  acceptTimeoutMs: time,
  bodyTimeoutMs: time,
  catchUpEveryMs: (value) => (value === Infinity ? undefined : time(value)),
  retry: object,
  logger: withMethods('info', 'warn', 'error'),
  onFailure: callback,
  onSuccess: callback,
  tracing: withMethods('observe'),
};

/**
 * Checks a receiver's options and fills in the defaults.
 *
 * @throws {ConfigurationError} when an option is unknown or wrong.
 */
export function resolveReceiverOptions<Client extends NotificationClient, Topics extends OwnTopics>(
  options: ReceiverOptions<Client, Topics>,
): ResolvedReceiverOptions {
  if (!isObject(options)) throw new ConfigurationError('createReceiver needs an object of options');
  const { retry, ...given } = defined(options);
  const problems = [
    ...optionIssues(options, rules).map(({ message }) => message),
    ...(isObject(retry) ? optionIssues(retry, retryRules) : []).map(({ message }) => message.replace('`', '`retry.')),
    ...handlerProblems(options),
    ...topicProblems(options.topics),
    ...contradictions(options),
  ];
  if (problems.length > 0) throw new ConfigurationError(problems.join('; '));
  return { ...defaults, ...given, retry: { ...retryDefaults, ...defined(retry ?? {}) } };
}

function isSellers(sellers: unknown): boolean {
  if (typeof sellers === 'function') return true;
  return Array.isArray(sellers) && sellers.every((each) => Number.isSafeInteger(each));
}

type HandlerOptions = Pick<ReceiverOptions<never>, 'fallback' | 'handle'> & {
  readonly on?: object | undefined;
  readonly topics?: OwnTopics | undefined;
};

function handlerProblems({ on, fallback, handle, topics }: HandlerOptions): string[] {
  const names = [...knownTopics, ...Object.keys(isObject(topics) ? topics : {})];
  const handlers = Object.entries(isObject(on) ? defined(on) : {});
  if (handlers.length === 0 && fallback === undefined && handle !== false) return ['set `on`, `fallback`, or both'];
  return handlers.flatMap(([topic, handler]) => {
    if (!names.includes(topic)) return unknownTopic(topic, names);
    return typeof handler === 'function' ? [] : `\`on.${topic}\` must be a function`;
  });
}

function unknownTopic(topic: string, names: readonly string[]): string {
  const hint = didYouMean(topic, names, 'name it in `topics`, or use `fallback`', '`');
  return `\`on\` has no topic \`${topic}\`: ${hint}`;
}

function topicProblems(topics: unknown): string[] {
  return Object.entries(isObject(topics) ? topics : {}).flatMap(([name, topic]) => {
    const { endpoint, idOf } = (isObject(topic) ? topic : {}) as Partial<OwnTopic>;
    if ((knownTopics as readonly string[]).includes(name.toLowerCase())) return `\`topics.${name}\` is known already`;
    const wrong = endpointError(endpoint);
    if (wrong) return `\`topics.${name}\`: ${wrong.message.replace('Not sent: ', '')}`;
    return typeof idOf === 'function' ? [] : `\`topics.${name}.idOf\` must be a function`;
  });
}

function contradictions(
  options: Pick<ReceiverOptions, 'store' | 'queue' | 'acknowledge' | 'handle' | 'sellers' | 'clientFor'>,
): string[] {
  const { store, queue, sellers, clientFor } = options;
  const isHandled = options.acknowledge === 'handled';
  const found: [boolean, string][] = [
    [isHandled && options.handle === false, "`acknowledge: 'handled'` needs `handle: true`"],
    [sellers !== undefined && !clientFor, '`sellers` needs `clientFor`'],
    [Boolean(store && queue), 'set `store` or `queue`, not both'],
    [
      isHandled && Boolean(queue),
      "`acknowledge: 'handled'` needs a store: the receiver cannot know when a queue's worker is done",
    ],
  ];
  return found.flatMap(([isFound, message]) => (isFound ? message : []));
}
