import type { SentSecrets } from '../errors/redactor.js';
import type { Endpoint } from '../operation/endpoint.js';
import type { StandardSchema } from '../schema/schema.js';
import type { InternalOptions } from '../scope/call-options.js';

/** A request as data: checked and encoded, without its token. */
export interface BuiltRequest {
  readonly endpoint: Endpoint;
  readonly input: Readonly<Record<string, unknown>>;
  /** The options of the call, as they were checked: the caller may change the object since. */
  readonly options: InternalOptions;
  readonly url: string;
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON text of the body; `undefined` if there is no body or it is multipart. */
  readonly body: string | undefined;
  /** The value of the body before it is encoded. For a multipart body, the fields of the file. */
  readonly bodyValue: unknown;
  /** The schema of the response. */
  readonly output: StandardSchema;
}

/** The part of a call that is needed to explain how it ended. */
export interface SentCall extends SentSecrets {
  readonly request: Pick<BuiltRequest, 'endpoint' | 'input' | 'url' | 'headers'>;
  readonly attempts: number;
  /** Whether the body can be sent again: it does not come from a stream. */
  readonly isReplayable?: boolean;
}

/** Converts header names to lower case, so that a user's header replaces the default in any case. */
export function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
