import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isLoopback } from '../../core/options/rules.js';
import { array, unknown } from '../../core/schema/define.js';
import type { Schema } from '../../core/schema/schema.js';
import { Dashboard, isControlToken } from '../../testing/dashboard/dashboard.js';
import { withoutNulls } from '../../testing/dashboard/environment-controls.js';
import type { LoggedRequest } from '../../testing/dashboard/request-log.js';
import { FakeMarketplaceError, readAs } from '../../testing/errors.js';
import { FakeMarketplace, type FakeMarketplaceOptions, type SeedInit } from '../../testing/marketplace.js';
import type { Operation } from '../../testing/operations/operation.js';
import { faultFrom } from '../../testing/seed/apply.js';
import { sample, moduleSeed, seededFault } from '../../testing/seed/schema.js';
import { listen, type Listening } from '../../testing/server.js';
import { optionLockMsOverHttp, rateLimit, settingsChange } from '../../testing/settings.js';
import { deliveryFaults } from '../../testing/webhooks/subscription.js';
import { printable } from '../../work/log.js';
import { CliError, UsageError, type Command, type Options, type ProcessIO, type Values } from '../command.js';

const options: Options = {
  port: { value: 'NUMBER', text: 'port to listen on; 0 picks a free port', default: '4010' },
  host: {
    value: 'ADDRESS',
    text: 'address to listen on; 0.0.0.0 accepts connections from other machines',
    default: '127.0.0.1',
  },
  seed: {
    value: 'FILE',
    text: 'initial content: a .json file, or a .js or .ts module with a default export, with settings, users, items, questions, packs, flex, contacts, faults and operations (default: a small sample)',
  },
  operations: {
    value: 'FILE',
    text: 'operations of your own: a .js or .ts module that exports the list `operations`, or has it as default export',
  },
  follow: {
    value: 'WHICH',
    text: "'live' or 'documents': what the marketplace follows where the live service and the specification differ",
    default: 'live',
  },
  settings: { value: 'FILE', text: 'settings: a file as for --seed, with the fields of the settings of a seed' },
  now: { value: 'TIME', text: "time at which the marketplace's clock stands still, e.g. 2030-01-01T12:00:00Z" },
  limit: {
    value: 'TEXT',
    text: "rate limit, e.g. 'perSecond=10 retryAfter' for each application, or 'perMinute=300 per=user'",
  },
  cors: { text: 'let browsers at any origin call the marketplace' },
  faults: {
    value: 'FAULT',
    text: "fault to inject, e.g. 'status=503 times=2' or 'delayMs=300 probability=0.1'",
    repeatable: true,
  },
  callback: { value: 'URL', text: 'post notifications to this URL', repeatable: true },
  'callback-faults': {
    value: 'TEXT',
    text: "shares of these notifications that arrive late, twice or in an odd format, e.g. 'late=0.5 twice=0.3 odd=0.2 seed=7'",
  },
  'allow-host': { value: 'NAME', text: 'host name that may open the dashboard', repeatable: true },
  'control-token': {
    value: 'TOKEN',
    text: 'token that calls to /__fake/ need in the header x-fake-token, with 16 or more letters, digits, - and _ (default: the environment variable FAKE_CONTROL_TOKEN, else a random token)',
  },
  quiet: { text: 'do not print requests' },
};

/** `fake`: serves the marketplace. */
export const fake: Command = {
  name: 'fake',
  summary: `Serves a fake marketplace over HTTP, for programs in any language.
Open its base URL in a browser for a dashboard.`,
  options,
  run: async (values, io) => {
    const [port, controlToken] = [values.number('port', 0, 65_535), readControlToken(values)];
    const { marketplace, reset } = await marketplaceOf(values);
    const dashboard = new Dashboard(marketplace, { controlToken, names: values.all('allow-host'), reset });
    const host = values.text('host') ?? '';
    const server = await listenOrFail(dashboard.fetch, { port, host });
    const ended = io.ended();
    io.out(formatBanner(server.url, host, marketplace, dashboard.controlToken));
    if (!values.has('quiet')) printRequests(dashboard, io.out);
    await ended;
    await server.close();
    return 0;
  },
};

