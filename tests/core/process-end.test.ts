import { describe, expect, test } from 'vitest';
import { run } from '../support/program.ts';

/** A minute: with a timer that is left behind, the process would live longer than the test. */
const long = '60000';

describe('a process ends when its calls have ended, although its token function hangs:', () => {
  test.each([
    ['a function', 'AbortError AbortError'],
    ['a refresh in the background', 'Hay stock? Hay stock?'],
    ['a refresh that calls wait for', 'AbortError AbortError'],
  ])('%s', async (way, printed) => {
    const { status, output } = await run('tests/support/hanging-token.ts', {
      WAY: way,
      ABORT: 'yes',
      TIMEOUT_MS: long,
    });
    expect([status, output.trim()]).toEqual([0, printed]);
  });
});

describe('a process lives as long as a call waits for its token, although nothing else keeps it alive:', () => {
  test.each(['a function', 'a refresh that calls wait for'])('%s', async (way) => {
    const { status, output } = await run('tests/support/hanging-token.ts', {
      WAY: way,
      ABORT: 'no',
      TIMEOUT_MS: '200',
    });
    expect([status, output.trim()]).toEqual([0, 'AccessTokenError AccessTokenError']);
  });
});
