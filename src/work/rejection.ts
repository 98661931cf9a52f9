import { ApiError } from '../core/errors/response-errors.js';
import { classOfStatus } from '../core/errors/status-errors.js';

/**
 * Whether the service rejects a write for a reason that a retry does not change: the error is permanent, or it is a documented 403 or
 * 404, such as a blocked conversation. One that is documented as passing is not, nor is a 403 that nothing explains.
 */
export function isLastingRejection(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.outcomeUnknown) return false;
  if (error.isPermanent) return true;
  const Class = error.constructor as typeof ApiError;
  const isDocumented = Class !== classOfStatus(error.status);
  return isDocumented && Class.permanent !== false && (error.status === 403 || error.status === 404);
}
