import type { ContactWindow } from 'marketplace-seller-sdk';

/**
 * Draws a window of contacts as bars in a terminal: one per day or hour, at most `width` characters long.
 */
export function barsOf({ results, unit }: ContactWindow, width = 40): string[] {
  const highest = Math.max(1, ...(results ?? []).map(({ total }) => total));
  return (results ?? []).map(({ date, total }) => {
    const label = unit === 'hour' ? date.slice(5, 16).replace('T', ' ') : date.slice(0, 10);
    return `${label} ${'█'.repeat(Math.round((total / highest) * width))} ${total}`;
  });
}
