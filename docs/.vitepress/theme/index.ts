import theme from 'vitepress/theme';
import type { Theme } from 'vitepress';
import './style.css';

export default {
  extends: theme,
  enhanceApp({ router }) {
    if (typeof document === 'undefined') return; // on the server
    router.onAfterRouteChange = () => {
      // The sidebar shows the entry of the current page, however long its list is.
      setTimeout(() => document.querySelector('.VPSidebarItem.is-active > .item')?.scrollIntoView({ block: 'center' }));
    };
  },
} satisfies Theme;
