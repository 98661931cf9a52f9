// Makes a read and a write over each transport, and prints for each what came back: the service names the transport.
import { SellerClient } from 'marketplace-seller-sdk';

const baseUrl = process.env.BASE_URL ?? '';

for (const [transport, options] of Object.entries({ 'node:http': {}, fetch: { fetch: globalThis.fetch } })) {
  const { questions } = new SellerClient({ baseUrl, accessToken: 'token-1', maxRetries: 0, ...options });
  const [read, write] = await Promise.all(
    [questions.get({ question_id: 42 }), questions.answer({ question_id: 42, text: 'Yes.' })].map((call) =>
      call.then(
        (question) => question?.text,
        (error: unknown) => String(error),
      ),
    ),
  );
  console.log(JSON.stringify({ transport, read, write }));
}
