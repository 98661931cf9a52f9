/**
 * Whether a framework has thrown an error for its own purposes, which it expects back as it is: Next.js says that a page cannot be
 * prerendered, React that a part is rendered later. It is thrown in place of sending a request.
 */
export function isOfFramework(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { digest, $$typeof } = error as { digest?: unknown; $$typeof?: unknown };
  return typeof digest === 'string' || typeof $$typeof === 'symbol';
}
