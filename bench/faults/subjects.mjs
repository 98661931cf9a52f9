// What the hostile scenarios call: of each library one read, one write, and a read of an id of the caller's choice. All get a
// timeout of a second where they take one; everything else is as it comes.
import { createRequire } from 'node:module';

export const token = 'APP_USR-500-secret-1001';
const quiet = () => undefined;

/**
 * @typedef {object} Calls
 * @property {(options?: { signal?: AbortSignal }) => Promise<unknown>} read
 * @property {() => Promise<unknown>} [write]
 * @property {(id: string) => Promise<unknown>} [readId]
 * @property {boolean} [takesSignal]
 */

/** @type {{ name: string, package: string, make: (lib: any, baseUrl: string) => Calls }[]} */
export const subjects = [
  {
    name: 'this library',
    package: new URL('../../dist/esm/index.js', import.meta.url).href,
    make: (lib, baseUrl) => {
      const { questions } = new lib.SellerClient({ baseUrl, accessToken: token, timeoutMs: 1000 });
      return {
        read: (options) => questions.get({ question_id: 42 }, options),
        write: () => questions.answer({ question_id: 42, text: 'Yes' }),
        readId: (question_id) => questions.get({ question_id }),
        takesSignal: true,
      };
    },
  },
  {
    name: 'Stripe',
    package: 'stripe',
    make: (lib, baseUrl) => {
      const { hostname, port } = new URL(baseUrl);
      const options = { host: hostname, port, protocol: 'http', telemetry: false, timeout: 1000 };
      const { customers } = new lib.default(token, options);
      return {
        read: () => customers.retrieve('cus_1'),
        write: () => customers.create({ email: 'a@b.example' }),
        readId: (id) => customers.retrieve(id),
      };
    },
  },
  {
    name: 'OpenAI',
    package: 'openai',
    make: (lib, baseURL) => {
      const client = new lib.default({ apiKey: token, baseURL, timeout: 1000 });
      return {
        read: (options) => client.models.retrieve('m', options),
        write: () => client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] }),
        readId: (id) => client.models.retrieve(id),
        takesSignal: true,
      };
    },
  },
  {
    name: 'Anthropic',
    package: '@anthropic-ai/sdk',
    make: (lib, baseURL) => {
      const client = new lib.default({ apiKey: token, baseURL, timeout: 1000 });
      const messages = [{ role: 'user', content: 'Hello' }];
      return {
        read: (options) => client.models.retrieve('m', {}, options),
        write: () => client.messages.create({ model: 'm', max_tokens: 5, messages }),
        readId: (id) => client.models.retrieve(id),
        takesSignal: true,
      };
    },
  },
  {
    name: 'Octokit',
    package: '@octokit/rest',
    make: (lib, baseUrl) => {
      const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
      const client = new lib.Octokit({ auth: token, baseUrl, log });
      return {
        read: (options) => client.request('GET /questions/{id}', { id: 42, request: options ?? {} }),
        write: () => client.request('POST /answers', { text: 'Yes' }),
        readId: (id) => client.request('GET /questions/{id}', { id }),
        takesSignal: true,
      };
    },
  },
  {
    name: 'Notion',
    package: '@notionhq/client',
    make: (lib, baseUrl) => {
      const client = new lib.Client({ auth: token, baseUrl, timeoutMs: 1000, logger: () => undefined });
      const page = '0123456789abcdef0123456789abcdef';
      return {
        read: () => client.pages.retrieve({ page_id: page }),
        write: () => client.comments.create({ parent: { page_id: page }, rich_text: [] }),
        readId: (page_id) => client.pages.retrieve({ page_id }),
      };
    },
  },
  {
    name: 'Resend',
    package: 'resend',
    make: (lib, baseUrl) => {
      const client = new lib.Resend(token, { baseUrl });
      // It does not throw: an error is part of what it delivers.
      const thrown = async (/** @type {Promise<{ error: unknown, data: unknown }>} */ call) => {
        const { error, data } = await call;
        if (error) throw Object.assign(new Error('the error it delivers'), error);
        return data;
      };
      return {
        read: () => thrown(client.emails.get('e')),
        write: () => thrown(client.emails.send({ from: 'a@b.example', to: 'b@c.example', subject: 'S', text: 'T' })),
        readId: (id) => thrown(client.emails.get(id)),
      };
    },
  },
  {
    name: 'Slack',
    package: '@slack/web-api',
    make: (lib, baseUrl) => {
      const told = { debug: quiet, info: quiet, warn: quiet, error: quiet };
      const logger = { ...told, setLevel: quiet, setName: quiet, getLevel: () => 'error' };
      const client = new lib.WebClient(token, { slackApiUrl: `${baseUrl}/`, timeout: 1000, logger });
      return {
        read: () => client.conversations.info({ channel: 'C' }),
        write: () => client.chat.postMessage({ channel: 'C', text: 'T' }),
      };
    },
  },
  {
    name: 'MercadoPago',
    package: 'mercadopago',
    make: (lib, baseUrl) => {
      // It has no option for the address.
      createRequire(import.meta.url)('mercadopago/dist/utils/config/index.js').AppConfig.BASE_URL = baseUrl;
      const payments = new lib.Payment(new lib.MercadoPagoConfig({ accessToken: token, options: { timeout: 1000 } }));
      return {
        read: () => payments.get({ id: 42 }),
        write: () => payments.create({ body: { transaction_amount: 1 } }),
        readId: (id) => payments.get({ id }),
      };
    },
  },
];
