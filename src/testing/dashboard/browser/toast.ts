import { html, useEffect, useState } from './preact.js';
import type { VNode } from './preact.js';

interface Message {
  readonly text: string;
  readonly isBad: boolean;
}

let show: ((message: Message) => void) | undefined;

/** Shows a message; screen readers announce it. */
export function showToast(text: string, isBad = false): void {
  show?.({ text, isBad });
}

/** The place where messages are shown, one at a time. */
export function Toast(): VNode {
  const [{ text, isBad }, setMessage] = useState<Message>({ text: '', isBad: false });
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    let fading: number | undefined;
    show = (message) => {
      setMessage(message);
      setShown(message.text !== '');
      window.clearTimeout(fading);
      fading = window.setTimeout(() => setShown(false), message.isBad ? 9000 : 3500);
    };
  }, []);
  const look = `toast${isBad ? ' bad' : ''}${isShown ? ' shown' : ''}`;
  return html`<p id="toast" class=${look} role="status" aria-live="polite">${text}</p>`;
}
