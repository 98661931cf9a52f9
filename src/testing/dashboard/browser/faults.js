import { byId, setOptions, h, showList } from './dom.js';
import { act } from './server.js';
import { showCount } from './finder.js';

/** @typedef {import('../snapshot.js').Snapshot} Snapshot */

/** @type {{ id: string, label: string, hint: string, fault: Record<string, unknown> }[]} */
const kinds = [
  {
    id: '503',
    label: '503, nothing done',
    hint: 'Reads should be retried.',
    fault: { status: 503, headers: { 'retry-after': '1' } },
  },
  {
    id: '429',
    label: '429, wait 2 s',
    hint: 'All calls should wait for Retry-After.',
    fault: {
      status: 429,
      headers: { 'retry-after': '2' },
      body: { message: 'Too many requests', error: 'too_many_requests', status: 429, cause: [] },
    },
  },
  {
    id: 'html',
    label: '502 in HTML',
    hint: 'The response of a gateway, not of the service.',
    fault: {
      status: 502,
      headers: { 'content-type': 'text/html' },
      body: '<html><body><h1>502 Bad Gateway</h1></body></html>',
    },
  },
  {
    id: 'reset',
    label: 'Acted, response lost',
    hint: 'The connection breaks after the service acted.',
    fault: { reset: 'after' },
  },
  {
    id: 'stall',
    label: 'Half a response, then nothing',
    hint: 'Only a timeout that includes the body ends it.',
    fault: { stall: true },
  },
  { id: 'truncate', label: 'Response cut off', hint: 'The connection breaks in the body.', fault: { truncate: true } },
  { id: 'slow', label: '3 s delay', hint: 'A correct but slow response.', fault: { delayMs: 3000 } },
  {
    id: '401',
    label: '401, token expired',
    hint: 'The client should refresh its token.',
    fault: {
      status: 401,
      body: { message: 'The access token has expired', error: 'invalid_token', status: 401, cause: [] },
    },
  },
];

const form = /** @type {HTMLFormElement} */ (byId('inject'));
const endpoint = /** @type {HTMLSelectElement} */ (form.elements.namedItem('endpoint'));
const times = /** @type {HTMLSelectElement} */ (form.elements.namedItem('times'));

export function startFaults() {
  byId('fault-kinds').append(
    ...kinds.map(({ id, label, hint }, index) =>
      h(
        'label',
        { class: 'choice' },
        h('input', { type: 'radio', name: 'kind', value: id, checked: index === 0 }),
        h('span', {}, h('strong', {}, label), h('span', { class: 'small' }, hint)),
      ),
    ),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void act('POST', 'faults', chosen(), 'Injected: it applies to the next call');
  });
  byId('clear-faults').addEventListener('click', () => void act('DELETE', 'faults', undefined, 'All faults removed'));
}

/** @type {Readonly<Record<string, () => object>>} */
const frequencies = {
  often: () => ({ probability: 0.25, seed: Date.now() % 1000 }),
  always: () => ({ times: Number.MAX_SAFE_INTEGER }),
};

function chosen() {
  const kind = new FormData(form).get('kind');
  return {
    ...kinds.find(({ id }) => id === kind)?.fault,
    ...(endpoint.value !== '' && { endpoint: endpoint.value }),
    ...(frequencies[times.value]?.() ?? { times: Number(times.value) }),
  };
}

/** @param {Snapshot} state */
export function showFaults(state) {
  const { faults, endpoints } = state;
  setOptions(endpoint, [
    { value: '', label: 'any endpoint' },
    ...endpoints.map((name) => ({ value: name, label: name })),
  ]);
  showCount('faults', state);
  byId('no-faults').hidden = faults.length > 0;
  byId('clear-faults').hidden = faults.length === 0;
  showList(
    byId('fault-list'),
    faults.toReversed().map((fault, index) => ({ index, fault })),
    ({ index }) => index,
    ({ fault }) => draw(fault),
  );
}

/** @param {Snapshot['faults'][number]} fault */
function draw({ endpoint: name, left, probability, ...fault }) {
  const frequency =
    probability !== undefined && probability < 1
      ? `${Math.round(probability * 100)} % of calls`
      : left === null || left > 1e6
        ? 'every call'
        : left === 1
          ? 'the next call'
          : `the next ${left} calls`;
  return h(
    'article',
    { class: 'card' },
    h('p', { class: 'about' }, h('strong', {}, describeFault(fault)), ` on ${name ?? 'any endpoint'}`),
    h('p', { class: 'small' }, frequency),
  );
}

/** @param {Omit<Snapshot['faults'][number], 'endpoint' | 'left' | 'probability'>} fault */
function describeFault({ status, after, reset, stall, truncate, delayMs }) {
  const parts = [
    status !== undefined && `${status}${after ? ' after acting' : ''}`,
    reset && `connection breaks ${reset} acting`,
    stall && `stalls ${stall === 'headers' ? 'before the headers' : 'in the body'}`,
    truncate && 'response cut off',
    delayMs !== undefined && `${delayMs} ms delay`,
  ];
  return parts.filter(Boolean).join(', ');
}
