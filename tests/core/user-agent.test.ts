import type { ClientOptions } from 'marketplace-seller-sdk';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { version } from '../../src/core/request/version.js';
import { json, startServer } from '../support/http-server.ts';
import { stubbed, wireQuestion } from '../support/stubs.ts';
import { transports } from '../support/transports.ts';

const sdk = `marketplace-seller-sdk/${version}`;
const onNode = `${sdk} (Node.js/${process.versions.node.split('.')[0]})`;

afterEach(() => void vi.unstubAllGlobals());

describe('the user-agent', () => {
  test.each(transports)('names this package and the runtime, over %s', async (_, options) => {
    const server = await startServer((response) => json(response, 200, wireQuestion));
    const { sellerClient } = stubbed([], { baseUrl: server.url, fetch: undefined, ...options });
    await sellerClient.questions.get({ question_id: 42 });
    await sellerClient.withOptions({ headers: { 'user-agent': 'my-app/1.2' } }).questions.get({ question_id: 42 });
    expect(server.received.map(({ headers }) => headers['user-agent'])).toEqual([onNode, 'my-app/1.2']);
  });

  const browser =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36';
  test.each<[string, object | undefined, Partial<ClientOptions>, string | null]>([
    ['Deno', { userAgent: 'Deno/2.5.1' }, {}, `${sdk} (Deno/2.5.1)`],
    ['Bun', { userAgent: 'Bun/1.3.0' }, {}, `${sdk} (Bun/1.3.0)`],
    ['Workers', { userAgent: 'Cloudflare-Workers' }, {}, `${sdk} (Cloudflare-Workers)`],
    ['Node without a navigator', undefined, {}, onNode],
    ['a browser', { userAgent: browser }, {}, null],
    ['a strange runtime', { userAgent: 'a\nb' }, {}, null],
    ['a user-agent in headers', { userAgent: 'Bun/1' }, { headers: { 'User-Agent': 'mine' } }, 'mine'],
  ])('on %s', async (_, navigator, options, expected) => {
    vi.stubGlobal('navigator', navigator);
    const { sellerClient, sent } = stubbed([Response.json(wireQuestion)], options);
    await sellerClient.questions.get({ question_id: 42 });
    expect(sent[0]!.headers.get('user-agent')).toBe(expected);
  });
});
