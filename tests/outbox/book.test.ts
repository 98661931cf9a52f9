import { expect, test } from 'vitest';
import { LedgerBook } from '../../src/work/writes.js';
import { MemoryLedger } from '../../src/work/memory.js';

test('what a later run reads back proves its write also for those that look from another target', async () => {
  const ledger = new MemoryLedger();
  const link = { id: 'link', target: 'actionGuide.send 7', input: {}, sentAt: Date.now(), state: 'sent' } as const;
  const first = new LedgerBook(ledger);
  await first.enter([link]);

  const later = new LedgerBook(ledger, [link]);
  expect(await later.claim('message 1', 'link')).toBe(true);
  await later.enter([{ ...link, state: 'done', entry: 'message 1' }]);

  const other = new LedgerBook(ledger);
  expect(await other.look('messages.send 7', ['message 1'])).toMatchObject([{ id: 'link', entry: 'message 1' }]);
});

test.each([[true], [false]])(
  'what a process claimed before it was killed proves its write, entered or not: %s',
  async (isEntered) => {
    const ledger = new MemoryLedger();
    const target = 'messages.send 7';
    const reply = { id: 'reply', target, input: {}, sentAt: Date.now(), state: 'sent' } as const;
    if (isEntered) await new LedgerBook(ledger).enter([reply]);
    expect(await new LedgerBook(ledger, [reply]).claim('message 1', 'reply')).toBe(true);

    expect(await new LedgerBook(ledger).look(target, ['message 1'])).toMatchObject([
      { id: 'reply', entry: 'message 1' },
    ]);
  },
);
