const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Creates a response of the dashboard. */
export function contentOf(body: string | ReadableStream, type: string): Response {
  return new Response(body, { headers: { ...securityHeaders, 'content-type': type } });
}

/** Creates a response of a control endpoint. */
export function json(value: unknown, status = 200): Response {
  return Response.json(value, { status, headers: securityHeaders });
}

/** Creates the response of a control endpoint to a wrong call. */
export function errorJson(status: number, message: string): Response {
  return json({ message: message.replace(/^FakeMarketplace: /, '') }, status);
}
