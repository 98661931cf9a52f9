import type { LoggedRequest } from '../request-log.js';
import type { Snapshot } from '../snapshot.js';
import { button } from './parts.js';
import { html, useEffect, useState } from './preact.js';
import type { VNode } from './preact.js';
import { copy, read } from './server.js';
import { joined, quoted } from './texts.js';
import { showToast } from './toast.js';

/** The headers and bodies of a request, which the list does not have. They are read again when the request changes. */
export function Exchange({ request }: { readonly request: Snapshot['requests'][number] }): VNode | undefined {
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
