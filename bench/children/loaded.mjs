// In a process of its own: prints the files that an import of the main entry loads, as Node's own hook is told of them.
import { registerHooks } from 'node:module';

/** @type {string[]} */
const urls = [];
registerHooks({
  load: (url, context, next) => {
    urls.push(url);
    return next(url, context);
  },
});
await import(new URL('../../dist/esm/index.js', import.meta.url).href);
console.log(JSON.stringify(urls.filter((url) => url.startsWith('file:'))));
