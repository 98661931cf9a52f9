import { styleText } from 'node:util';
import type { Middleware } from 'marketplace-seller-sdk';

/** What the narrator writes to: standard output, or a test's. */
export interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

type Style = Parameters<typeof styleText>[0];

const margin = '         ';

/** Tells the story: plain in a pipe, coloured on a terminal. */
export class Narrator {
  readonly #out: Output;
  readonly #color: boolean;
  readonly #wire: boolean;

  constructor(out: Output, { color, wire }: { color: boolean; wire: boolean }) {
    this.#out = out;
    this.#color = color;
    this.#wire = wire;
  }

  title(text: string, subtitle: string): void {
    this.#write(`\n${this.#paint('bold', text)}  ${this.#paint('dim', subtitle)}\n`);
  }

  /** Begins a chapter, at a time of the marketplace. */
  heading(text: string, ms: number): void {
    this.#write(`\n  ${this.#paint('dim', timeIn(ms))}  ${this.#paint(['bold', 'cyan'], text)}\n`);
  }

  /** A sentence of the story. */
  line(text: string): void {
    this.#write(`${margin}${text}`.trimEnd() + '\n');
  }

  /** What is called, as a programmer would write it. */
  code(text: string): void {
    for (const line of text.split('\n')) this.#write(`${margin}${this.#paint('magenta', line)}\n`);
  }

  /** What somebody says, and what about. */
  quote(who: string, about: string, text: string): void {
    this.line(`${this.#paint('yellow', who.padEnd(10))} ${this.#paint('dim', about.padEnd(10))} ${text}`);
  }

  good(text: string): void {
    this.#write(`${margin}${this.#paint('green', '✓')} ${text}\n`);
  }

  bad(text: string): void {
    this.#write(`${margin}${this.#paint('red', '✗')} ${text}\n`);
  }

  end(): void {
    this.#write(this.#wire ? '\n' : `\n${this.#paint('dim', 'What travelled: npm start -- --wire')}\n\n`);
  }

  /** Shows each request and its answer, if that was asked for: to be given to clients. */
  readonly wire: Middleware = async ({ request }, next) => {
    if (!this.#wire) return next(request);
    const { pathname, search } = new URL(request.url);
    const sent = await request.clone().text();
    const answer = await next(request);
    this.#travelled('→', `${request.method} ${decodeURIComponent(pathname + search)} ${sent}`);
    this.#travelled('←', `${answer.status} ${isText(answer) ? await answer.clone().text() : '(a file)'}`);
    return answer;
  };

  #travelled(arrow: string, text: string): void {
    const line = text.trim().replace(/\s+/g, ' ');
    const shown = line.length > 160 ? `${line.slice(0, 160)}…` : line;
    this.#write(`${margin}${this.#paint('dim', `${arrow} ${shown}`)}\n`);
  }

  #paint(style: Style, text: string): string {
    return this.#color ? styleText(style, text, { validateStream: false }) : text;
  }

  #write(text: string): void {
    this.#out.write(text);
  }
}

function isText(answer: Response): boolean {
  return /json|text/.test(answer.headers.get('content-type') ?? 'text');
}

/** The time of day where the seller lives. */
function timeIn(ms: number): string {
  return new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'America/Argentina/Buenos_Aires',
  }).format(ms);
}
