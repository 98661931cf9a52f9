import type { ContactWindow } from 'marketplace-seller-sdk';

/** A window of contacts as lines for a terminal: one bar a day or hour, the longest `width` characters long. */
export function barsOf({ results, unit }: ContactWindow, width = 40): string[] {
  const most = Math.max(1, ...(results ?? []).map(({ total }) => total));
  return (results ?? []).map(({ date, total }) => {
    const label = unit === 'hour' ? date.slice(5, 16).replace('T', ' ') : date.slice(0, 10);
    return `${label} ${'█'.repeat(Math.round((total / most) * width))} ${total}`;
  });
}
