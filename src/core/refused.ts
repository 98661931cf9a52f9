import { readBody } from './answer.js';
import type { Answer, Asked } from './answer.js';
import type { ApiError, RefusalCause, RefusalDetails } from './errors.js';
import { scrubText, shownUrl, withoutCookies, wordsOfPeople } from './redact.js';
import { wordsOf } from './refusal-words.js';
import { recognise, statusWithin } from './refusal.js';
import type { Refusal } from './refusal.js';
import { leavesDoubt, retryAfterOf } from './retry.js';
import { classOfStatus } from './status-errors.js';

/** Of a refusal's words no more is read for its message, in characters; the body is kept as it came. */
const mostRead = 20_000;
const mostCauses = 100;

/** The error that a refusal is: its class by the status, refined where the endpoint documents it. */
export function refusalOf(answer: Answer, asked: Asked): { error: ApiError; refusal: Refusal | undefined } {
  const { endpoint } = asked;
  const secrets = asked.secrets();
  const people = wordsOfPeople(asked.input);
  const shown = (text: string): string => short(scrubText(text.slice(0, mostRead), secrets, people));
  const heard = heardOf(answer, asked, secrets);
  const refusal = recognise(endpoint.errors, heard);
  const { status, retryAfterMs, code } = heard;
  const passing = refusal?.passing === true;
  const outcomeUnknown = leavesDoubt(endpoint.retry, { kind: 'refused', status, retryAfterMs, passing });
  const causes = heard.causes.slice(0, mostCauses).map((cause) => mapValues(cause, shown));
  const details: RefusalDetails = { ...heard, code: code && shown(code), causes, outcomeUnknown };
  const Class = refusal?.error ?? classOfStatus(status);
  const said = shown(heard.text ?? code ?? 'the service gave no reason');
  const doubt = outcomeUnknown ? '. The write may have been carried out all the same: confirm() reads it back' : '';
  const message = `${endpoint.method} ${endpoint.path} was refused with ${status}: ${said}${doubt}`;
  return { error: new Class(message, details), refusal };
}

/** What a refusal says, as it says it: documented refusals are told by the words of the service. */
function heardOf(answer: Answer, { endpoint, attempts }: Asked, secrets: readonly string[]): RefusalDetails {
  const words = wordsOf(readBody(clean(answer.text, secrets)).value);
  const within = answer.status < 300 ? endpoint.refusedWithin?.(words.body) : undefined;
  const heard: RefusalDetails = {
    ...words,
    ...within,
    status: answer.status,
    headers: withoutCookies(answer.headers),
    url: shownUrl(answer.url),
    endpoint,
    attempts,
    retryAfterMs: retryAfterOf(answer.headers, Date.now()),
  };
  return within ? { ...heard, status: statusWithin(endpoint.errors, within, heard) } : heard;
}

function mapValues(cause: RefusalCause, change: (text: string) => string): RefusalCause {
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
