import { afterEach, expect, test, vi } from 'vitest';
import { debugLogger } from '../../src/core/transport/debug-logger.js';
import { errorOf, stubbed, wireQuestion } from '../support/stubs.ts';

const token = 'APP_USR-debug-secret';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** What two calls print on stderr: one that succeeds and one that fails with an echo of its token. */
async function printedByCalls(): Promise<string> {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const { sellerClient } = stubbed(
    [Response.json(wireQuestion), Response.json({ message: `no: ${token}` }, { status: 404 })],
    { accessToken: token },
  );
  await sellerClient.questions.get({ question_id: 42 });
  await errorOf(sellerClient.questions.get({ question_id: 43 }));
  return write.mock.calls.map(([text]) => String(text)).join('');
}

test('MARKETPLACE_SELLER_DEBUG=1 prints masked lines on stderr', async () => {
  vi.stubEnv('MARKETPLACE_SELLER_DEBUG', '1');
  const printed = await printedByCalls();
  expect(printed).toMatch(
    /^marketplace-seller-sdk debug: GET \/questions\/\{question_id\} responded 200 after \d+ ms \{/,
  );
  expect(printed).toMatch(
    /^marketplace-seller-sdk warn: GET \/questions\/\{question_id\} failed with 404: no: \[redacted\]/m,
  );
  expect(printed).not.toContain(token);
  expect(printed.trimEnd().split('\n')).toHaveLength(3);
});

test.each(['debug', 'info', 'warn', 'error'] as const)(
  'a line of the level %s names it, and has the fields',
  (level) => {
    vi.stubEnv('MARKETPLACE_SELLER_DEBUG', '1');
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    debugLogger()?.[level]('what happened', { attempt: 1 });
    expect(write.mock.calls).toEqual([[`marketplace-seller-sdk ${level}: what happened {"attempt":1}\n`]]);
  },
);

test.each([undefined, '', '0'])('with MARKETPLACE_SELLER_DEBUG=%s nothing is printed', async (value) => {
  vi.stubEnv('MARKETPLACE_SELLER_DEBUG', value);
  expect(await printedByCalls()).toBe('');
});

test('the variable is read when a client is created', async () => {
  const { sellerClient } = stubbed([Response.json(wireQuestion)]);
  vi.stubEnv('MARKETPLACE_SELLER_DEBUG', '1');
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  await sellerClient.questions.get({ question_id: 42 });
  expect(write).not.toHaveBeenCalled();
});

test.each([
  ['has no process', undefined],
  ['has a process without an environment', {}],
  ['has an environment and no stderr', { env: { MARKETPLACE_SELLER_DEBUG: '1' } }],
  [
    'denies its environment',
    {
      get env(): never {
        throw new Error('permission denied');
      },
    },
  ],
])('a client works where the platform %s', async (_, value) => {
  vi.stubGlobal('process', value);
  const { sellerClient } = stubbed([Response.json(wireQuestion)]);
  expect((await sellerClient.questions.get({ question_id: 42 })).id).toBe(42);
});
