import type { Snapshot } from '../snapshot.js';
import { button, chip, field, form, heading, named, select, submit } from './parts.js';
import type { Fields } from './parts.js';
import { html } from './preact.js';
import type { VNode } from './preact.js';
import { post } from './server.js';
import { joined } from './texts.js';

const rate = { type: 'number', min: 1, max: 10_000 };

/** The rate limit. */
export function limitForm({ limit }: Snapshot): VNode {
  const remove = (): unknown => post('limit', {}, 'The limit is removed');
  return form(
    'card form',
    set,
    heading(html`<h3>Rate limit</h3>`, html`<span id="limit-state">${chip(limit ? describe(limit) : 'none')}</span>`),
    html`
      <div class="row">
        ${field('Calls per second', 'perSecond', rate)} ${field('Calls per minute', 'perMinute', rate)}
        <label>Counted per ${select(named(['application', 'user']), { name: 'per' })}</label>
      </div>
      <label class="check"><input name="retryAfter" type="checkbox" /> A 429 has a Retry-After</label>
      <div class="actions">${submit('Set')} ${limit && button('Remove', remove)}</div>
    `,
  );
}

function set({ perSecond, perMinute, per, retryAfter }: Fields): unknown {
  const rates = { perSecond: toNumber(perSecond), perMinute: toNumber(perMinute) };
  return post('limit', { ...rates, per, retryAfter: retryAfter === 'on' }, 'The limit is set');
}

function toNumber(text = ''): number | null {
  return text === '' ? null : Number(text);
}

function describe({ perSecond, perMinute, per = 'application' }: NonNullable<Snapshot['limit']>): string {
  const rates = [perSecond ? `${perSecond} per second` : '', perMinute ? `${perMinute} per minute` : '', `per ${per}`];
  return joined(rates, ', ');
}
