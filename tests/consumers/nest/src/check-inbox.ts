// Delivers notifications of the fake to an inbox in a Nest application, on Express and on Fastify.
import 'reflect-metadata';
import assert from 'node:assert/strict';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { createInbox } from 'marketplace-seller-sdk/inbox';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { ExpressNotifications, FastifyNotifications, NotificationsModule } from './notifications.js';

const platforms = [
  { adapter: new ExpressAdapter(), controller: ExpressNotifications },
  { adapter: new FastifyAdapter(), controller: FastifyNotifications },
] as const;

async function main(): Promise<void> {
  for (const { adapter, controller } of platforms) {
    const { name } = controller;
    const marketplace = new FakeMarketplace();
    const { user_id } = marketplace.addUser();
    const { item_id } = marketplace.addItem({ seller_id: user_id });
    const client = marketplace.clientFor({ user_id });
    const inbox = createInbox({
      clientFor: (user) => (user === user_id ? client : undefined),
      on: {
        questions: async (_, { read, client: seller }) => {
          const { id, status } = await read();
          if (status === 'UNANSWERED') await seller.questions.answer({ question_id: id, text: 'Yes.' });
        },
      },
    });
    const application = await NestFactory.create(NotificationsModule.with(controller, inbox), adapter, {
      logger: ['error'],
    });
    await application.listen(0, '127.0.0.1');
    const callback = `${await application.getUrl()}/notifications`;

    // The first delivery of a loaded machine takes longer than the half second of the service.
    marketplace.notifications.subscribe({ callback, timeoutMs: 30_000 });
    for (const text of ['Is it new?', 'Is it blue?']) marketplace.ask({ from: marketplace.addUser(), item_id, text });
    await marketplace.notifications.flush();
    await inbox.idle();
    // Also of the answers; each was delivered once.
    await marketplace.notifications.flush();
    await inbox.idle();
    assert.deepEqual(
      marketplace.questions.all.map(({ answer }) => answer?.text),
      ['Yes.', 'Yes.'],
      name,
    );
    const { attempts } = marketplace.notifications;
    assert.equal(attempts.length, 4, name);
    assert.ok(
      attempts.every(({ outcome }) => String(outcome).includes('200')),
      `${name}: ${attempts.map(({ outcome }) => outcome).join(', ')}`,
    );
    const wrong = await fetch(callback, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '[]',
    });
    assert.equal(wrong.status, 400, name);
    await application.close();
    await inbox.close();
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
