import { styleText } from 'node:util';
import type { Middleware } from 'marketplace-seller-sdk';

/** Where the narrator writes: standard output, or an object of a test. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

type Style = Parameters<typeof styleText>[0];

const margin = '         ';

/** Prints the day: plain in a pipe, coloured on a terminal. */
export class Narrator {
  readonly #out: Output;
  readonly #color: boolean;
  readonly #isTerminal: boolean;
  readonly #wire: boolean;

  constructor(out: Output, { color, wire }: { color: boolean; wire: boolean }) {
    this.#out = out;
    this.#color = color;
    this.#isTerminal = out.isTTY === true;
    this.#wire = wire;
  }

  title(text: string, subtitle: string): void {
    this.#write(`\n${this.#paint('bold', text)}  ${this.#paint('dim', subtitle)}\n`);
  }

  /** Starts a chapter, with the time of the marketplace. */
  heading(text: string, ms: number): void {
    this.#write(`\n  ${this.#paint('dim', timeIn(ms))}  ${this.#paint(['bold', 'cyan'], text)}\n`);
  }

  /** Prints a line. */
  line(text: string): void {
    this.#write(`${margin}${text}`.trimEnd() + '\n');
  }

  /** Prints a call as you would write it in a program. */
  code(text: string): void {
    for (const line of text.split('\n')) this.#write(`${margin}${this.#paint('magenta', line)}\n`);
  }

  /** Prints what somebody writes, and optionally about what. */
  quote(who: string, about: string, text: string): void {
    const topic = about === '' ? '' : `${this.#paint('dim', about.padEnd(10))} `;
    this.line(`${this.#paint('yellow', who.padEnd(10))} ${topic}${text}`);
  }

  good(text: string): void {
    this.#write(`${margin}${this.#paint('green', '✓')} ${text}\n`);
  }

  bad(text: string): void {
    const [first = '', ...rest] = wrapped(text, (this.#out.columns ?? Infinity) - margin.length - 2);
    this.#write(`${margin}${this.#paint('red', '✗')} ${first}\n`);
    for (const line of rest) this.line(`  ${line}`);
  }

  /** Prints an error with its class. */
  error({ name, message }: Error): void {
    this.bad(`${name}: ${message}`);
  }

  /** Prints lines that contain bars. */
  chart(lines: readonly string[]): void {
    for (const line of lines) this.line(line.replace(/█+/, (bar) => this.#paint('cyan', bar)));
  }

  /** Shows the progress of a file: a growing bar on a terminal, and only the final line in a pipe. */
  progress(what: string, bytes: number, total: number): void {
    const isComplete = bytes >= total;
    if (!isComplete && !this.#isTerminal) return;
    const bar = '█'.repeat(Math.floor((bytes / total) * 32)).padEnd(32, '░');
    const text = `${what.padEnd(10)} ${this.#paint('cyan', bar)} ${megabytes(bytes)} of ${megabytes(total)} MB`;
    this.#write(`${this.#isTerminal ? '\r' : ''}${margin}${text}${isComplete ? '\n' : ''}`);
  }

  end(): void {
    this.#write(
      this.#wire ? '\n' : `\n${this.#paint('dim', 'To see requests and responses: npm start -- --wire')}\n\n`,
    );
  }

  /** Prints each request and its response if `--wire` is given. Pass it to clients as a middleware. */
  readonly wire: Middleware = async ({ request }, next) => {
    if (!this.#wire) return next(request);
    const { pathname, search } = new URL(request.url);
    const sent = isText(request) ? await request.clone().text() : '(a file)';
    const response = await next(request);
    this.#printMessage('→', `${request.method} ${decodeURIComponent(pathname + search)} ${sent}`);
    this.#printMessage('←', `${response.status} ${isText(response) ? await response.clone().text() : '(a file)'}`);
    return response;
  };

  #printMessage(arrow: string, text: string): void {
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

function isText({ headers }: Request | Response): boolean {
  return /json|text/.test(headers.get('content-type') ?? 'text');
}

/** Splits a text between words into lines of at most `width` characters. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}

/** Formats a time in the time zone of the seller. */
function timeIn(ms: number): string {
  return new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'America/Argentina/Buenos_Aires',
  }).format(ms);
}
