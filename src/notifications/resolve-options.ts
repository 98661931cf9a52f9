import { defined } from '../core/defined.js';
import { ConfigurationError } from '../core/errors/errors.js';
import { longestTimerMs } from '../core/scope/cancel-scope.js';
import type { BodyLimits } from './http/request.js';
import type { ReceiverOptions } from './options.js';
import type { NotificationClient } from './handling/read-notification.js';

/** The defaults of the options that are whole numbers. */
const countDefaults = { concurrency: 32, maxBodyBytes: 16_384 };
/** The defaults of the options in milliseconds. */
const timeDefaults = {
  handlerTimeoutMs: 300_000,
  leaseMs: 30_000,
  deduplicationMs: 24 * 3_600_000,
  pollMs: 1_000,
  acceptTimeoutMs: 400,
  bodyTimeoutMs: 5_000,
};
const numericDefaults = { ...countDefaults, ...timeDefaults };
const retryDefaults = { attempts: 24, baseMs: 1_000, capMs: 3_600_000 };
/** How long after a first 404 the handler runs again, in milliseconds. */
const notFoundMs = 5_000;

const behaviorOptions = [
  'on',
  'fallback',
  'clientFor',
  'accept',
  'handle',
  'sellers',
  'store',
  'queue',
  'acknowledge',
  'coalesce',
] as const;
const otherOptions = ['retry', 'logger', 'onFailure', 'onSuccess', 'tracing'] as const;

/** The options with their defaults filled in. */
export type ResolvedReceiverOptions = Omit<
  ReceiverOptions,
  keyof typeof numericDefaults | 'retry' | 'acknowledge' | 'coalesce' | 'handle'
> &
  Readonly<typeof numericDefaults> &
  BodyLimits & {
    readonly retry: Readonly<typeof retryDefaults> & { readonly notFoundMs: number };
    readonly acknowledge: 'accepted' | 'handled';
    readonly coalesce: boolean;
    readonly handle: boolean;
  };

/**
 * Checks a receiver's options and fills in the defaults.
 *
 * @throws {ConfigurationError} when an option is unknown or wrong.
 */
export function resolveReceiverOptions<Client extends NotificationClient>(
  options: ReceiverOptions<Client>,
): ResolvedReceiverOptions {
  if (!isObject(options)) throw new ConfigurationError('createReceiver needs an object of options');
  const known: readonly string[] = [...behaviorOptions, ...Object.keys(numericDefaults), ...otherOptions];
  const { retry: givenRetry = {}, ...given } = defined(options);
  if (!isObject(givenRetry)) throw new ConfigurationError('`retry` must be an object');
  const retry = defined(givenRetry);
  const problems = [
    ...unknownNames(given, known, ''),
    ...unknownNames(retry, Object.keys(retryDefaults), 'retry.'),
    ...invalidCounts(given, Object.keys(countDefaults), ''),
    ...invalidCounts(retry, ['attempts'], 'retry.'),
    ...invalidTimes(given, Object.keys(timeDefaults), ''),
    ...invalidTimes(retry, ['baseMs', 'capMs'], 'retry.'),
    ...invalidFunctions(given),
    ...missingMethods(given),
    ...invalidHandlers(options),
    ...contradictions(options),
  ];
  if (problems.length > 0) throw new ConfigurationError(problems.join('; '));
  return {
    acknowledge: 'accepted',
    coalesce: false,
    handle: true,
    ...numericDefaults,
    ...given,
    retry: { ...retryDefaults, ...retry, notFoundMs },
  } as ResolvedReceiverOptions;
}

function unknownNames(given: object, known: readonly string[], prefix: string): string[] {
  const names = Object.keys(given).filter((name) => !known.includes(name));
  return names.map((name) => `there is no option \`${prefix}${name}\`; the options are ${known.join(', ')}`);
}

function invalidCounts(given: object, names: readonly string[], prefix: string): string[] {
  const isValid = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;
  const invalid = Object.entries(given).filter(([name, value]) => names.includes(name) && !isValid(value));
  return invalid.map(([name]) => `\`${prefix}${name}\` must be a whole number above 0`);
}