/** Creates the marketplace of a command line, with a function that resets it. @throws {CliError} when a file is invalid */
async function marketplaceOf(
  values: Values,
): Promise<{ readonly marketplace: FakeMarketplace; readonly reset: () => void }> {
  const [seedFile, settingsFile] = [values.text('seed'), values.text('settings')];
  const initial = seedFile === undefined ? undefined : ((await loadFile('seed', seedFile, moduleSeed)) as SeedInit);
  const settings = settingsFile === undefined ? {} : await loadFile('settings', settingsFile, settingsChange);
  const ofOptions = values.has('cors') ? { cors: true } : {};
  const operationsFile = values.text('operations');
  const own = operationsFile === undefined ? [] : await loadFile('operations', operationsFile, array(unknown));
  const marketplace = withLocation(undefined, () => new FakeMarketplace(startOf(values)));
  withLocation(operationsFile, () => own.forEach((each) => marketplace.operations.add(each as Operation)));
  const fill = (): void => {
    withLocation(seedFile ?? 'the sample', () => marketplace.seed(initial ?? sample()));
    withLocation(settingsFile, () => marketplace.seed({ settings: { ...settings, ...ofOptions } }));
    for (const text of values.all('faults'))
      withLocation(`--faults '${text}'`, () => marketplace.faults.inject(faultFrom(parseFields(text, seededFault))));
    subscribe(marketplace, values);
  };
  const reset = (): void => {
    marketplace.reset();
    fill();
  };
  fill();
  return { marketplace, reset };
}

/** Reads an option of several fields, e.g. `perSecond=10 retryAfter`. @throws {CliError} when one is invalid */
function fieldsOf<T>(values: Values, name: string, schema: Schema<T, unknown>): T | undefined {
  const text = values.text(name);
  return text === undefined ? undefined : withLocation(`--${name} '${text}'`, () => parseFields(text, schema));
}

/** Returns the options of the marketplace. @throws {CliError} when one is invalid */
function startOf(values: Values): FakeMarketplaceOptions {
  const limit = fieldsOf(values, 'limit', rateLimit);
  return {
    follow: values.text('follow') as FakeMarketplaceOptions['follow'],
    now: values.text('now'),
    limit: limit && withoutNulls(limit),
    settings: { optionLockMs: optionLockMsOverHttp },
  };
}

/** Subscribes the callbacks of the command line. @throws {CliError} when one is not valid */
function subscribe({ notifications }: FakeMarketplace, values: Values): void {
  const faults = withoutNulls(fieldsOf(values, 'callback-faults', deliveryFaults) ?? {});
  for (const callback of values.all('callback'))
    withLocation(`--callback ${callback}`, () => notifications.subscribe({ callback, faults }));
}

/** Prints one line per request, when it is done. */
function printRequests({ requestLog }: Dashboard, out: ProcessIO['out']): void {
  let lastPrinted: readonly number[] = [];
  requestLog.on((entry) => {
    // An entry can change again after its end, when the text of its body becomes known.
    if (entry.state === 'open' || lastPrinted.includes(entry.id)) return;
    lastPrinted = [...lastPrinted.slice(-199), entry.id];
    out(formatRequest(entry));
  });
}

function readControlToken(values: Values): string | undefined {
  const text = values.text('control-token') ?? process.env.FAKE_CONTROL_TOKEN;
  if (text === undefined || isControlToken(text)) return text;
  throw new UsageError('--control-token must have 16 or more letters, digits, - and _; so must FAKE_CONTROL_TOKEN');
}

/** Formats the startup message: the base URL, the users with their tokens, and a curl command. */
function formatBanner(url: string, host: string, { accounts, items }: FakeMarketplace, controlToken: string): string {
  const users = accounts.all.map((user) => ({
    ...user,
    nickname: printable(user.nickname),
    sells: items.all.some(({ seller_id }) => seller_id === user.user_id),
    token: accounts.bearers.find(({ user_id }) => user_id === user.user_id)?.token ?? '',
  }));
  const width = Math.max(0, ...users.map(({ nickname }) => nickname.length));
  const seller = users.find(({ sells }) => sells) ?? users[0];
  return [
    `Fake marketplace at ${url}  (open it in a browser for the dashboard)`,
    ...(isLoopback(host) ? [] : ['Other machines can connect to it and open its dashboard.']),
    '',
    ...users.map(
      ({ nickname, user_id, sells, token }) =>
        `  ${nickname.padEnd(width)}  ${sells ? 'seller' : 'buyer '}  user_id ${user_id}  token ${token}`,
    ),
    `  ${'controls'.padEnd(width)}  x-fake-token ${controlToken}`,
    '',
    seller
      ? `  curl -H 'Authorization: Bearer ${seller.token}' '${url}/questions/search?seller_id=${seller.user_id}'`
      : `  curl ${url}/currencies`,
    '',
    'Press Ctrl+C to stop.',
  ].join('\n');
}

