import { Agent } from 'node:http';
import { afterAll, describe, expect, test, vi } from 'vitest';

// What browsers and Workers get in place of `core/transport/platform-node.ts`. Other test files share the modules, so these are new.
vi.resetModules();
vi.doMock('../../src/core/transport/platform-node.ts', () => import('../../src/core/transport/platform-portable.ts'));
const { errorOf, networkFault, stubbed, wireQuestion } = await import('../support/stubs.ts');
afterAll(() => {
  vi.doUnmock('../../src/core/transport/platform-node.ts');
  vi.resetModules();
});

describe('where there is no Node', () => {
  test('requests are sent with the fetch of the platform', async () => {
    const fetch = vi.fn(() => Promise.resolve(Response.json(wireQuestion)));
    vi.stubGlobal('fetch', fetch);
    const { sellerClient } = stubbed([], { fetch: undefined });
    await sellerClient.questions.get({ question_id: 42 });
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  test('`agent` has no effect, and is rejected', () => {
    expect(() => stubbed([], { fetch: undefined, agent: new Agent() })).toThrow(
      /`agent` has no effect: this is not Node/,
    );
  });

  test('no error of fetch proves that a write was not sent', async () => {
    const { sellerClient, sent } = stubbed([networkFault('ECONNREFUSED')]);
    const error = await errorOf(sellerClient.questions.answer({ question_id: 42, text: 'Yes' }));
    expect(error.name).toBe('OutcomeUnknownError');
    expect(error.message).toContain('fetch failed (ECONNREFUSED)');
    expect(sent).toHaveLength(1);
  });

  test('a read is retried all the same', async () => {
    const { sellerClient } = stubbed([new TypeError('Failed to fetch'), Response.json(wireQuestion)]);
    await expect(sellerClient.questions.get({ question_id: 42 })).resolves.toMatchObject({ id: 42 });
  });

  test('a Blob is uploaded with the form of the platform, and there are no files on disk', async () => {
    const { sellerClient, sent } = stubbed([Response.json({ id: 'a.pdf' })]);
    const file = new Blob(['bytes']);
    await sellerClient.messages.upload({ site_id: 'MLA', file, filename: 'a.pdf' });
    expect((await sent[0]!.formData()).get('file')).toMatchObject({ name: 'a.pdf', size: 5 });
    const failure = errorOf(sellerClient.messages.upload({ site_id: 'MLA', file: './a.pdf' }));
    expect((await failure).message).toContain('this platform has no files; give a Blob');
    expect(sent).toHaveLength(1);
  });
});
