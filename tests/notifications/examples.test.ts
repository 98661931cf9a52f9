import { describe, expect, test } from 'vitest';
import { run } from '../support/program.ts';

describe('the examples of notifications', () => {
  test('the Express example answers each question once', async () => {
    const { output, status } = await run('examples/notifications-express.ts');
    expect(output.match(/answered question \d+: .*/g)).toHaveLength(2);
    expect(output).toContain('Is there stock?');
    expect(output).not.toContain('failed');
    expect(status).toBe(0);
  });

  test('the fetch example reads with the token of the seller who was asked', async () => {
    const { output, status } = await run('examples/notifications-fetch.ts');
    expect(output.match(/seller \d+ was asked question \d+: Do you ship to Salta\?/g)).toHaveLength(2);
    expect(status).toBe(0);
  });
});
