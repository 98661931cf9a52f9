// An application of ES modules with a dependency that is CommonJS: both copies of the package know each other's errors.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import * as esm from 'marketplace-seller-sdk';
import * as testing from 'marketplace-seller-sdk/testing';

const require = createRequire(import.meta.url);
const copies = [
  { its: esm, FakeMarketplace: testing.FakeMarketplace },
  {
    its: require('marketplace-seller-sdk'),
    FakeMarketplace: require('marketplace-seller-sdk/testing').FakeMarketplace,
  },
];
assert.notEqual(copies[0].its.ApiError, copies[1].its.ApiError);

for (const { FakeMarketplace } of copies) {
  const marketplace = new FakeMarketplace();
  const client = marketplace.clientFor(marketplace.addUser());
  const failed = await client.questions.get({ question_id: 1 }).catch((error) => error);
  const unsent = await client.questions.get({ question_id: '..' }).catch((error) => error);
  for (const { its } of copies) {
    for (const kind of ['SellerError', 'ApiError', 'NotFoundError']) assert.ok(failed instanceof its[kind], kind);
    assert.ok(unsent instanceof its.InvalidInputError);
    for (const kind of ['ForbiddenError', 'ConnectionError']) assert.ok(!(failed instanceof its[kind]), kind);
    assert.ok(!(new Error() instanceof its.SellerError));
  }
}
