import { reducedOutput } from './attributes.js';
import { Bounds } from './bounds.js';
import type { Endpoint } from './endpoint.js';
import type { Errand, InternalOptions } from './errand.js';
import { InvalidInputError } from './errors.js';
import { Events } from './events.js';
import type { Line } from './line.js';
import { checkCallOptions } from './settings.js';
import type { Settings } from './settings.js';
import { encode } from './wire.js';
import type { Wire } from './wire.js';

/** What all calls of a client have in common. */
export interface Setup {
  readonly settings: Settings;
  readonly line: Line;
  readonly events: Events;
  /** Sent with every call, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Stands for options that are not given, and need no check. */
export const noOptions: InternalOptions = {};

/** Puts together what all calls of a client have in common. */
export function setUp(settings: Settings, line: Line): Setup {
  return {
    settings,
    line,
    events: new Events(settings),
    headers: { accept: 'application/json', ...lowered(settings.headers) },
  };
}

/**
 * Checks what a call is given, and lays its request out. Nothing is sent.
 *
 * @throws {InvalidInputError} when the input or an option is wrong.
 */
export function prepare(endpoint: Endpoint, given: unknown, options: InternalOptions, setup: Setup): Errand {
  const startedAt = performance.now();
  if (options !== noOptions) checkCallOptions(options);
  const input = checkInput(endpoint, given ?? {});
  const wire = encode(endpoint, input);
  const body = wire.body === undefined || endpoint.sends === 'multipart' ? undefined : JSON.stringify(wire.body);
  const { settings, line, events } = setup;
  const { baseUrl, deadlineMs } = settings;
  return {
    endpoint,
    input,
    wire,
    url: urlOf(wire, options, settings),
    headers: headersOf({ endpoint, wire, body, options }, setup),
    body,
    output: options.attributes ? reducedOutput(endpoint, options.attributes) : endpoint.output,
    options,
    startedAt,
    bounds: new Bounds(`${endpoint.method} ${endpoint.path}`, options.signal, options.deadlineMs ?? deadlineMs),
    pace: line.paceOf(options.accessToken),
    turn: line.nextTurn(),
    call: { endpoint, baseUrl },
    emit: events.sink,
    upload: undefined,
    token: undefined,
    firstSentAt: 0,
    renewed: false,
    resent: false,
  };
}

function checkInput(endpoint: Endpoint, input: unknown): Record<string, unknown> {
  const parsed = endpoint.input.safeParse(input);
  if (!parsed.success) throw new InvalidInputError(parsed.error.issues);
  return parsed.data as Record<string, unknown>;
}

function urlOf({ target }: Wire, { query, attributes }: InternalOptions, { baseUrl, query: always }: Settings): string {
  if (!attributes && !query && !always) return baseUrl + target;
  const url = new URL(baseUrl + target);
  if (attributes) url.searchParams.set('attributes', attributes.join(','));
  for (const [name, value] of Object.entries({ ...always, ...query })) url.searchParams.set(name, String(value));
  return url.href;
}

function headersOf(
  { endpoint, wire, body, options }: Pick<Errand, 'endpoint' | 'wire' | 'body' | 'options'>,
  { headers }: Setup,
): Record<string, string> {
  return {
    ...headers,
    ...(endpoint.answers === 'stream' && { accept: '*/*' }),
    ...(body !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
    ...lowered(options.headers),
    ...wire.headers,
  };
}

/** Header names in lower case, so that one given in another case takes the place of ours. */
function lowered(headers: Readonly<Record<string, string>> | undefined): Record<string, string> | undefined {
  return headers && Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
