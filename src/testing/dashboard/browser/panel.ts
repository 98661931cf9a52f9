import type { Snapshot } from '../snapshot.js';
import { html, useRef } from './preact.js';
import type { VNode } from './preact.js';

/** What each panel gets. */
export interface PanelProps {
  readonly state: Snapshot;
  /** Shows a request, by its number. */
  readonly reveal: (id: number) => unknown;
  /** The request to show; `undefined` after it was shown. */
  readonly revealed: number | undefined;
  /** Says that it was shown. */
  readonly shown: () => void;
}

interface SectionProps extends PanelProps {
  readonly id: string;
  readonly isShown: boolean;
  readonly panel: (props: PanelProps) => VNode;
}

/** A section of the page. Its panel is drawn only while it is shown, and keeps what a person has entered. */
export function Section({ id, isShown, panel, ...props }: SectionProps): VNode {
  const drawn = useRef<VNode | undefined>(undefined);
  if (isShown) drawn.current = html`<${panel} ...${props} />`;
  return html`
    <section id=${id} role="tabpanel" aria-labelledby="tab-${id}" hidden=${!isShown}>${drawn.current}</section>
  `;
}
