import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import type { ContactWindow } from 'marketplace-seller-sdk';

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
