import { ConfigurationError } from '../errors/errors.js';
import { optionIssues } from './rules.js';
import type { Rule } from './rules.js';

/**
 * Checks the options of a function that creates something. `required` are the names that must be given.
 *
 * @throws {ConfigurationError} when an option is missing, unknown or wrong.
 */
export function checkConfiguration(
  creator: string,
  options: unknown,
  rules: Readonly<Record<string, Rule>>,
  required: readonly string[] = [],
): void {
  if (typeof options !== 'object' || options === null)
    throw new ConfigurationError(`${creator} takes an object of options`);
  const missing = required.filter((name) => (options as Record<string, unknown>)[name] === undefined);
  const problems = [
    ...missing.map((name) => `\`${name}\` is missing`),
    ...optionIssues(options, rules).map(({ message }) => message),
  ];
  if (problems.length > 0) throw new ConfigurationError(`${creator}: ${problems.join('; ')}`);
}
