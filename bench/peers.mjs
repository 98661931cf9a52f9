// One call of each library against the same server: what the rows of the benchmark compare.
// Peers are loaded by a name in a variable, so that type checks pass where they are not installed.

import { createRequire } from 'node:module';

/**
 * @typedef {object} Subject
 * @property {string} name
 * @property {string} [package] Where it is not given, nothing needs to be loaded.
 * @property {(lib: any, baseUrl: string) => () => Promise<unknown>} make Gives the function that makes one call.
 * @property {(lib: any, baseUrl: string) => () => Promise<unknown>} [makePage] The same for a page of fifty.
 */

const token = 'APP_USR-500-000001-1001';

const headers = { accept: 'application/json', authorization: `Bearer ${token}` };

/** @type {Subject} */
export const bare = {
  name: 'bare fetch',
  make: (_, baseUrl) => () => read(`${baseUrl}/questions/42`),
  makePage: (_, baseUrl) => () => read(`${baseUrl}/questions/search?seller_id=7`),
};

/**
 * The least that a client does which may end a call: nothing with a time limit can cost less.
 *
 * @type {Subject}
 */
export const limited = {
  name: 'bare fetch with a time limit',
  make: (_, baseUrl) => () => readInTime(`${baseUrl}/questions/42`),
  makePage: (_, baseUrl) => () => readInTime(`${baseUrl}/questions/search?seller_id=7`),
};

/** @param {string} url @param {RequestInit} [init] */
async function read(url, init) {
  const response = await fetch(url, { headers, ...init });
  return JSON.parse(await response.text());
}

/** @param {string} url */
async function readInTime(url) {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), 30_000);
  try {
    return await read(url, { signal: controller.signal });
  } finally {
    clearTimeout(timer);
  }
}

/** @param {string} name @param {object} options @returns {Subject} */
function sdk(name, options) {
  /** @param {any} lib @param {string} baseUrl */
  const client = (lib, baseUrl) => new lib.SellerClient({ baseUrl, accessToken: token, ...options });
  return {
    name,
    package: new URL('../dist/esm/index.js', import.meta.url).href,
    make: (lib, baseUrl) => {
      const seller = client(lib, baseUrl);
      return () => seller.questions.get({ question_id: 42 });
    },
    makePage: (lib, baseUrl) => {
      const seller = client(lib, baseUrl);
      return () => seller.questions.search({ seller_id: 7 }).pages().next();
    },
  };
}

export const ours = sdk('marketplace-seller-sdk', {});

/** The same over `fetch`: what it costs in browsers and Workers, and on Node where `fetch` is needed. */
export const portable = sdk('marketplace-seller-sdk over fetch', {
  fetch: /** @type {import('marketplace-seller-sdk').Fetch} */ ((url, init) => fetch(url, init)),
});

/**
 * One call with a time limit, through ky and validated by zod, and nothing else: the floor of every figure of ours.
 *
 * @type {Subject}
 */
const floor = {
  name: 'ky and zod, nothing else',
  package: new URL('node_modules/.floor/floor.mjs', import.meta.url).href,
  make: (lib, baseUrl) => () => lib.one(baseUrl, token),
  makePage: (lib, baseUrl) => () => lib.page(baseUrl, token),
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
      const { hostname, port, protocol } = new URL(baseUrl);
      const client = new lib.default('sk_test_1', {
        host: hostname,
        port,
        protocol: protocol.slice(0, -1),
        telemetry: false,
      });
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

/** Everyone: the bare platform first, which the others are compared with, then what nothing of ours can be below. */
export const everyone = [bare, limited, floor, ours, portable, ...peers];

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