function invalidTimes(given: object, names: readonly string[], prefix: string): string[] {
  const isValid = (value: unknown): boolean => typeof value === 'number' && value > 0 && value <= longestTimerMs;
  const invalid = Object.entries(given).filter(([name, value]) => names.includes(name) && !isValid(value));
  return invalid.map(([name]) => `\`${prefix}${name}\` must be a number above 0 and at most ${longestTimerMs}`);
}

function invalidFunctions(given: object): string[] {
  const names = ['fallback', 'clientFor', 'accept', 'onFailure', 'onSuccess'];
  const invalid = Object.entries(given).filter(([name, value]) => names.includes(name) && typeof value !== 'function');
  return invalid.map(([name]) => `\`${name}\` must be a function`);
}

/** The methods that the objects among the options must have. */
const methods: Readonly<Record<string, readonly string[]>> = {
  store: ['add', 'claim', 'renew', 'settle', 'deadLetters', 'redrive', 'removeDeadLetter'],
  queue: ['add'],
  logger: ['info', 'warn', 'error'],
  tracing: ['observe'],
};

/** The first method that a store has to have and this one has not. */
export function missingStoreMethod(store: unknown): string | undefined {
  return missingMethod('store', store);
}

function missingMethod(name: string, value: unknown): string | undefined {
  return methods[name]?.find((method) => typeof methodsOf(value)[method] !== 'function');
}

function missingMethods(given: object): string[] {
  return Object.entries(given).flatMap(([name, value]: [string, unknown]) => {
    const missing = missingMethod(name, value);
    return missing === undefined ? [] : [`\`${name}\` must be an object with the method \`${missing}\``];
  });
}

function methodsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? (value as Record<string, unknown>) : {};
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

const topics = ['questions', 'messages'];

function invalidHandlers({
  on = {},
  fallback,
  handle,
}: Pick<ReceiverOptions<never>, 'on' | 'fallback' | 'handle'>): string[] {
  if (!isObject(on)) return ['`on` must be an object with a handler per topic'];
  const handlers = Object.entries(defined(on)) as [string, unknown][];
  if (handlers.length === 0 && fallback === undefined && handle !== false) return ['set `on`, `fallback`, or both'];
  return handlers.flatMap(([topic, handler]) => {
    if (!topics.includes(topic))
      return `\`on\` has no topic \`${topic}\`: use \`fallback\` for topics other than ${topics.join(' and ')}`;
    return typeof handler === 'function' ? [] : `\`on.${topic}\` must be a function`;
  });
}

function isSellers(sellers: unknown): boolean {
  if (typeof sellers === 'function') return true;
  return Array.isArray(sellers) && sellers.every((each) => Number.isSafeInteger(each));
}

function contradictions<Client extends NotificationClient>(
  options: Pick<
    ReceiverOptions<Client>,
    'store' | 'queue' | 'acknowledge' | 'coalesce' | 'handle' | 'sellers' | 'clientFor'
  >,
): string[] {
  const { store, queue, acknowledge, coalesce = false, handle = true, sellers, clientFor } = options;
  return [
    ...(typeof handle === 'boolean' ? [] : ['`handle` must be true or false']),
    ...(handle || acknowledge !== 'handled' ? [] : ["`acknowledge: 'handled'` needs `handle: true`"]),
    ...(sellers === undefined || isSellers(sellers) ? [] : ['`sellers` must be a list of ids, or a function']),
    ...(sellers !== undefined && !clientFor ? ['`sellers` needs `clientFor`'] : []),
    ...(typeof coalesce === 'boolean' ? [] : ['`coalesce` must be true or false']),
    ...(store && queue ? ['set `store` or `queue`, not both'] : []),
    ...(queue && acknowledge === 'handled'
      ? ["`acknowledge: 'handled'` needs a store: the receiver cannot know when a queue's worker is done"]
      : []),
    ...(acknowledge === undefined || ['accepted', 'handled'].includes(acknowledge)
      ? []
      : ["`acknowledge` must be 'accepted' or 'handled'"]),
  ];
}
