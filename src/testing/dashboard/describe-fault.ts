import type { FaultKind } from '../http/faults.js';

/** Describes what a fault does to a request, e.g. `connection breaks after acting`. */
export function describeFault({ status, after, reset, stall, truncate, delayMs }: FaultKind): string {
  const parts = [
    status !== undefined && `${status}${after ? ' after acting' : ', nothing done'}`,
    reset && `connection breaks ${reset} acting`,
    stall && `stalls ${stall === 'headers' ? 'before the headers' : 'in the body'}`,
    truncate && 'connection breaks in the body',
    delayMs !== undefined && `${delayMs} ms delay`,
  ];
  return parts.filter(Boolean).join(', ');
}
