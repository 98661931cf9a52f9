import type { Endpoint } from '../../core/operation/endpoint.js';
import { chosen, createRandom } from '../random.js';
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
import { oddKinds } from './odd-share.js';
import type { OddKind, OddShare } from './odd-share.js';
import { hasOtherShapes, inOtherShape } from './odd-shapes.js';
import { hasOtherStatuses, withOtherStatus } from './odd-statuses.js';

/** What a change of a body may depend on. `choice`, from 0 to 1, selects one of several. */
interface OddContext {
  readonly endpoint: string;
  readonly choice: number;
}

/** The kinds that change only the body. */
const bodies: Readonly<Record<Exclude<OddKind, 'status' | 'error-text'>, (body: unknown, on: OddContext) => unknown>> =
  {
    'unknown-fields': withUnknownFields,
    nulls: withNulls,
    absent: withoutOptional,
    'text-ids': withTextIds,
    'letter-case': withOtherCase,
    timestamps: withOtherTimestamps,
    shape: (body, { endpoint, choice }) => inOtherShape(endpoint, body, choice),
    'error-keys': (body, { choice }) => withOtherKeys(body, choice),
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
    const fitting = kindsOf(endpoint, response).filter((kind) => odd.kinds?.includes(kind) ?? true);
    const [isOdd, which, choice] = [this.#random() < (odd.share ?? 1), this.#random(), this.#random()];
    const kind = chosen(fitting, which);
    return isOdd && kind ? toOdd(kind, response, { endpoint: endpoint.name, choice }) : response;
  }
}

/** Returns the kinds that a response can have. */
function kindsOf(endpoint: Endpoint, { status, body }: HandlerResponse): OddKind[] {
  if (status >= 400) return ['unknown-fields', 'error-keys', 'error-text'];
  const isJson = typeof body === 'object' && body !== null && !(body instanceof Response);
  const possible: Partial<Record<OddKind, boolean>> = {
    shape: isJson && hasOtherShapes(endpoint.name),
    status: hasOtherStatuses(endpoint),
    'error-keys': false,
    'error-text': false,
  };
  return oddKinds.filter((kind) => possible[kind] ?? isJson);
}

function toOdd(kind: OddKind, response: HandlerResponse, context: OddContext): HandlerResponse | Response {
  const { status, body, headers } = response;
  if (kind === 'status') return withOtherStatus(context.endpoint, response, context.choice);
  if (kind === 'error-text') return textOfError(status, context.choice, headers);
  return new HandlerResponse(status, bodies[kind](body, context), headers);
}
