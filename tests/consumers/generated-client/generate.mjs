// Generates the types of two clients from the documents that a running fake marketplace serves, as a program in another
// language does: one of the control endpoints, one of the marketplace.
import { writeFileSync } from 'node:fs';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import openapiTS, { astToString } from 'openapi-typescript';

const { url, close } = await new FakeMarketplace().listen({ page: true });
const [, token = ''] = /name="fake-token" content="([^"]+)"/.exec(await (await fetch(url)).text()) ?? [];
for (const [document, file] of [
  ['openapi.json', 'control.ts'],
  ['marketplace-openapi.json', 'marketplace.ts'],
]) {
  const response = await fetch(`${url}/__fake/${document}`, { headers: { 'x-fake-token': token } });
  writeFileSync(file, astToString(await openapiTS(await response.json())));
}
await close();
