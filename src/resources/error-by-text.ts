import { documentedError, hasCode, messageMatches } from '../core/operation/documented-error.js';
import type { DocumentedError, MatchedResponse } from '../core/operation/documented-error.js';

/** The row of the specification. */
type Documented = Omit<DocumentedError, 'error' | 'matches'> & { readonly section: string };

/** The class of an error, and how its texts are recognised. */
type ClassAndTexts = [
  error: DocumentedError['error'],
  matches: RegExp | readonly RegExp[] | ((response: MatchedResponse) => boolean),
  unless?: RegExp,
];

/**
 * Describes a documented error with a class of its own. The specification often gives only a message, so the error is
 * matched by any of its texts: one fits one of the patterns, and not `unless`.
 */
// @__NO_SIDE_EFFECTS__
export function errorByText(documented: Documented, ...[error, matches, unless]: ClassAndTexts): DocumentedError {
  const isMatch = typeof matches === 'function' ? matches : messageMatches(matches, unless);
  return documentedError({ ...documented, error, matches: isMatch });
}

/** Describes a documented error with a class of its own, which is matched by its code and by its texts. */
// @__NO_SIDE_EFFECTS__
export function errorByCode(
  documented: Documented & { readonly code: string },
  error: DocumentedError['error'],
  patterns: RegExp | readonly RegExp[],
): DocumentedError {
  const isInTexts = messageMatches(patterns);
  return errorByText(documented, error, (details) => hasCode(details, documented.code) || isInTexts(details));
}
