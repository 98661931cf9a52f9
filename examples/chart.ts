import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import type { ContactWindow } from 'marketplace-seller-sdk';

/** A window of contacts as lines for a terminal: one bar a day or hour, the longest `width` characters long. */
export function barsOf({ results, unit }: ContactWindow, width = 40): string[] {
  const most = Math.max(1, ...(results ?? []).map(({ total }) => total));
  return (results ?? []).map(({ date, total }) => {
    const label = unit === 'hour' ? date.slice(5, 16).replace('T', ' ') : date.slice(0, 10);
    return `${label} ${'█'.repeat(Math.round((total / most) * width))} ${total}`;
  });
}

/** A window of contacts as an SVG file, which any browser opens. */
export function svgOf({ results, unit }: ContactWindow, title: string): string {
  const bars = (results ?? []).map(({ date, total }) => ({ date: new Date(date), total }));
  // Plot draws into a document; this one needs no browser.
  const { document } = parseHTML('<html></html>');
  const chart = Plot.plot({
    document,
    width: 720,
    height: 320,
    marginTop: 40,
    style: { background: 'white' },
    x: { type: 'band', interval: unit === 'hour' ? 'hour' : 'day', label: null, tickFormat: '%b %-d' },
    y: { grid: true, label: title, nice: true },
    marks: [Plot.barY(bars, { x: 'date', y: 'total', fill: '#2563eb' }), Plot.ruleY([0])],
  });
  // A file of its own has to say that it is SVG; within a page that would go without saying.
  chart.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  return `${chart.outerHTML}\n`;
}