/** Formats a request on one line. Control characters are replaced. */
function formatRequest({ at, method, path, status, state, ms, nickname }: LoggedRequest): string {
  const time = new Date(at).toTimeString().slice(0, 8);
  const outcome = state === 'broken' ? 'broken' : String(status);
  const who = nickname === null ? '' : ` ${nickname}`;
  return printable(`${time} ${method.padEnd(6)} ${outcome} ${path} ${ms} ms${who}`);
}

/** Serves a function over HTTP. @throws {CliError} when the address cannot be bound */
async function listenOrFail(
  handle: (request: Request) => Promise<Response>,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<Listening> {
  try {
    return await listen(handle, { port, host });
  } catch (error) {
    if (!(error instanceof FakeMarketplaceError)) throw error;
    const { code } = (error.cause ?? {}) as { code?: string };
    if (code === 'EADDRINUSE') throw new CliError(`port ${port} is in use; --port 0 picks a free one`);
    throw new CliError(`cannot listen on ${host}, port ${port}: ${code ?? error.message}`);
  }
}

/** Reads a file that an option names, and checks its content. @throws {CliError} with one line per problem */
async function loadFile<T>(kind: string, path: string, schema: Schema<T, unknown>): Promise<T> {
  const content = await readContent(kind, path).catch((error: unknown) => {
    const { code } = error as { code?: string };
    if (code === 'ENOENT') throw new CliError(`the ${kind} file ${path} does not exist`);
    if (error instanceof SyntaxError) throw new CliError(`${path} is not valid JSON: ${error.message}`);
    throw new CliError(`cannot read ${path}: ${code ?? String(error)}`);
  });
  return withLocation(path, () => readAs(schema, content));
}

/** Reads JSON, or a module's default export or export of this name: `.js`, `.mjs`, `.ts` or `.mts`. Rejects when it cannot be read. */
async function readContent(kind: string, path: string): Promise<unknown> {
  // Reading it first gives a missing module the same error as a missing file.
  const text = await readFile(path, 'utf8');
  if (!/\.m?[jt]s$/.test(path)) return JSON.parse(text.replace(/^\uFEFF/, '')) as unknown;
  const module = (await import(pathToFileURL(resolve(path)).href)) as Readonly<Record<string, unknown>>;
  return module.default ?? module[kind];
}

/**
 * Parses fields and values, e.g. `status=503 times=2 match.path=/answers`.
 *
 * @throws {FakeMarketplaceError} when a field or a value is invalid, or there is no field
 */
export function parseFields<T>(text: string, schema: Schema<T, unknown>): T {
  const words = text.split(/[\s,]+/).filter(Boolean);
  if (words.length === 0) throw new FakeMarketplaceError('a field is missing, e.g. status=503');
  const fields = new Map<string, unknown>();
  for (const word of words) {
    const [name = '', ...parts] = word.split('=');
    const value = parts.length === 0 ? true : parseValue(parts.join('='));
    const [outer = '', inner] = name.split('.');
    fields.set(outer, inner === undefined ? value : { ...(fields.get(outer) ?? {}), [inner]: value });
  }
  return readAs(schema, Object.fromEntries(fields));
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Adds the location to an error, if there is one. @throws {CliError} with one line per problem */
function withLocation<T>(location: string | undefined, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof FakeMarketplaceError)) throw error;
    const { messages } = error;
    if (location === undefined) throw new CliError(messages.join('; '));
    const start = messages.length === 1 ? ' ' : '\n  ';
    throw new CliError(`${location}:${messages.map((each) => start + each).join('')}`);
  }
}
