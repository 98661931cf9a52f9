import { createRandom } from '../random.js';
import type { MarketplaceSettings } from '../settings.js';
import { HandlerResponse } from './handler.js';
import {
  withNulls,
  withOtherCase,
  withOtherTimestamps,
  withTextIds,
  withUnknownFields,
  withoutOptional,
} from './odd-bodies.js';
import { textOfError, withOtherKeys } from './odd-errors.js';
import type { OddKind, OddShare } from './odd-share.js';
import { oddKinds } from './odd-share.js';
import { hasOtherShapes, inOtherShape } from './odd-shapes.js';

const bodies: Readonly<Partial<Record<OddKind, (body: unknown) => unknown>>> = {
  'unknown-fields': withUnknownFields,
  nulls: withNulls,
  absent: withoutOptional,
  'text-ids': withTextIds,
  'letter-case': withOtherCase,
  timestamps: withOtherTimestamps,
};

/** Serves a share of the responses as the live service strays from its specification. */
export class OddResponses {
  readonly #settings: MarketplaceSettings;
  #current: OddShare | null = null;
  #random: () => number = createRandom(1);

  constructor(settings: MarketplaceSettings) {
    this.#settings = settings;
  }

  /** Returns the response, or an odd one in its place; a file stays as it is. */
  apply(endpoint: string | undefined, response: HandlerResponse): HandlerResponse | Response {
    const { odd } = this.#settings;
    if (odd !== this.#current) {
      this.#current = odd;
      this.#random = createRandom(odd?.seed ?? 1);
    }
    if (!odd || endpoint === undefined || (odd.endpoints && !odd.endpoints.includes(endpoint))) return response;
    const fitting = kindsOf(endpoint, response).filter((kind) => odd.kinds?.includes(kind) ?? true);
    const [isOdd, which, choice] = [this.#random() < (odd.share ?? 1), this.#random(), this.#random()];
    const kind = fitting[Math.floor(which * fitting.length)];
    return isOdd && kind !== undefined ? toOdd(kind, endpoint, response, choice) : response;
  }
}

/** Returns the kinds that a response can have. */
function kindsOf(endpoint: string, { status, body }: HandlerResponse): OddKind[] {
  if (status >= 400) return ['unknown-fields', 'error-keys', 'error-text'];
  if (typeof body !== 'object' || body === null || body instanceof Response) return [];
  return oddKinds.filter((kind) => kind in bodies || (kind === 'shape' && hasOtherShapes(endpoint)));
}

function toOdd(
  kind: OddKind,
  endpoint: string,
  { status, body, headers }: HandlerResponse,
  choice: number,
): HandlerResponse | Response {
  if (kind === 'error-text') {
    const { text, type } = textOfError(status, choice);
    return new Response(text, { status, headers: { ...headers, 'content-type': type } });
  }
  if (kind === 'error-keys') return new HandlerResponse(status, withOtherKeys(body, choice), headers);
  if (kind === 'shape') return new HandlerResponse(status, inOtherShape(endpoint, body, choice), headers);
  return new HandlerResponse(status, bodies[kind]?.(body), headers);
}
