import { isOfFramework } from './errors.js';
import { Redactor } from './redactor.js';
import { SellerError, copyOfError } from './seller-error.js';

/** How many causes of errors of this package are searched. */
const maxCauses = 8;

/**
 * Returns what a function of the user has thrown, or, if it shows one of the secrets, a copy without them. An error of this package
 * keeps its class; of another one, name, message, stack and code are left.
 */
export function withoutSecrets(error: unknown, secrets: readonly string[], depth = 0): unknown {
  if (secrets.length === 0 || depth === maxCauses || isOfFramework(error)) return error;
  const redactor = new Redactor({ secrets });
  if (!(error instanceof SellerError)) return redactor.error(error);
  const { message, stack = '', cause } = error;
  const shown = {
    message: redactor.secrets(message),
    stack: redactor.secrets(stack),
    cause: withoutSecrets(cause, secrets, depth + 1),
  };
  if (shown.message === message && shown.stack === stack && shown.cause === cause) return error;
  const copy = copyOfError(error);
  for (const [name, value] of Object.entries(shown))
    if (name in error) Object.defineProperty(copy, name, { value, configurable: true, writable: true });
  return copy;
}
