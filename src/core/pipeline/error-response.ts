import { readBody } from './buffered-response.js';
import type { BufferedResponse, ResponseContext } from './buffered-response.js';
import type { ApiError, ApiErrorCause, ApiErrorDetails } from '../errors/errors.js';
import { redactText, redactUrl, withoutCookies, userTexts } from '../errors/redact.js';
import { parseErrorBody } from './error-body.js';
import { matchDocumentedError, statusOfErrorInBody } from '../errors/documented-error.js';
import type { DocumentedError } from '../errors/documented-error.js';
import { mayHaveSucceeded, parseRetryAfter } from '../retry/policy.js';
import { classOfStatus } from '../errors/status-errors.js';

/** Of a refusal's words no more is read for its message, in characters; the body is kept as it came. */
const mostRead = 20_000;
const mostCauses = 100;

/** The error that a refusal is: its class by the status, refined where the endpoint documents it. */
export function apiErrorFrom(
  answer: BufferedResponse,
  asked: ResponseContext,
): { error: ApiError; refusal: DocumentedError | undefined } {
  const { endpoint } = asked;
  const secrets = asked.secrets();
  const people = userTexts(asked.input);
  const shown = (text: string): string => short(redactText(text.slice(0, mostRead), secrets, people));
  const heard = errorDetailsFrom(answer, asked, secrets);
  const refusal = matchDocumentedError(endpoint.errors, heard);
  const { status, retryAfterMs, code } = heard;
  const transient = refusal?.transient === true;
  const outcomeUnknown = mayHaveSucceeded(endpoint.retry, { kind: 'errorResponse', status, retryAfterMs, transient });
  const causes = heard.causes.slice(0, mostCauses).map((cause) => mapValues(cause, shown));
  const details: ApiErrorDetails = { ...heard, code: code && shown(code), causes, outcomeUnknown };
  const Class = refusal?.error ?? classOfStatus(status);
  const said = shown(heard.text ?? code ?? 'the service gave no reason');
  const doubt = outcomeUnknown ? '. The write may have been carried out all the same: confirm() reads it back' : '';
  const named = details.code === undefined ? '' : ` (${details.code})`;
  const message = `${endpoint.method} ${endpoint.path} failed with ${status}${named}: ${said}${doubt}`;
  return { error: new Class(message, details), refusal };
}

/** What a refusal says, as it says it: documented refusals are told by the words of the service. */
function errorDetailsFrom(
  answer: BufferedResponse,
  { endpoint, attempts }: ResponseContext,
  secrets: readonly string[],
): ApiErrorDetails {
  const words = parseErrorBody(readBody(clean(answer.text, secrets)).value);
  const within = answer.status < 300 ? endpoint.errorInBody?.(words.body) : undefined;
  const heard: ApiErrorDetails = {
    ...words,
    ...within,
    status: answer.status,
    headers: withoutCookies(answer.headers),
    url: redactUrl(answer.url),
    endpoint,
    attempts,
    retryAfterMs: parseRetryAfter(answer.headers, Date.now()),
  };
  return within ? { ...heard, status: statusOfErrorInBody(endpoint.errors, within, heard) } : heard;
}

function mapValues(cause: ApiErrorCause, change: (text: string) => string): ApiErrorCause {
  return Object.fromEntries(Object.entries(cause).map(([name, value]) => [name, change(value as string)]));
}

function clean(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => (secret.length < 4 ? rest : rest.replaceAll(secret, '[redacted]')), text);
}

function short(text: string): string {
  const line = text
    .replace(/<[^>]{0,500}>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
