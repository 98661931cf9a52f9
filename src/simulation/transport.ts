import { networkError } from '../core/errors/errors.js';
import { FetchResponse } from '../core/transport/fetch-response.js';
import type { Platform } from '../core/transport/platform.js';
import type { Exchange, OutgoingRequest, RequestDelivery, TransportResponse } from '../core/transport/transport.js';
import { JsonResponse } from '../testing/http/respond.js';
import { currentProcess } from './process.js';
import type { SimulatedProcess } from './process.js';

/**
 * Passes the requests of a client in a simulated process to its network, as a real one passes them to `node:http`: what `fetch` and
 * ky do for each is a fifth of a simulated day. What needs `fetch`, and all while somebody has replaced that of the simulation, goes
 * through it.
 */
export function simulatedTransport(platform: Platform, isFetchOurs: () => boolean): Platform['chooseTransport'] {
  return (options) => {
    const chosen = platform.chooseTransport(options);
    const { fetch, middleware = [], tracing } = options;
    if (fetch || middleware.length > 0 || tracing?.middleware) return chosen;
    return (outgoing) => {
      const process = currentProcess();
      const isPlain = outgoing.endpoint.responseBody !== 'stream' && typeof outgoing.body !== 'object';
      return process && isPlain && isFetchOurs()
        ? new SimulatedExchange(outgoing, process, platform)
        : chosen(outgoing);
    };
  };
}

class SimulatedExchange implements Exchange {
  delivery: RequestDelivery = 'maybe';
  readonly response: Promise<TransportResponse>;

  constructor(outgoing: OutgoingRequest, process: SimulatedProcess, platform: Platform) {
    this.response = this.#send(outgoing, process, platform);
  }

  async #send(outgoing: OutgoingRequest, process: SimulatedProcess, platform: Platform): Promise<TransportResponse> {
    const { endpoint, url, headers, signal } = outgoing;
    const body = typeof outgoing.body === 'string' ? outgoing.body : null;
    try {
      const request = new Request(url, { method: endpoint.method, headers, body, signal });
      return received(await process.fetch(request, process));
    } catch (error) {
      if (platform.connectErrorOf(error)) this.delivery = 'never';
      throw error instanceof TypeError ? networkError(error) : error;
    }
  }
}

/** A response to read. The text of most is known. */
function received(response: Response): TransportResponse {
  if (!(response instanceof JsonResponse)) return new FetchResponse(response, false);
  const { status, headers, content } = response;
  return {
    status,
    headers: { get: (name) => headers.get(name), toHeaders: () => headers },
    text: (most) => Promise.resolve({ text: content.slice(0, most), isTruncated: Buffer.byteLength(content) > most }),
    stream: () => null,
  };
}
