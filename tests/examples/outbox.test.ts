import { expect, test } from 'vitest';
import { run } from '../support/program.ts';

test('the example ends with both jobs accepted, and one message with a file', async () => {
  const { output, status } = await run('examples/outbox.ts');
  expect(output).toContain("'invoice-42-pdf: waiting', 'invoice-42-link: accepted'");
  expect(output).toContain("'invoice-42-link: accepted', 'invoice-42-pdf: accepted'");
  expect(output).toContain('messages with a file: 1');
  expect(status).toBe(0);
});
