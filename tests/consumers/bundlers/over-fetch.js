import { SellerClient } from 'marketplace-seller-sdk';

/** What ky sends on Node, where it is loaded on first use: a download, and a call with a middleware. */
export async function callOverFetch(baseUrl, accessToken, attachment_id) {
  const file = await new SellerClient({ baseUrl, accessToken }).messages.download({ site_id: 'MLA', attachment_id });
  const seen = [];
  const middleware = [
    ({ endpoint, request }, next) => {
      seen.push(endpoint.name);
      return next(request);
    },
  ];
  const currencies = await new SellerClient({ baseUrl, accessToken, middleware }).currencies.list();
  return { text: new TextDecoder().decode(await file.arrayBuffer()), seen, isList: currencies.length > 0 };
}
