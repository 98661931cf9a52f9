import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { expect, test } from 'vitest';
import { Dashboard } from '../../src/testing/dashboard/dashboard.js';
import { allEndpoints } from '../../src/testing/http/all-endpoints.js';

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

test('every documented error of every endpoint names the row of its section', async () => {
  const { marketplace, call, rules } = logged();
  const expected = [];
  for (const endpoint of allEndpoints.filter(({ method }) => method !== 'OPTIONS')) {
    const path = endpoint.path.replaceAll(/\{\w+\}/g, '1');
    const tag = endpoint.query?.tag === undefined ? '' : `?tag=${endpoint.query.tag}`;
    for (const error of endpoint.errors) {
      marketplace.failNext(endpoint, error, { message: 'In other words' });
      await call(`${endpoint.method} ${path}${tag}`);
      expect(error.section).toBeTypeOf('string');
      expected.push(`${error.section}: ${error.condition ?? error.message}`);
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
  expect(await rules()).toEqual([null, null, null, `${notFound.section}: ${notFound.condition ?? notFound.message}`]);
});

// They are no part of the package: what a user reads says what is meant.
test('no rule of an error names the notes about the live service', () => {
  const sections = allEndpoints.flatMap(({ errors }) => errors.map(({ section }) => section));
  expect(sections.filter((section) => /notes/i.test(section ?? ''))).toEqual([]);
});

test('the notes are named only in comments of what responds, which no user reads', () => {
  const root = join(import.meta.dirname, '../../src');
  const isInternal = /^testing\/(?:handlers|http|seed\/sample|router)/;
  const others = globSync('**/*.{ts,js,html}', { cwd: root }).filter((path) => !isInternal.test(path));
  expect(others.filter((path) => readFileSync(join(root, path), 'utf8').includes('Wire notes'))).toEqual([]);
});
