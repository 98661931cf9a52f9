import { describeFault } from '../describe-fault.js';
import type { Snapshot } from '../snapshot.js';
import { button, form, heading, list, noteOf, select, submit } from './parts.js';
import type { Choices, Fields, PanelProps } from './parts.js';
import { html, type VNode } from './preact.js';
import { act, post } from './server.js';

type Fault = Snapshot['faults'][number];

const frequencies: Choices = [
  [1, 'the next call'],
  [3, 'the next 3 calls'],
  [10, 'the next 10 calls'],
  ['often', '25 % of calls, at random'],
  [Number.MAX_SAFE_INTEGER, 'every call'],
];

/** What goes wrong in the next requests. */
export function Faults({ state }: PanelProps): VNode {
  const { faults, endpoints } = state;
  const hasNone = faults.length === 0;
  const targets: Choices = [['', 'any endpoint'], ...endpoints.map((name) => [name, name] as const)];
  const clear = (): unknown => act('DELETE', 'faults', undefined, 'All faults removed');
  const fields = html`
    <fieldset>
      <legend>What happens</legend>
      <div class="choices">${faultKinds.map(drawKind)}</div>
    </fieldset>
    <div class="row">
      <label>To ${select(targets, { name: 'endpoint' })}</label>
      <label>How often ${select(frequencies, { name: 'times' })}</label>
    </div>
  `;
  return html`
    <h2>Faults</h2>
    <p class="lead">Faults in the next requests of your program. They do not affect this page.</p>
    ${form('card form', inject, fields, submit('Inject'))}
    ${heading(html`<h3>Pending faults</h3>`, !hasNone && button('Remove all', clear))}
    ${list('fault', noteOf('faults', state), hasNone && 'No pending faults.', faults.toReversed().map(drawFault))}
  `;
}

function drawKind([label, hint]: FaultKind, index: number): VNode {
  return html`
    <label class="choice">
      <input type="radio" name="kind" value=${index} defaultChecked=${index === 0} />
      <span><strong>${label}</strong><span class="small">${hint}</span></span>
    </label>
  `;
}

function inject({ kind, endpoint, times }: Fields): unknown {
  const fault = {
    ...faultKinds[Number(kind)]?.[2],
    ...(endpoint !== '' && { endpoint }),
    ...(times === 'often' ? { probability: 0.25, seed: Date.now() % 1000 } : { times: Number(times) }),
  };
  return post('faults', fault, 'Injected: it applies to the next call');
}

function drawFault(fault: Fault): VNode {
  return html`
    <article class="card">
      <p class="about"><strong>${describeFault(fault)}</strong> on ${fault.endpoint ?? 'any endpoint'}</p>
      <p class="small">${frequencyOf(fault)}</p>
    </article>
  `;
}

function frequencyOf({ left, probability }: Fault): string {
  if (probability !== undefined && probability < 1) return `${Math.round(probability * 100)} % of calls`;
  if (left === null || left > 1e6) return 'every call';
  return left === 1 ? 'the next call' : `the next ${left} calls`;
}

/** A fault that a person can choose. */
type FaultKind = readonly [label: string, hint: string, fault: object];

const expired = { message: 'The access token has expired', error: 'invalid_token', status: 401, cause: [] };
const tooMany = { message: 'Too many requests', error: 'too_many_requests', status: 429, cause: [] };
const gatewayPage = '<html><body><h1>502 Bad Gateway</h1></body></html>';

/** The faults that the page offers. */
const faultKinds: readonly FaultKind[] = [
  ['503, nothing done', 'Reads should be retried.', { status: 503, headers: { 'retry-after': '1' } }],
  [
    '429, wait 2 s',
    'All calls should wait for Retry-After.',
    { status: 429, headers: { 'retry-after': '2' }, body: tooMany },
  ],
  [
    '502 in HTML',
    'The response of a gateway, not of the service.',
    { status: 502, headers: { 'content-type': 'text/html' }, body: gatewayPage },
  ],
  ['Acted, response lost', 'The connection breaks after the service acted.', { reset: 'after' }],
  ['Half a response, then nothing', 'Only a timeout that includes the body ends it.', { stall: true }],
  ['Response cut off', 'The connection breaks in the body.', { truncate: true }],
  ['3 s delay', 'A correct but slow response.', { delayMs: 3000 }],
  ['401, token expired', 'The client should refresh its token.', { status: 401, body: expired }],
];
