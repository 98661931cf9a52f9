// Holds the lock of seller 7 in the file TOKENS until it is killed.
import { sqliteTokens } from 'marketplace-seller-sdk/oauth';

await sqliteTokens(process.env.TOKENS ?? '').lock(7, () => {
  console.log('held');
  return new Promise((resolve) => setTimeout(resolve, 600_000));
});
