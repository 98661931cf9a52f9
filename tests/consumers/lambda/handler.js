import { SellerClient, isAnswerable } from 'marketplace-seller-sdk';
import { handleNow } from 'marketplace-seller-sdk/inbox';

const { SELLER_BASE_URL, SELLER_TOKEN, SELLER_ID, CALLBACK_PATH } = process.env;
const seller = new SellerClient({ baseUrl: SELLER_BASE_URL, accessToken: SELLER_TOKEN });
const options = {
  path: CALLBACK_PATH,
  clientFor: (user_id) => (user_id === Number(SELLER_ID) ? seller : undefined),
  on: {
    questions: async (_, { read, client }) => {
      const question = await read();
      if (isAnswerable(question)) await client.questions.answer({ question_id: question.id, text: 'Yes.' });
    },
  },
};

/** A function URL, or an HTTP API with payloads of version 2. */
export async function handler({ rawPath, requestContext, headers, body, isBase64Encoded }) {
  const { domainName, http } = requestContext;
  const request = new Request(`https://${domainName}${rawPath}`, {
    method: http.method,
    headers,
    body: body && Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
  });
  const response = await handleNow(request, options);
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}
