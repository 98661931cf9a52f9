import { defined } from '../core/json/defined.js';
import { ConfigurationError } from '../core/errors/errors.js';
import { namedEndpointError } from '../core/options/check-endpoint.js';
import { didYouMean } from '../core/options/nearest.js';
import { integerFrom, ofType, optionIssues, withMethods } from '../core/options/rules.js';
import type { Rule } from '../core/options/rules.js';
import { isObject } from '../core/json/plain-object.js';
import { retryDefaults, retryRules, time } from '../work/retry.js';
import type { RetryLimits } from '../work/retry.js';
import { storeRule } from '../work/store-rule.js';
import { handshakes } from './handling/own-topic.js';
import type { OwnTopic, OwnTopics } from './handling/own-topic.js';
import { areSellerIds } from './seller-ids.js';
import { knownTopics } from './notification.js';
import type { InboxOptions } from './options.js';
import type { NotificationClient } from './handling/read-notification.js';
import { pathRule } from './secret-path.js';

const defaults = {
  handle: true as boolean,
  concurrency: 32,
  maxBodyBytes: 16_384,
  maxWaiting: 10_000,
  handlerTimeoutMs: 300_000,
  leaseMs: 30_000,
  catchUpEveryMs: 900_000,
};

/** The options with their defaults filled in. */
export type ResolvedInboxOptions = Omit<InboxOptions, keyof typeof defaults | 'retry'> &
  Readonly<typeof defaults> & { readonly retry: RetryLimits };

const callback = ofType('function');
const object: Rule = (value) => (isObject(value) ? undefined : 'takes an object');

const rules: Readonly<Record<keyof InboxOptions, Rule>> = {
  on: object,
  fallback: callback,
  topics: object,
  clientFor: callback,
  path: pathRule,
  accept: callback,
  handle: ofType('boolean'),
  sellers: (value) =>
    typeof value === 'function' || areSellerIds(value)
      ? undefined
      : 'takes a list or a set of ids, which are numbers, or a function',
  store: storeRule,
  concurrency: integerFrom(1),
  maxBodyBytes: integerFrom(1),
  maxWaiting: integerFrom(1),
  handlerTimeoutMs: time,
  leaseMs: time,
  application_id: (value) => (/^\d{1,19}$/.test(String(value)) ? undefined : 'takes the digits of an id'),
  catchUpEveryMs: (value) => (value === Infinity ? undefined : time(value)),
  retry: object,
  logger: withMethods('info', 'warn', 'error'),
  onFailure: callback,
  onSuccess: callback,
  tracing: withMethods('observe'),
};

/**
 * Checks an inbox's options and fills in the defaults.
 *
 * @throws {ConfigurationError} when an option is unknown or wrong.
 */
export function resolveInboxOptions<Client extends NotificationClient, Topics extends OwnTopics>(
  options: InboxOptions<Client, Topics>,
): ResolvedInboxOptions {
  if (!isObject(options)) throw new ConfigurationError('createInbox needs an object of options');
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

type HandlerOptions = Pick<InboxOptions<never>, 'fallback' | 'handle'> & {
  readonly on?: object | undefined;
  readonly topics?: OwnTopics | undefined;
};

function handlerProblems({ on, fallback, handle, topics }: HandlerOptions): string[] {
  const names = [...knownTopics, handshakes, ...Object.keys(isObject(topics) ? topics : {})];
  const handlers = Object.entries(isObject(on) ? defined(on) : {});
  if (handlers.length === 0 && fallback === undefined && handle !== false) return ['set `on`, `fallback`, or both'];
  return handlers.flatMap(([topic, handler]) => {
    if (!names.includes(topic)) return unknownTopic(topic, names);
    return typeof handler === 'function' ? [] : `\`on.${topic}\` takes a function`;
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
    const wrong = namedEndpointError(endpoint);
    if (wrong) return `\`topics.${name}\`: ${wrong.message.replace('Not sent: ', '')}`;
    return typeof idOf === 'function' ? [] : `\`topics.${name}.idOf\` takes a function`;
  });
}

/** A process that only accepts looks for nothing. */
function contradictions({
  sellers,
  clientFor,
  handle,
}: Pick<InboxOptions, 'sellers' | 'clientFor' | 'handle'>): string[] {
  return sellers !== undefined && !clientFor && handle !== false ? ['`sellers` needs `clientFor`'] : [];
}
