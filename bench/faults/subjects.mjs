// What the scenarios call: one read and one write of each library, and a read of an id of the caller's choice. Each library is
// set up as its vendor recommends, with a timeout of one second if it has such an option. A service responds with errors in
// the form that the vendor documents, because clients look at it.
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

/**
 * @typedef {object} Subject
 * @property {string} name
 * @property {string} package
 * @property {boolean} [hasNoTimeout] There is no option for a timeout.
 * @property {boolean} [hasIntegerIds] Its service has ids that are integers.
 * @property {boolean} [checksResponses] Its documentation says that it checks the shape of a response.
 * @property {(status: number) => unknown} errorBody The body of an error response of this vendor's service.
 * @property {Record<string, string>} [rateLimitHeaders] The headers that the vendor documents for a 429.
 * @property {(lib: any, baseUrl: string, options: { retries?: 0, key?: string }) => Calls} make `retries: 0` turns retries off.
 *   `key` is the token.
 * @property {(lib: any, baseUrl: string, keys: string[]) => Calls[]} [makeEach] How an application makes a client for each of
 *   its users, if not one by one.
 */

/** What each of the others documents for a 429. */
const retryAfter = { 'retry-after': '1' };

/** @type {Subject[]} */
export const subjects = [
  {
    name: 'this library',
    package: new URL('../../dist/esm/index.js', import.meta.url).href,
    hasIntegerIds: true,
    checksResponses: true,
    errorBody: (status) => ({
      message: 'no',
      error: status === 429 ? 'too_many_requests' : 'error',
      status,
      cause: [],
    }),
    make: (lib, baseUrl, { retries, key = token }) => {
      const options = { baseUrl, accessToken: key, timeoutMs: 1000, ...(retries === 0 && { maxRetries: 0 }) };
      const { questions } = new lib.SellerClient(options);
      return {
        read: (options) => questions.get({ question_id: 42 }, options),
        write: () => questions.answer({ question_id: 42, text: 'Yes' }),
        readId: (question_id) => questions.get({ question_id }),
        takesSignal: true,
      };
    },
    makeEach: (lib, baseUrl, keys) => {
      const application = new lib.SellerClient({ baseUrl, timeoutMs: 1000 });
      return keys.map((accessToken) => {
        const { questions } = application.withOptions({ accessToken });
        return { read: () => questions.get({ question_id: 42 }) };
      });
    },
  },
  {
    name: 'Stripe',
    package: 'stripe',
    errorBody: (status) => ({ error: { message: 'no', type: status === 429 ? 'rate_limit_error' : 'api_error' } }),
    make: (lib, baseUrl, { retries, key = token }) => {
      const { hostname, port } = new URL(baseUrl);
      const address = { host: hostname, port, protocol: 'http' };
      const options = { ...address, telemetry: false, timeout: 1000, ...(retries === 0 && { maxNetworkRetries: 0 }) };
      const { customers } = new lib.default(key, options);
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
    errorBody: (status) => ({
      error: { message: 'no', type: 'error', code: status === 429 ? 'rate_limit_exceeded' : null },
    }),
    make: (lib, baseURL, { retries, key = token }) => {
      const options = { apiKey: key, baseURL, timeout: 1000, ...(retries === 0 && { maxRetries: 0 }) };
      const client = new lib.default(options);
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
    errorBody: (status) => ({
      type: 'error',
      error: { type: status === 429 ? 'rate_limit_error' : 'api_error', message: 'no' },
    }),
    rateLimitHeaders: retryAfter,
    make: (lib, baseURL, { retries, key = token }) => {
      const options = { apiKey: key, baseURL, timeout: 1000, ...(retries === 0 && { maxRetries: 0 }) };
      const client = new lib.default(options);
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
    // With its retry and throttling plugins, which this package bundles.
    package: 'octokit',
    hasNoTimeout: true,
    hasIntegerIds: true,
    errorBody: (status) => ({
      message: status === 429 ? 'You have exceeded a secondary rate limit. Please wait and try again.' : 'no',
      documentation_url: 'https://docs.github.com/rest',
    }),
    rateLimitHeaders: retryAfter,
    make: (lib, baseUrl, { retries, key = token }) => {
      const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
      const client = new lib.Octokit({
        auth: key,
        baseUrl,
        log,
        ...(retries === 0 && { retry: { enabled: false } }),
      });
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
    errorBody: (status) => ({
      object: 'error',
      status,
      code:
        {
          400: 'validation_error',
          409: 'conflict_error',
          429: 'rate_limited',
          503: 'service_unavailable',
          529: 'service_overload',
        }[status] ?? 'internal_server_error',
      message: 'no',
    }),
    rateLimitHeaders: retryAfter,
    make: (lib, baseUrl, { retries, key = token }) => {
      const options = { auth: key, baseUrl, timeoutMs: 1000, logger: () => undefined };
      const client = new lib.Client({ ...options, ...(retries === 0 && { retry: false }) });
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
    hasNoTimeout: true,
    errorBody: (status) => ({
      statusCode: status,
      name: status === 429 ? 'rate_limit_exceeded' : 'application_error',
      message: 'no',
    }),
    rateLimitHeaders: retryAfter,
    make: (lib, baseUrl, { key = token }) => {
      const client = new lib.Resend(key, { baseUrl });
      // It does not throw: an error is part of what it delivers.
      const thrown = async (/** @type {Promise<{ error: unknown, data: unknown }>} */ call) => {
        const { error, data } = await call;
        if (error) throw Object.assign(new Error('the error it delivers'), error);
        return data;
      };
      return {
        read: (options) => thrown(client.emails.get('e', options)),
        write: () => thrown(client.emails.send({ from: 'a@b.example', to: 'b@c.example', subject: 'S', text: 'T' })),
        readId: (id) => thrown(client.emails.get(id)),
        takesSignal: true,
      };
    },
  },
  {
    name: 'Slack',
    package: '@slack/web-api',
    errorBody: (status) => ({ ok: false, error: status === 429 ? 'ratelimited' : 'internal_error' }),
    rateLimitHeaders: retryAfter,
    make: (lib, baseUrl, { retries, key = token }) => {
      const levels = { debug: quiet, info: quiet, warn: quiet, error: quiet };
      const logger = { ...levels, setLevel: quiet, setName: quiet, getLevel: () => 'error' };
      const client = new lib.WebClient(key, {
        slackApiUrl: `${baseUrl}/`,
        timeout: 1000,
        logger,
        ...(retries === 0 && { retryConfig: { retries } }),
      });
      return {
        read: () => client.conversations.info({ channel: 'C' }),
        write: () => client.chat.postMessage({ channel: 'C', text: 'T' }),
      };
    },
  },
  {
    name: 'MercadoPago',
    package: 'mercadopago',
    hasIntegerIds: true,
    errorBody: (status) => ({
      message: 'no',
      error: status === 429 ? 'too_many_requests' : 'error',
      status,
      cause: [],
    }),
    make: (lib, baseUrl, { key = token }) => {
      // It has no option for the address.
      createRequire(import.meta.url)('mercadopago/dist/utils/config/index.js').AppConfig.BASE_URL = baseUrl;
      const payments = new lib.Payment(new lib.MercadoPagoConfig({ accessToken: key, options: { timeout: 1000 } }));
      return {
        read: () => payments.get({ id: 42 }),
        write: () => payments.create({ body: { transaction_amount: 1 } }),
        readId: (id) => payments.get({ id }),
      };
    },
  },
];
