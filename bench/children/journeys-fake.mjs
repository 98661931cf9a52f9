// In a process of its own: the fake marketplace of the journeys, as it is written, without a build. It prints what the application
// needs to begin, and does what it is told by messages.
import { registerHooks } from 'node:module';

const [, , src = ''] = process.argv;

registerHooks({
  resolve: (specifier, context, next) => {
    if (specifier === '#platform') return next(new URL('core/transport/platform-node.ts', src).href, context);
    const isOurs = specifier.startsWith('.') && context.parentURL?.startsWith(src);
    return next(isOurs ? specifier.replace(/\.js$/, '.ts') : specifier, context);
  },
});

const { FakeMarketplace } = await import(new URL('testing/index.ts', src).href);
const marketplace = new FakeMarketplace();
const { url } = await marketplace.listen();
const account = marketplace.addUser();
const { user_id } = account;
const { item_id } = marketplace.addItem({ seller_id: user_id });
const buyer = marketplace.addUser();
const ask = () => marketplace.ask({ from: buyer, item_id, text: 'Is it in stock?' }).id;
const packs = [1, 2].map(() => {
  const pack = marketplace.addPack({ seller_id: user_id, buyer_id: buyer.user_id });
  marketplace.buyerWrites({ pack, text: 'Where is it?' });
  return pack.pack_id;
});

process.on('message', (what) => {
  if (what === 'lose a response') marketplace.faults.inject({ endpoint: 'questions.answer', reset: 'after' });
  if (what === 'moderate later') marketplace.messages.moderation = 'later';
  if (what === 'moderate') marketplace.messages.moderate();
  process.send?.('done');
});
process.send?.({
  url,
  user_id,
  token: marketplace.tokenFor(account),
  questions: Array.from({ length: 6 }, ask),
  packs,
  grants: [1, 2].map(() => {
    const { user_id: id } = marketplace.addUser();
    return { id, refreshToken: marketplace.accounts.issueRefreshToken(id) };
  }),
});
