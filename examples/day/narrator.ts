import { stripVTControlCharacters, styleText } from 'node:util';
import type { Middleware } from 'marketplace-seller-sdk';

/** Where the narrator writes: standard output, or an object of a test. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

type Style = Parameters<typeof styleText>[0];

/**
 * How a text is printed: the text before its first line, the text before the other lines, and the style.
 */
interface PrintOptions {
  readonly indent?: string;
  readonly first?: string;
  readonly style?: Style;
}

const margin = '         ';
const widestLine = 80;
const widestBar = 32;

/** Prints the day: plain in a pipe, coloured and wrapped on a terminal. */
export class Narrator {
  /** How many characters a bar may have at most. */
  readonly barWidth: number;
  readonly #out: Output;
  readonly #color: boolean;
  readonly #isTerminal: boolean;
  readonly #wire: boolean;
  readonly #width: number;

  constructor(out: Output, { color, wire }: { color: boolean; wire: boolean }) {
    this.#out = out;
    this.#color = color;
    this.#isTerminal = out.isTTY === true;
    this.#wire = wire;
    this.#width = this.#isTerminal ? Math.min(columnsOf(out), widestLine) : Infinity;
    this.barWidth = Math.max(
      1,
      Math.min(widestBar, this.#width - margin.length - 'received    9.9 of 9.9 MB'.length),
    );
  }

  title(text: string, subtitle: string): void {
    this.#write('\n');
    this.#print(`${this.#paint('bold', text)}  ${this.#paint('dim', subtitle)}`, { indent: '' });
  }

  /** Starts a chapter, with the time of the marketplace. */
  heading(text: string, ms: number): void {
    this.#write('\n');
    this.#print(text, {
      indent: margin,
      first: `  ${this.#paint('dim', timeIn(ms))}  `,
      style: ['bold', 'cyan'],
    });
  }

  /** Prints a line. */
  line(text: string): void {
    this.#print(text);
  }

  /** Prints a call as you would write it in a program. */
  code(text: string): void {
    for (const line of text.split('\n')) this.#print(line, { style: 'magenta' });
  }

  /** Prints what a person writes, and optionally what it is about. */
  quote(who: string, about: string, text: string): void {
    const topic = about === '' ? '' : `${this.#paint('dim', about.padEnd(10))} `;
    this.#print(`${this.#paint('yellow', who.padEnd(10))} ${topic}${text}`);
  }

  good(text: string): void {
    this.#print(text, { indent: `${margin}  `, first: `${margin}${this.#paint('green', '✓')} ` });
  }

  bad(text: string): void {
    this.#print(text, { indent: `${margin}  `, first: `${margin}${this.#paint('red', '✗')} ` });
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
    const bar = '█'.repeat(Math.floor((bytes / total) * this.barWidth)).padEnd(this.barWidth, '░');
    const size = `${megabytes(bytes)} of ${megabytes(total)} MB`;
    const text = `${what.padEnd(10)} ${this.#paint('cyan', bar)} ${size}`;
    this.#write(`${this.#isTerminal ? '\r' : ''}${margin}${text}${isComplete ? '\n' : ''}`);
  }

  end(): void {
    this.#write('\n');
    if (this.#wire) return;
    this.#print('To see requests and responses: npm start -- --wire', { indent: '', style: 'dim' });
    this.#write('\n');
  }

  /** Prints each request and its response if `--wire` is given. Pass it to clients as a middleware. */
  readonly wire: Middleware = async ({ request }, next) => {
    if (!this.#wire) return next(request);
    const { pathname, search } = new URL(request.url);
    const sent = isText(request) ? await request.clone().text() : '(a file)';
    const response = await next(request);
    this.#printMessage('→', `${request.method} ${decodeURIComponent(pathname + search)} ${sent}`);
    this.#printMessage(
      '←',
      `${response.status} ${isText(response) ? await response.clone().text() : '(a file)'}`,
    );
    return response;
  };

  #printMessage(arrow: string, text: string): void {
    const line = text.trim().replace(/\s+/g, ' ');
    const shown = line.length > 160 ? `${line.slice(0, 160)}…` : line;
    this.#print(`${arrow} ${shown}`, { style: 'dim' });
  }

  /** Prints a text in lines that fit the terminal: the first after `first`, the others after `indent`. */
  #print(text: string, { indent = margin, first = indent, style }: PrintOptions = {}): void {
    wrap(text, this.#width - indent.length).forEach((line, index) => {
      const painted = style === undefined ? line : this.#paint(style, line);
      this.#write(`${`${index === 0 ? first : indent}${painted}`.trimEnd()}\n`);
    });
  }

  #paint(style: Style, text: string): string {
    return this.#color ? styleText(style, text, { validateStream: false }) : text;
  }

  #write(text: string): void {
    this.#out.write(text);
  }
}

/** Returns the width of a terminal. Some terminals report 0 columns. */
function columnsOf({ columns = 0 }: Output): number {
  return columns > 0 ? columns : widestLine;
}

function isText({ headers }: Request | Response): boolean {
  return /json|text/.test(headers.get('content-type') ?? 'text');
}

/** Splits a text between words into lines of at most `width` visible characters. Splits a longer word. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').flatMap((each) => pieces(each, width))) {
    const last = lines.at(-1);
    if (last !== undefined && visibleLength(`${last} ${word}`) <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function pieces(word: string, width: number): string[] {
  if (visibleLength(word) <= width) return [word];
  return Array.from({ length: Math.ceil(word.length / width) }, (_, at) =>
    word.slice(at * width, (at + 1) * width),
  );
}

function visibleLength(text: string): number {
  return stripVTControlCharacters(text).length;
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
