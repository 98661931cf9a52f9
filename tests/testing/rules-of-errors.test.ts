import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { expect, test } from 'vitest';
import { Dashboard } from '../../src/testing/dashboard/dashboard.js';
import type { DocumentedError } from '../../src/core/operation/documented-error.js';
import { pageOfError } from '../../src/core/errors/seller-error.js';
import { allEndpoints } from '../../src/testing/http/routes.js';

const control = 'a-token-of-the-page';

/** A marketplace with its log of requests. */
function logged() {
  const marketplace = new FakeMarketplace();
  const { fetch } = new Dashboard(marketplace, { controlToken: control, page: false });
  const call = async (line: string): Promise<void> => {
    const [method = '', path = ''] = line.split(' ');
    await (await fetch(new Request(`http://127.0.0.1${path}`, { method }))).text();
  };
  const rules = async (): Promise<unknown[]> => {
    const headers = { 'x-fake-token': control };
    const response = await fetch(new Request('http://127.0.0.1/__fake/requests', { headers }));
    return ((await response.json()) as { requests: { rule: unknown }[] }).requests.map(({ rule }) => rule);
  };
  return { marketplace, call, rules };
}

test('every documented error of every endpoint names its class, its reason, and its place in the documentation', async () => {
  const { marketplace, call, rules } = logged();
  const expected = [];
  for (const endpoint of allEndpoints.filter(({ method }) => method !== 'OPTIONS')) {
    const path = endpoint.path.replaceAll(/\{\w+\}/g, '1');
    const tag = endpoint.query?.tag === undefined ? '' : `?tag=${endpoint.query.tag}`;
    for (const error of endpoint.errors) {
      marketplace.failNext(endpoint, error, { message: 'In other words' });
      await call(`${endpoint.method} ${path}${tag}`);
      expected.push(ruleOf(error));
    }
  }
  expect(expected.length).toBeGreaterThan(80);
  expect(await rules()).toEqual(expected);
});

test('an error that no row documents has no rule, whatever its words are', async () => {
  const { marketplace, call, rules } = logged();
  const [get] = allEndpoints.filter(({ name }) => name === 'questions.get');
  marketplace.failNext(get!, { status: 404, message: get!.errors[0]!.message });
  await call('GET /questions/1');
  await call('GET /nowhere');
  await call('GET /currencies');
  await call('GET /questions/1');
  const notFound = get!.errors.find(({ status }) => status === 404)!;
  expect(await rules()).toEqual([null, null, null, ruleOf(notFound)]);
});

test('each place that a rule names is in the documentation', () => {
  const kinds = new Set(allEndpoints.flatMap(({ errors }) => errors.map(({ error }) => error.kind)));
  const places = [...kinds].map((kind) => ({ kind, place: pageOfError(kind).split('#') }));
  const missing = places.filter(({ kind, place: [file = ''] }) => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/errors', file), 'utf8');
    return !new RegExp(`^##? ${kind}$`, 'm').test(page);
  });
  expect(missing).toEqual([]);
});

/** A file and a heading of the package, which a reader has. */
function ruleOf({ error: { kind }, condition, message }: DocumentedError): string {
  return `${kind}: ${condition ?? message} (docs/errors/${pageOfError(kind)})`;
}
