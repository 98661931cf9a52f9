// A service worker that answers from what it has kept, unless a request says that no cache may.
const isKept = ({ method, cache, url }) => method === 'GET' && cache !== 'no-store' && url.includes('/api/');

addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => {
  if (isKept(event.request)) event.respondWith(kept(event.request));
});

async function kept(request) {
  const cache = await caches.open('responses');
  const known = await cache.match(request);
  if (known) return known;
  const response = await fetch(request);
  await cache.put(request, response.clone());
  return response;
}
