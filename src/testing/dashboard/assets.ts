import flex from './browser/flex.js?raw';
import blacklist from './browser/blacklist.js?raw';
import clock from './browser/clock.js?raw';
import connect from './browser/connect.js?raw';
import conversations from './browser/conversations.js?raw';
import dom from './browser/dom.js?raw';
import faults from './browser/faults.js?raw';
import finder from './browser/finder.js?raw';
import fileList from './browser/files.js?raw';
import main from './browser/main.js?raw';
import moderation from './browser/moderation.js?raw';
import notifications from './browser/notifications.js?raw';
import picker from './browser/picker.js?raw';
import questions from './browser/questions.js?raw';
import requests from './browser/requests.js?raw';
import sale from './browser/sale.js?raw';
import server from './browser/server.js?raw';
import settings from './browser/settings.js?raw';
import shipments from './browser/shipments.js?raw';
import tabs from './browser/tabs.js?raw';
import trigger from './browser/trigger.js?raw';
import style from './browser/style.css?raw';
import html from './browser/index.html?raw';

const scripts = {
  blacklist,
  clock,
  connect,
  conversations,
  dom,
  faults,
  files: fileList,
  finder,
  flex,
  main,
  moderation,
  notifications,
  picker,
  questions,
  requests,
  sale,
  server,
  settings,
  shipments,
  tabs,
  trigger,
};

/** The HTML of the dashboard, with a placeholder for the control token. */
export const indexHtml: string = html;

/** The files of the dashboard, by path. */
export const files: ReadonlyMap<string, { readonly type: string; readonly text: string }> = new Map([
  ['/__fake/style.css', { type: 'text/css; charset=utf-8', text: style }],
  ...Object.entries(scripts).map(
    ([name, text]) => [`/__fake/${name}.js`, { type: 'text/javascript; charset=utf-8', text }] as const,
  ),
]);
