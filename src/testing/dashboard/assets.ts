import html from './browser/index.html?raw';
import script from './browser/main.ts?script';
import style from './browser/style.css?raw';

/** The HTML of the dashboard, with a placeholder for the control token. */
export const indexHtml: string = html;

/** The files of the dashboard, by path. */
export const files: ReadonlyMap<string, { readonly type: string; readonly text: string }> = new Map([
  ['/__fake/style.css', { type: 'text/css; charset=utf-8', text: style }],
  ['/__fake/main.js', { type: 'text/javascript; charset=utf-8', text: script }],
]);
