import { h } from 'vue';
import theme from 'vitepress/theme';
import { withBase } from 'vitepress';
import type { Theme } from 'vitepress';
import { RunExample } from './run-example.ts';
import { WayOfAQuestion } from './way-of-a-question.ts';
import './style.css';

export default {
  extends: theme,
  Layout: () => h(theme.Layout, null, { 'not-found': () => h('main', { class: 'not-found' }, notFound()) }),
  enhanceApp({ app, router }) {
    app.component('RunExample', RunExample);
    app.component('WayOfAQuestion', WayOfAQuestion);
    if (typeof document === 'undefined') return; // on the server
    router.onAfterRouteChange = () => {
      // The sidebar shows the entry of the current page, however long its list is.
      setTimeout(() => document.querySelector('.VPSidebarItem.is-active > .item')?.scrollIntoView({ block: 'center' }));
    };
  },
} satisfies Theme;

function notFound() {
  const links = [
    ['/', 'First page'],
    ['/contents', 'All documents'],
    ['/reference/', 'Reference'],
  ] as const;
  return [
    h('h1', 'This page does not exist'),
    h('p', 'It may have moved. The search (Ctrl K) finds it.'),
    h(
      'p',
      links.flatMap(([path, text], index) => [index > 0 ? ' · ' : '', h('a', { href: withBase(path) }, text)]),
    ),
  ];
}
