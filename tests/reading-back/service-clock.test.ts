import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { withWriteHook } from '../../src/core/recover/write-hook.js';
import { WriteRecords } from '../../src/work/writes.js';
import type { WriteRecord } from '../../src/core/recover/write-hook.js';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { errorOf, stubbed } from '../support/stubs.ts';

const noon = Date.UTC(2026, 2, 2, 12);
beforeEach(() => void vi.useFakeTimers({ now: noon }));
afterEach(() => void vi.useRealTimers());

describe.each([1000, 40_000, -40_000])('a message of a process that is %i ms ahead', (aheadMs) => {
  test.each([true, false])(
    'is read back as it is by a later run, also in another process: carried out %s',
    async (isCarriedOut) => {
      const text = 'It leaves today.';
      const sale = { pack_id: '900', user_id: 7 };
      const messages: object[] = [];
      const now = (): Date => new Date(Date.now() - aheadMs);
      const service = async ({ method }: Request): Promise<Response> => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        const date = now();
        if (method !== 'GET') {
          const made = { id: 'm-1', text, from: { user_id: 7 }, message_date: { created: date.toISOString() } };
          if (isCarriedOut) messages.push(made);
          throw new TypeError('fetch failed');
        }
        const paging = { total: messages.length };
        return Response.json({ messages, paging }, { headers: { date: date.toUTCString() } });
      };
      const warnings: string[] = [];
      const log = (): void => undefined;
      const logger = { debug: log, info: log, error: log, warn: (line: string) => void warnings.push(line) };
      const options = { accessToken: 'APP_USR-1-7', maxRetries: 0, logger };
      const { sellerClient } = stubbed([service], options);
      for (let turn = 0; turn < 40; turn += 1) {
        await advanceUntilSettled(Promise.resolve(sellerClient.messages.conversation(sale).first()));
        await vi.advanceTimersByTimeAsync(730);
      }
      const differs = `is 40 s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of https://api.test`;
      const told = warnings.filter((line) => line.includes('The clock of'));
      expect(told).toEqual(aheadMs === 1000 ? [] : [expect.stringContaining(differs)]);
      let noted: readonly WriteRecord[] = [];
      const note = async (writes: readonly WriteRecord[]): Promise<void> => void (noted = structuredClone(writes));
      const send = (client: typeof sellerClient, records: WriteRecords): Promise<unknown> =>
        withWriteHook(client, records)
          .messages.send({ ...sale, to: { user_id: 31 }, text })
          .then((sent) => sent);
      await advanceUntilSettled(errorOf(send(sellerClient, new WriteRecords({ writes: [], note }))));
      expect(noted).toHaveLength(1);
      vi.advanceTimersByTime(60_000);
      // Another client, which has seen no response yet.
      const { sellerClient: later, sent } = stubbed([service], options);
      const second = new WriteRecords({ writes: noted, note });
      await advanceUntilSettled(send(later, second).catch(() => undefined));
      expect(second.stoppedBy).toBeUndefined();
      expect(sent.filter(({ method }) => method === 'POST')).toHaveLength(isCarriedOut ? 0 : 1);
    },
  );
});
