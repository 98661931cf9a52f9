import type { Callback } from './callback.js';

/** The status of the response of a callback, or why there is none. */
export type DeliveryOutcome = number | 'too slow' | 'unreachable';

/** The address of a function that has none. */
export function addressOf({ path = '/notifications' }: { readonly path?: string | undefined }): string {
  return new URL(path, 'https://application.test').href;
}

/** Posts a notification to a callback, which has `timeoutMs` to respond. */
export async function postNotification(callback: Callback, body: object, timeoutMs: number): Promise<DeliveryOutcome> {
  const timeout = new AbortController();
  const request = new Request(typeof callback === 'function' ? addressOf(callback) : callback, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    // Only a 200 of the callback itself acknowledges a notification. Spec: Events 4.
    redirect: 'manual',
    signal: timeout.signal,
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const slow = new Promise<'too slow'>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, 'too slow');
  });
  const responded = (async () => (typeof callback === 'function' ? callback(request) : fetch(request)))()
    .then(async (response) => {
      await response.text();
      return response.status;
    })
    .catch(() => 'unreachable' as const);
  const outcome = await Promise.race([responded, slow]);
  clearTimeout(timer);
  if (outcome === 'too slow') timeout.abort();
  return outcome;
}
