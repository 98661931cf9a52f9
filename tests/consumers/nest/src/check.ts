// Starts a Nest application whose questions come from the fake, and asks it over HTTP.
import 'reflect-metadata';
import assert from 'node:assert/strict';
import { NestFactory } from '@nestjs/core';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { QuestionsModule, RefusalFilter } from './questions.js';

async function main(): Promise<void> {
  const marketplace = new FakeMarketplace();
  const { user_id } = marketplace.addUser();
  const { item_id } = marketplace.addItem({ seller_id: user_id });
  const { id } = marketplace.ask({ from: marketplace.addUser(), item_id, text: 'Is there stock?' });
  const service = await marketplace.listen();

  const options = { baseUrl: service.url, accessToken: marketplace.tokenFor({ user_id }) };
  const application = await NestFactory.create(QuestionsModule.forSeller(user_id, options), { logger: ['error'] });
  application.useGlobalFilters(new RefusalFilter());
  await application.listen(0, '127.0.0.1');
  const questions = `${await application.getUrl()}/questions`;

  assert.deepEqual(await (await fetch(questions)).json(), ['Is there stock?']);
  const answer = (text: string): Promise<Response> =>
    fetch(`${questions}/${id}/answer`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    });
  assert.equal((await answer('Yes.')).status, 204);
  const again = await answer('Yes!');
  assert.equal(again.status, 400);
  assert.deepEqual(await again.json(), { error: 'QuestionNotOpenError' });

  await application.close();
  await service.close();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
