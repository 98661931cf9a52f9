/** A fault that a person can choose. */
export type FaultKind = readonly [label: string, hint: string, fault: object];

const expired = { message: 'The access token has expired', error: 'invalid_token', status: 401, cause: [] };
const tooMany = { message: 'Too many requests', error: 'too_many_requests', status: 429, cause: [] };
const html = '<html><body><h1>502 Bad Gateway</h1></body></html>';

/** The faults that the page offers. */
export const faultKinds: readonly FaultKind[] = [
  ['503, nothing done', 'Reads should be retried.', { status: 503, headers: { 'retry-after': '1' } }],
  [
    '429, wait 2 s',
    'All calls should wait for Retry-After.',
    { status: 429, headers: { 'retry-after': '2' }, body: tooMany },
  ],
  [
    '502 in HTML',
    'The response of a gateway, not of the service.',
    { status: 502, headers: { 'content-type': 'text/html' }, body: html },
  ],
  ['Acted, response lost', 'The connection breaks after the service acted.', { reset: 'after' }],
  ['Half a response, then nothing', 'Only a timeout that includes the body ends it.', { stall: true }],
  ['Response cut off', 'The connection breaks in the body.', { truncate: true }],
  ['3 s delay', 'A correct but slow response.', { delayMs: 3000 }],
  ['401, token expired', 'The client should refresh its token.', { status: 401, body: expired }],
];
