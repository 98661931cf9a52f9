// One call of each library against the same server: what the rows of the benchmark compare.
// Peers are loaded by a name in a variable, so that type checks pass where they are not installed.

import { createRequire } from 'node:module';

/**
 * @typedef {object} Subject
 * @property {string} name
 * @property {string} [package] Where it is not given, nothing needs to be loaded.
 * @property {(lib: any, baseUrl: string) => () => Promise<unknown>} make Gives the function that makes one call.
 */

const token = 'APP_USR-500-000001-1001';

/** @type {Subject} */
const bare = {
  name: 'bare fetch',
  make: (_, baseUrl) => async () => {
    const response = await fetch(`${baseUrl}/questions/42`, {
      headers: { accept: 'application/json', authorization: `Bearer ${token}` },
    });
    return JSON.parse(await response.text());
  },
};

/** @type {Subject} */
export const ours = {
  name: 'marketplace-seller-sdk',
  package: new URL('../dist/esm/index.js', import.meta.url).href,
  make: (lib, baseUrl) => {
    const seller = new lib.SellerClient({ baseUrl, accessToken: token });
    return () => seller.questions.get({ question_id: 42 });
  },
};

/**
 * What ky costs by itself, used as the library uses it: the floor of every figure of ours.
 *
 * @type {Subject}
 */
const kyAlone = {
  name: 'ky alone, everything switched off',
  package: 'ky',
  make:
    ({ default: ky }, baseUrl) =>
    async () => {
      const { signal } = new AbortController();
      const response = await ky(`${baseUrl}/questions/42`, {
        headers: { accept: 'application/json', authorization: `Bearer ${token}` },
        redirect: 'error',
        retry: 0,
        timeout: false,
        throwHttpErrors: false,
        fetch: (/** @type {Request} */ request) => fetch(request, { signal }),
      });
      return JSON.parse(await response.text());
    },
};

/** @type {Subject[]} */
const peers = [
  {
    name: 'Notion',
    package: '@notionhq/client',
    make: (lib, baseUrl) => {
      const client = new lib.Client({ auth: token, baseUrl });
      return () => client.pages.retrieve({ page_id: '0123456789abcdef0123456789abcdef' });
    },
  },
  {
    name: 'Resend',
    package: 'resend',
    make: (lib, baseUrl) => {
      const client = new lib.Resend(token, { baseUrl });
      return () => client.get('/questions/42');
    },
  },
  {
    name: 'Octokit',
    package: '@octokit/rest',
    make: (lib, baseUrl) => {
      const client = new lib.Octokit({ auth: token, baseUrl });
      return () => client.request('GET /questions/{id}', { id: 42 });
    },
  },
  {
    name: 'MercadoPago',
    package: 'mercadopago',
    make: (lib, baseUrl) => {
      // It has no option for the address.
      createRequire(import.meta.url)('mercadopago/dist/utils/config/index.js').AppConfig.BASE_URL = baseUrl;
      const payments = new lib.Payment(new lib.MercadoPagoConfig({ accessToken: token }));
      return () => payments.get({ id: 42 });
    },
  },
  {
    name: 'Slack',
    package: '@slack/web-api',
    make: (lib, baseUrl) => {
      const client = new lib.WebClient(token, { slackApiUrl: `${baseUrl}/` });
      return () => client.api.test();
    },
  },
  {
    name: 'Stripe',
    package: 'stripe',
    make: (lib, baseUrl) => {
      const { hostname, port } = new URL(baseUrl);
      const client = new lib.default('sk_test_1', { host: hostname, port, protocol: 'http', telemetry: false });
      return () => client.customers.retrieve('cus_1');
    },
  },
  {
    name: 'OpenAI',
    package: 'openai',
    make: (lib, baseUrl) => {
      const client = new lib.default({ apiKey: token, baseURL: baseUrl });
      return () => client.models.retrieve('m');
    },
  },
  {
    name: 'Anthropic',
    package: '@anthropic-ai/sdk',
    make: (lib, baseUrl) => {
      const client = new lib.default({ apiKey: token, baseURL: baseUrl });
      return () => client.models.retrieve('m');
    },
  },
];

/** Everyone: the bare platform and ours first. */
export const everyone = [bare, ours, kyAlone, ...peers];

/** @param {string} name */
export function subject(name) {
  const found = everyone.find((each) => each.name === name);
  if (!found) throw new Error(`no subject ${name}`);
  return found;
}

/** @param {Subject} subject */
export async function load({ package: name }) {
  return name === undefined ? undefined : import(name);
}
