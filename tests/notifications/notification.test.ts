import { fc } from '../support/fast-check.ts';
import { NotificationError } from 'marketplace-seller-sdk';
import { parseNotification } from 'marketplace-seller-sdk/inbox';
import type { QuestionNotification, UnknownNotification } from 'marketplace-seller-sdk/inbox';
import { describe, expect, expectTypeOf, test } from 'vitest';

const plain = {
  user_id: 7,
  resource: '/questions/5036111111',
  topic: 'questions',
  received: '2026-11-20T10:00:00.000Z',
  sent: '2026-11-20T10:00:00.100Z',
};

describe('a notification about a question', () => {
  test('the notification has the id of the question', () => {
    expect(parseNotification(JSON.stringify(plain))).toEqual({ ...plain, known: true, question_id: 5036111111 });
  });

  test('an object that a framework has parsed is accepted', () => {
    expect(parseNotification(plain)).toMatchObject({ question_id: 5036111111 });
  });

  test.each([
    ...['/questions/42', 'questions/42', '/questions/42/', '42', '//questions//42//', ' /questions/42 '],
    ...['/Questions/042', '/questions/42?x=1', 'questions/42#a', '%2Fquestions%2F42', '/questions/%34%32'],
    // A whole URL: only its path is read, and nothing is sent to its host.
    ...['https://api.test/questions/42?x=1', 'http://user@evil.test:80/questions/42', '//evil.test/questions/42'],
    ...['HTTPS://API.TEST//questions/42/'],
  ])('the resource %s is question 42', (resource) => {
    expect(parseNotification({ ...plain, resource })).toMatchObject({ question_id: 42, resource });
  });

  test.each([
    'https://evil.test/questions/42/users',
    'https://questions/42.evil.test/x',
    'https://evil.test/?/questions/42',
    'https://evil.test',
    '/questions/42/../../users/me',
    '/questions/%2E%2E',
    '/questions/%',
    '/questions/abc',
    '/questions/',
    '/items/42',
    '/questions/9007199254740993',
  ])('the resource %s is rejected', (resource) => {
    expect(() => parseNotification({ ...plain, resource })).toThrow(NotificationError);
  });

  test('the type is narrowed by the topic', () => {
    const notification = parseNotification(plain);
    if (notification.topic !== 'questions' || !notification.known) throw new Error('the topic is questions');
    expectTypeOf(notification).toEqualTypeOf<QuestionNotification>();
    expect(notification.question_id).toBe(5036111111);
  });
});

describe('fields beyond the specification', () => {
  test('ids, attempts and actions are read', () => {
    const seen = { ...plain, _id: 'f9f08571', application_id: 5503910054141466, attempts: 2, actions: ['created'] };
    expect(parseNotification(seen)).toMatchObject({
      id: 'f9f08571',
      application_id: 5503910054141466,
      attempts: 2,
      actions: ['created'],
    });
  });

  test('the spellings `id`, a user id in digits and `recieved` are read', () => {
    const { received, ...rest } = plain;
    expect(parseNotification({ ...rest, id: 99, user_id: '7', recieved: received, attempts: '3' })).toMatchObject({
      id: '99',
      user_id: 7,
      received,
      attempts: 3,
    });
  });

  test('an application id of 19 digits keeps every digit', () => {
    const body = JSON.stringify(plain).replace('{', '{"application_id":1234567890123456789,');
    expect(parseNotification(body).application_id).toBe('1234567890123456789');
  });

  test('an application id that was rounded by JSON.parse is left out', () => {
    const parsed = { ...plain, application_id: Number('1234567890123456789') };
    expect(parseNotification(parsed)).not.toHaveProperty('application_id');
  });

  test('a user id that was rounded by JSON.parse is rejected by name', () => {
    expect(() => parseNotification({ ...plain, user_id: Number('1234567890123456789') })).toThrow(/user_id.*rounded/);
  });

  test('an invalid optional field is left out', () => {
    const odd = { ...plain, attempts: 'many', actions: 'created', sent: 17, received: null, _id: {} };
    const { sent, ...rest } = parseNotification(odd);
    expect(sent).toBe('17');
    expect(rest).toEqual({
      user_id: 7,
      resource: plain.resource,
      topic: 'questions',
      known: true,
      question_id: 5036111111,
    });
  });

  test('unknown fields are kept', () => {
    expect(parseNotification({ ...plain, version: 2 })).toMatchObject({ version: 2 });
  });
});

describe('a topic that the specification does not describe', () => {
  test('an unknown topic passes through, typed as unknown', () => {
    const notification = parseNotification({ ...plain, topic: 'items', resource: '/items/MLA1' });
    expect(notification).toMatchObject({ known: false, topic: 'items', resource: '/items/MLA1' });
    if (notification.known) throw new Error('the topic is not documented');
    expectTypeOf(notification).toEqualTypeOf<UnknownNotification>();
    // @ts-expect-error an unknown topic has no question
    const id: number = notification.question_id;
    expect(id).toBeUndefined();
  });
});

describe('a body that is no notification', () => {
  test.each(['', '{', 'null', '[]', '"questions"', '42', '{}', '[{"topic":"questions"}]'])('%j is rejected', (body) => {
    expect(() => parseNotification(body)).toThrow(NotificationError);
  });

  test.each(['user_id', 'resource', 'topic'] as const)('a notification without `%s` is rejected', (name) => {
    expect(() => parseNotification({ ...plain, [name]: undefined })).toThrow(new RegExp(name));
    expect(() => parseNotification({ ...plain, [name]: '' })).toThrow(new RegExp(name));
  });

  test('the error does not echo the body', () => {
    const secret = 'a buyer wrote this';
    expect(() => parseNotification({ user_id: secret, topic: secret, resource: secret })).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining(secret) as string }) as Error,
    );
  });

  test('any body is read or rejected with NotificationError', () => {
    const field = fc.oneof(fc.jsonValue(), fc.constantFrom('questions', '/questions/42', '42', 7));
    const shaped = fc.record(
      { user_id: field, topic: field, resource: field, id: field, sent: field, application_id: field, actions: field },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          shaped.map((it) => JSON.stringify(it)),
          fc.string(),
          fc.json(),
        ),
        (body) => {
          try {
            const { user_id, topic, known } = parseNotification(body);
            expect(Number.isSafeInteger(user_id)).toBe(true);
            expect(known).toBe(topic === 'questions');
          } catch (error) {
            expect(error).toBeInstanceOf(NotificationError);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
