import { checks } from 'marketplace-seller-sdk/simulation';
import type { History, SimulatedCall } from 'marketplace-seller-sdk/simulation';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, test } from 'vitest';

describe('a check tells of a fault only if the bot could know', () => {
  const call = (more: Partial<SimulatedCall>): SimulatedCall => {
    return {
      name: 'a call',
      start: 1,
      method: 'POST',
      path: '/answers',
      body: { question_id: 1 },
      at: 0,
      isCarriedOut: true,
      user_id: 7,
      ...more,
    };
  };
  const history = (more: Partial<History>): History => {
    const marketplace = new FakeMarketplace();
    const none = {
      seed: 1,
      events: [],
      calls: [],
      deliveries: [],
      crashes: [],
      trace: [],
      revoked: new Map<number, number>(),
    };
    return { ...none, marketplace, nameOf: String, ...more };
  };

  test.each<[number | undefined, number, number]>([
    [undefined, 100, 0],
    [100, 99, 0],
    [100, 100, 0],
    [100, 101, 1],
  ])('a rejection that was received at %s, and the same call at %i: %i', (receivedAt, at, expected) => {
    const calls = [call({ status: 400, receivedAt }), call({ at })];
    expect(checks.noRejectionRepeated(history({ calls }))).toHaveLength(expected);
  });

  test.each<[Partial<SimulatedCall>, number]>([
    [{}, 1],
    [{ start: 2 }, 0],
    [{ method: 'PUT' }, 0],
    [{ path: '/answers/1' }, 0],
    [{ body: { question_id: 2 } }, 0],
  ])('a rejection, and a call that differs by %j: %i', (more, expected) => {
    const calls = [call({ status: 422, receivedAt: 10 }), call({ at: 20, ...more })];
    expect(checks.noRejectionRepeated(history({ calls }))).toHaveLength(expected);
  });

  test.each([
    [400, 1],
    [401, 0],
    [403, 1],
    [404, 1],
    [409, 0],
    [422, 1],
    [429, 0],
    [500, 0],
    [200, 0],
  ])('a call that got %i is sent again: %i', (status, expected) => {
    const calls = [call({ status, receivedAt: 10 }), call({ at: 20 })];
    expect(checks.noRejectionRepeated(history({ calls }))).toHaveLength(expected);
  });

  test.each<[number | undefined, number, number]>([
    [undefined, 100, 0],
    [100, 100, 0],
    [100, 101, 1],
  ])('an answer that was received at %s, and another one at %i: %i', (receivedAt, at, expected) => {
    const read = call({
      method: 'GET',
      path: '/questions/1',
      body: undefined,
      receivedAt,
      response: { id: 1, status: 'ANSWERED' },
    });
    expect(checks.answeredOnce(history({ calls: [read, call({ at })] }))).toHaveLength(expected);
  });

  test.each([
    [60_000, 0],
    [60_100, 0],
    [60_101, 1],
  ])('a 401 that was received at 100, and a call at %i: %i', (at, expected) => {
    const calls = [call({ at: 50, status: 401, receivedAt: 100 }), call({ at })];
    const revoked = new Map([[7, 40]]);
    expect(checks.noCallAfterRevocation(history({ calls, revoked }))).toHaveLength(expected);
    expect(
      checks.noCallAfterRevocation(history({ calls: calls.map((each) => ({ ...each, user_id: 8 })), revoked })),
    ).toEqual([]);
  });

  test.each([
    [9_001, 0],
    [9_000, 0],
    [8_999, 1],
  ])('a notification that came at 10,000, and its question read at %i: %i', (receivedAt, expected) => {
    const delivery = { topic: 'questions', resource: '/questions/1', user_id: 7, at: 10_000, name: 'n', outcome: 200 };
    const calls = [call({ method: 'GET', path: '/questions/1', receivedAt })];
    expect(checks.acknowledgedHandled(history({ calls, deliveries: [delivery] }))).toHaveLength(expected);
  });
});
