import type { EndpointExchange } from '../operation/endpoint.js';
import { InvalidInputError } from '../errors/errors.js';
import { isOk } from '../response/parse-response.js';
import type { BufferedResponse } from '../response/parse-response.js';
import type { RequestContext } from './request-context.js';

/** Loads the exchange of the endpoint, which checks the body. */
export async function loadExchange(context: RequestContext): Promise<void> {
  const { endpoint, bodyValue } = context.request;
  const exchange = await endpoint.loadExchange?.(bodyValue, (issue) => new InvalidInputError([issue]));
  context.loaded = { exchange };
}

/** Makes one attempt with the exchange of the endpoint. `send` sends a body and receives the response. */
export async function exchangeOnce(
  exchange: EndpointExchange,
  url: string,
  send: (body: string) => Promise<BufferedResponse>,
): Promise<BufferedResponse> {
  let response: BufferedResponse | undefined;
  try {
    const value = await exchange(url, async (text) => {
      response = await send(text);
      // The call creates the error of this response, or retries.
      if (!isOk(response.status) || response.isTruncated) throw new Error('This response has no result to read');
      return response.text;
    });
    if (response) return { ...response, result: { value } };
    throw new TypeError('the exchange of the endpoint sent nothing');
  } catch (error) {
    if (!response) throw error;
    // The error of the exchange is not kept: that of graphql-request prints the whole request.
    return { ...response, result: 'unreadable' };
  }
}
