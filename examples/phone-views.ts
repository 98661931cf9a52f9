// Shows how often buyers clicked "See phone" on each day, as bars in the terminal and as an SVG file.
// node examples/phone-views.ts [file.svg]
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { barsOf } from './bars.ts';
import { svgOf } from './chart.ts';

const file = resolve(process.argv[2] ?? join(tmpdir(), 'phone-views.svg'));

// A fake marketplace with two weeks of clicks. With a real one, only `seller` is different.
const marketplace = new FakeMarketplace({ now: '2026-03-14T18:00:00Z' });
const account = marketplace.addUser();
const item = marketplace.addItem({ seller_id: account.user_id, title: 'Flat with a balcony' });
const clicks = [3, 5, 4, 8, 12, 20, 17, 6, 5, 7, 9, 14, 23, 11];
clicks.forEach((times, day) => {
  marketplace.viewPhone(item, { at: Date.UTC(2026, 2, 1 + day, 12), times });
});
const seller = marketplace.clientFor(account);

const { item_id } = item;
const window = await seller.contacts.phoneViews.windowOfItem({ item_id, last: 14, unit: 'day' });

console.log(`${window.total} clicks on "See phone" of ${item_id} in ${window.last} days\n`);
for (const line of barsOf(window)) console.log(line);

writeFileSync(file, svgOf(window, 'clicks on "See phone"'));
console.log(`\nThe same as an image: ${pathToFileURL(file).href}`);
