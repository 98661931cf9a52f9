import type { LoggedRequest } from '../request-log.js';
import type { Snapshot } from '../snapshot.js';
import { button, chip, heading, joined, list, quoted, useFinder, type PanelProps } from './parts.js';
import { html, useEffect, useRef, useState, type VNode } from './preact.js';
import { act, copy, read, showToast } from './server.js';

type Request = Snapshot['requests'][number];

const searchField = {
  placeholder: 'Filter: 4xx, POST, a text',
  'aria-label': 'Show only requests with',
  'aria-keyshortcuts': '/',
};
const none = 'No requests yet. Point your program at the base URL above, or try the command under “Connect”.';

/** The newest requests, or those that a person searches. */
export function Requests({ state, revealed, shown }: PanelProps): VNode {
  const { entries, note, field, setText } = useFinder('requests', state, searchField);
  /** The newest request that was shown; 0 until the first state is. */
  const newest = useRef(0);
  useEffect(() => {
    newest.current = Math.max(newest.current, 1, state.requests[0]?.id ?? 0);
  }, [state]);
  useEffect(() => {
    if (revealed !== undefined) setText(`#${revealed}`);
  }, [revealed]);
  const clear = button('Clear', () => act('DELETE', 'requests', undefined, 'Cleared'));
  const draw = (request: Request): VNode => {
    const isNew = newest.current > 0 && request.id > newest.current;
    const isRevealed = request.id === revealed;
    return html`<${Row} key=${request.id} ...${{ request, isNew, isRevealed, shown }} />`;
  };
  return html`
    ${heading(html`<h2>Requests</h2>`, field, clear)}
    ${list('request', note, state.counts.requests === 0 && none, entries.map(draw), 'ol', 'requests')}
  `;
}

interface RowProps {
  readonly shown: () => void;
  readonly request: Request;
  readonly isNew: boolean;
  readonly isRevealed: boolean;
}

function Row({ request, isNew, isRevealed, shown }: RowProps): VNode {
  const summary = useRef<HTMLElement>(null);
  const [wasNew] = useState(isNew);
  const [isOpen, setOpen] = useState(isRevealed);
  useEffect(() => {
    if (!isRevealed) return;
    setOpen(true);
    summary.current?.scrollIntoView({ block: 'start' });
    summary.current?.focus();
    // Shown once: a row that comes again later must not take the focus.
    shown();
  }, [isRevealed]);
  const toggled = (event: Event): void => setOpen((event.currentTarget as HTMLDetailsElement).open);
  const { at, method, path } = request;
  return html`
    <li class=${wasNew ? 'new' : ''}>
      <details open=${isOpen} onToggle=${toggled}>
        <summary ref=${summary}>
          <time datetime=${new Date(at).toISOString()}>${new Date(at).toTimeString().slice(0, 8)}</time>
          <span class="method ${method.toLowerCase()}">${method}</span>
          <span class="path mono">${path}</span>
          ${outcome(request)} ${note(request)}
        </summary>
        ${isOpen && html`<${Exchange} request=${request} />`}
      </details>
    </li>
  `;
}

/** The second line of a row: what hit the request, or the rule of its 4xx. */
function note({ fault, brokenAt, rule }: Request): VNode | undefined {
  const parts = [
    fault !== null && html`<strong>Fault: ${fault}</strong>`,
    brokenAt !== null && `Connection ended ${brokenAt}`,
    rule,
  ].filter(Boolean);
  if (parts.length === 0) return undefined;
  return html`<span class="note">${parts.map((part, index) => (index === 0 ? part : [' · ', part]))}</span>`;
}

function outcome({ state, status, ms }: Request): VNode {
  const label = state === 'broken' ? 'broken' : (status ?? 'waiting');
  return html`
    <span class="outcome">
      ${chip(state === 'open' && status !== null ? `${label} …` : label, kindOf(state, status))}
      <span class="ms">${state !== 'open' && `${ms < 10 ? ms : Math.round(ms)} ms`}</span>
    </span>
  `;
}

function kindOf(state: Request['state'], status: number | null): string {
  if (state === 'broken') return 'bad';
  if (status === null) return 'open';
  return status >= 500 ? 'bad' : status >= 400 ? 'warning' : 'good';
}

/** The headers and bodies of a request, which the list does not have. They are read again when the request changes. */
function Exchange({ request }: { readonly request: Snapshot['requests'][number] }): VNode | undefined {
  const [entry, setEntry] = useState<LoggedRequest | undefined>(undefined);
  const load = async (): Promise<void> => {
    const found = (await read(`requests?id=${request.id}`)) as { requests: LoggedRequest[] } | undefined;
    if (found?.requests[0]) setEntry(found.requests[0]);
  };
  useEffect(() => void load(), [JSON.stringify(request)]);
  return entry && drawExchange(entry);
}

function drawExchange(entry: LoggedRequest): VNode {
  const { endpoint, nickname, requestHeaders, responseHeaders, requestBody, responseBody, files } = entry;
  return html`
    <dl>
      ${pair('User', nickname ?? 'unknown (no valid token)')} ${pair('Endpoint', endpoint ?? 'unknown')}
      ${pair('Request headers', block(headerLines(requestHeaders)))}
      ${requestBody !== null && pair('Request body', block(pretty(requestBody)))}
      ${files && pair('Files', block(files.map(describeFile).join('\n')))}
      ${responseHeaders && pair('Response headers', block(headerLines(responseHeaders)))}
      ${responseBody !== null && pair('Response body', block(pretty(responseBody) || '(empty)'))}
    </dl>
    <div class="actions">
      ${button('Copy as curl', () => copy(curl(entry), 'the curl line'))}
      ${files === null && button('Send again', () => resend(entry))}
    </div>
  `;
}

function pair(name: string, value: string | VNode): VNode {
  return html`
    <dt>${name}</dt>
    <dd>${value}</dd>
  `;
}

function block(text: string): VNode {
  return html`<pre tabindex="0">${text}</pre>`;
}

function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

function describeFile({ filename, type, size, sha256 }: NonNullable<LoggedRequest['files']>[number]): string {
  return `${filename}, ${type || 'no type'}, ${size} bytes, SHA-256 ${sha256}`;
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Sends a request again, with its token. */
async function resend({ method, path, requestHeaders, requestBody }: LoggedRequest): Promise<void> {
  const names = ['authorization', 'content-type', 'x-client-id'];
  const kept = Object.entries(requestHeaders).filter(([name]) => names.includes(name));
  try {
    const { status } = await fetch(path, { method, headers: Object.fromEntries(kept), body: requestBody });
    showToast(`Sent again: ${status}`);
  } catch {
    showToast('Sent again: the connection broke', true);
  }
}

function curl({ method, path, requestHeaders: { authorization }, requestBody }: LoggedRequest): string {
  const parts = [
    'curl',
    method !== 'GET' && `-X ${method}`,
    authorization !== undefined && `-H ${quoted(`Authorization: ${authorization}`)}`,
    requestBody !== null && `-H 'Content-Type: application/json' -d ${quoted(requestBody)}`,
    quoted(location.origin + path),
  ];
  return joined(parts, ' ');
}
