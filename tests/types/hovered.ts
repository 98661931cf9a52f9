import { OutcomeUnknownError, SellerClient, refreshingToken } from 'marketplace-seller-sdk';
import { createInbox } from 'marketplace-seller-sdk/inbox';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

// What an editor shows over the names that the arrows point at is kept in hovers.txt.
export const seller = new SellerClient({ baseUrl: 'https://api.example.com' });
//                        ^
const { questions, messages, actionGuide, flex, contacts } = seller;
const whose = { pack_id: '1', user_id: 7 };
export const shop = { site_id: 'MLA', user_id: 7, service_id: 1001 };

export const found = questions.search({ seller_id: 7 });
//                             ^
export const got = questions.get({ question_id: 42 });
//                           ^
export const narrow = questions.get({ question_id: 42 }, { attributes: ['id', 'status'] });
//           ^
export const answered = questions.answer({ question_id: 42, text: 'Yes' });
//                                ^
export const blocked = questions.blacklist.add({ seller_id: 7, user_id: 31 });
//                                         ^
export const talk = messages.conversation(whose);
//                           ^
export const sent = messages.send({ ...whose, to: { user_id: 31 }, text: 'Hello' });
//                           ^
export const stored = messages.upload({ site_id: 'MLA', file: 'a.pdf' });
//                             ^
export const loaded = messages.download({ site_id: 'MLA', attachment_id: 'a' });
//                             ^
export const contacted = messages.contact({ ...whose, to: { user_id: 31 }, text: 'Hello' });
//                                ^
export const option = actionGuide.send({ pack_id: 1, option_id: 'OTHER', text: 'Hello' });
//                                ^
export const selected = flex.configuration({ ...shop, select: { zones: { id: true, price: true } } });
//           ^
export const inFlex = flex.items.isEnabled({ site_id: 'MLA', item_id: 'MLA1' });
//                               ^
export const week = contacts.phoneViews.windowOfItem({ item_id: 'MLA1', last: 7, unit: 'day' });
//                                      ^
export const inbox = createInbox({ on: {} });
//                      ^
export const marketplace = new FakeMarketplace();
//                             ^
const grant = { accessToken: 'a', refreshToken: 'r', expiresAt: 0 };
export const token = refreshingToken({ load: () => grant, refresh: () => grant, save: () => undefined });
//                   ^
export const unknown = OutcomeUnknownError;
//                     ^
export const status = async () => (await questions.get({ question_id: 42 })).status;
//                                                                           ^
export const answerStatus = async () => (await questions.get({ question_id: 42 })).answer?.status;
//                                                                                         ^
