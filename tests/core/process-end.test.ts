import { describe, expect, test } from 'vitest';
import { run } from '../support/program.ts';

/** Ten minutes: with a timer that is left behind, the process lives longer than a test may take. */
const long = '600000';

test('a process ends when its calls have ended, although each kind of token function hangs', async () => {
  const { status, output } = await run('tests/support/hanging-token.ts', {
    WAYS: 'a function,a refresh in the background,a refresh that calls wait for',
    ABORT: 'yes',
    TIMEOUT_MS: long,
  });
  const printed = ['AbortError AbortError', 'Hay stock? Hay stock?', 'AbortError AbortError'];
  expect([status, output.trim().split('\n')]).toEqual([0, printed]);
});

describe('a process lives as long as a call waits for its token, although nothing else keeps it alive:', () => {
  test.each([
    ['a function', 'no', 'AccessTokenError AccessTokenError'],
    ['a function', 'first', 'AbortError AccessTokenError'],
    ['a refresh that calls wait for', 'no', 'AccessTokenError AccessTokenError'],
  ])('%s, aborted: %s', async (way, aborted, printed) => {
    const { status, output } = await run('tests/support/hanging-token.ts', {
      WAYS: way,
      ABORT: aborted,
      TIMEOUT_MS: '200',
    });
    expect([status, output.trim()]).toEqual([0, printed]);
  });
});
