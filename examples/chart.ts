import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import type { ContactWindow } from 'marketplace-seller-sdk';

/** Draws a window of contacts as an SVG file, which any browser can open. */
export function svgOf({ results, unit }: ContactWindow, title: string): string {
  const bars = (results ?? []).map(({ date, total }) => ({ date: new Date(date), total }));
  // Plot needs a document to draw into. This one works without a browser.
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
  // A separate file must declare that it is SVG; inside an HTML page that is implied.
  chart.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  return `${chart.outerHTML}\n`;
}
