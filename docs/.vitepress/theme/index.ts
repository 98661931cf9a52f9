import { h } from 'vue';
import theme from 'vitepress/theme';
import { withBase } from 'vitepress';
import type { Theme } from 'vitepress';
import './style.css';

export default {
  extends: theme,
  Layout: () => h(theme.Layout, null, { 'not-found': () => h('main', { class: 'not-found' }, notFound()) }),
  enhanceApp({ router }) {
    if (typeof document === 'undefined') return; // on the server
    router.onAfterRouteChange = () => {
      // The sidebar shows the entry of the current page, however long its list is.
      setTimeout(() => document.querySelector('.VPSidebarItem.is-active > .item')?.scrollIntoView({ block: 'center' }));
    };
  },
} satisfies Theme;

function notFound() {
  return [h('h1', 'Page not found'), h('p', [h('a', { href: withBase('/') }, 'To the first page')])];
}
