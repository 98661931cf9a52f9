import { createRandom } from '../random.js';
import type { Endpoint } from '../../core/endpoint.js';
import { HandlerResponse } from './handler.js';
import {
  withNulls,
  withRecorded,
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
import { hasOtherStatuses, withOtherStatus } from './odd-statuses.js';

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
  #current: OddShare | null = null;
  #random: () => number = createRandom(1);

  /** Returns the response, or an odd one in its place; a file stays as it is. */
  apply(odd: OddShare | null, endpoint: Endpoint | undefined, response: HandlerResponse): HandlerResponse | Response {
    if (odd !== this.#current) {
      this.#current = odd;
      this.#random = createRandom(odd?.seed ?? 1);
    }
    if (!odd || endpoint === undefined || (odd.endpoints && !odd.endpoints.includes(endpoint.name))) return response;
    const recorded = odd.recorded?.[endpoint.name];
    const fitting = kindsOf(endpoint, response, recorded !== undefined).filter(
      (kind) => odd.kinds?.includes(kind) ?? true,
    );
    const [isOdd, which, choice] = [this.#random() < (odd.share ?? 1), this.#random(), this.#random()];
    const kind = fitting[Math.floor(which * fitting.length)];
    return isOdd && kind !== undefined ? toOdd(kind, endpoint, response, { choice, recorded }) : response;
  }
}

/** Returns the kinds that a response can have. */
function kindsOf(endpoint: Endpoint, { status, body }: HandlerResponse, isRecorded: boolean): OddKind[] {
  if (status >= 400) return ['unknown-fields', 'error-keys', 'error-text'];
  const statuses: OddKind[] = hasOtherStatuses(endpoint) ? ['status'] : [];
  if (typeof body !== 'object' || body === null || body instanceof Response) return statuses;
  const possible: Partial<Record<OddKind, boolean>> = {
    shape: hasOtherShapes(endpoint.name),
    status: statuses.length > 0,
    recorded: isRecorded,
  };
  return oddKinds.filter((kind) => possible[kind] ?? kind in bodies);
}

function toOdd(
  kind: OddKind,
  endpoint: Endpoint,
  response: HandlerResponse,
  { choice, recorded }: { readonly choice: number; readonly recorded: unknown },
): HandlerResponse | Response {
  const { status, body, headers } = response;
  if (kind === 'status') return withOtherStatus(endpoint.name, response, choice);
  if (kind === 'error-text') {
    const { text, type } = textOfError(status, choice);
    return new Response(text, { status, headers: { ...headers, 'content-type': type } });
  }
  if (kind === 'error-keys') return new HandlerResponse(status, withOtherKeys(body, choice), headers);
  if (kind === 'recorded') return new HandlerResponse(status, withRecorded(body, recorded), headers);
  if (kind === 'shape') return new HandlerResponse(status, inOtherShape(endpoint.name, body, choice), headers);
  return new HandlerResponse(status, bodies[kind]?.(body), headers);
}
