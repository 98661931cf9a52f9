import { rules } from './documented-rules.js';

/**
 * Returns the rule of the specification that a 4xx follows, as section and row, e.g.
 * `Errors, Create message: text longer than 350 characters`; `null` for any other response.
 *
 * @param body the text of the response
 */
export function ruleOf(status: number, endpoint: string | null, body: string | null): string | null {
  if (status < 400 || status > 499) return null;
  const text = (body ?? '').toLowerCase();
  const found = rules.find(([start, words]) => (endpoint ?? '').startsWith(start) && text.includes(words));
  return found?.[2] ?? 'Errors: standard body';
}
