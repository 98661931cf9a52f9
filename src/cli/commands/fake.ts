import { array, unknown } from '../../core/schema/define.js';
import type { Schema } from '../../core/schema/schema.js';
import { FakeMarketplace } from '../../testing/marketplace.js';
import type { FakeMarketplaceOptions, SeedInit } from '../../testing/marketplace.js';
import { isControlToken } from '../../testing/dashboard/access.js';
import { Dashboard } from '../../testing/dashboard/dashboard.js';
import { withoutNulls } from '../../testing/dashboard/notification-controls.js';
import { sample } from '../../testing/seed/sample.js';
import { optionLockMsOverHttp } from '../../testing/settings.js';
import { moduleSeed, seededFault } from '../../testing/seed/schema.js';
import { rateLimit, settingsChange } from '../../testing/seed/settings-schema.js';
import { faultFrom } from '../../testing/seed/fault.js';
import { deliveryFaults } from '../../testing/webhooks/callback.js';
import type { Operation } from '../../testing/operations/operation.js';
import { UsageError } from '../errors.js';
import type { Command, ProcessIO } from '../command.js';
import { formatBanner, formatRequest } from '../format.js';
import { listenOrFail } from '../listen-or-fail.js';
import type { Options, Values } from '../options.js';
import { parseFields } from '../parse-fields.js';
import { loadFile } from '../load-file.js';
import { withLocation } from '../with-location.js';

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
