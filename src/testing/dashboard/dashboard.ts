import type { FakeMarketplace } from '../marketplace.js';
import { FakeMarketplaceError } from '../errors.js';
import { SeedError } from '../seed/schema.js';
import { files, page as html } from './assets.js';
import { controls } from './controls.js';
import { denyReason } from './access.js';
import type { Kind } from './access.js';
import { RequestLog } from './request-log.js';
import { snapshot } from './snapshot.js';
import { EventStream } from './event-stream.js';

/** How the page of a marketplace is set up. */
export interface DashboardOptions {
  /** What control calls carry as `x-fake-token`: 16 or more letters, digits, `-` and `_`. Made up unless given. */
  readonly controlToken?: string | undefined;
  /** Names under which the page may be opened, beside `localhost` and IP addresses. */
  readonly names?: readonly string[] | undefined;
  /** Makes the marketplace that stands there after a reset. Without it there is no reset. */
  readonly create?: (() => FakeMarketplace) | undefined;
}

const guardedHeaders = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** A marketplace with a page at `/` that shows what comes in, and controls under `/__fake/`. */
export class Dashboard {
  /** What control calls carry as `x-fake-token`. */
  readonly controlToken: string;
  readonly journal = new RequestLog();
  readonly #names: readonly string[];
  readonly #anew: (() => FakeMarketplace) | undefined;
  readonly #telling: EventStream;
  #marketplace: FakeMarketplace;
  #deafen: () => void;

  /** @throws {FakeMarketplaceError} when the control token would not be hard to guess, or not fit a header. */
  constructor(marketplace: FakeMarketplace, { controlToken = madeUp(), names = [], create }: DashboardOptions = {}) {
    if (!/^[\w-]{16,}$/.test(controlToken))
      throw new FakeMarketplaceError('a control token has 16 or more letters, digits, - and _');
    this.controlToken = controlToken;
    this.#names = names;
    this.#anew = create;
    this.#marketplace = marketplace;
    this.#telling = new EventStream(this.journal, () => snapshot(this.#marketplace));
    this.#deafen = marketplace.events.on(() => this.#telling.changed());
  }

  /** Answers a request: the page and its controls itself, everything else as the marketplace does. */
  readonly fetch = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (pathname === '/' && request.method === 'GET') return this.#guarded(request, 'document', () => this.#document());
    const file = files.get(pathname);
    if (file) return this.#guarded(request, 'asset', () => answer(file.text, file.type));
    if (pathname.startsWith('/__fake/'))
      return this.#guarded(request, 'control', () => this.#control(request, pathname));
    return this.journal.watch(request, this.#marketplace.accounts, () => this.#marketplace.fetch(request));
  };

  async #guarded(request: Request, kind: Kind, respond: () => Response | Promise<Response>): Promise<Response> {
    const against = denyReason(request, { controlToken: this.controlToken, names: this.#names }, kind);
    return against === undefined ? respond() : refused(403, against);
  }

  #document(): Response {
    return answer(html.replace('{{controlToken}}', this.controlToken), 'text/html; charset=utf-8');
  }

  async #control(request: Request, path: string): Promise<Response> {
    switch (`${request.method} ${path}`) {
      case 'GET /__fake/events':
        return new Response(this.#telling.stream(), {
          headers: { ...guardedHeaders, 'content-type': 'text/event-stream' },
        });
      case 'GET /__fake/state':
        return json(snapshot(this.#marketplace));
      case 'GET /__fake/requests':
        return json({ requests: this.journal.all });
      case 'DELETE /__fake/requests':
        this.journal.clear();
        this.#telling.cleared();
        return json({});
      case 'POST /__fake/reset':
        return this.#reset();
      default:
        return this.#act(request, path);
    }
  }

  /** A new marketplace takes the place of the one that was there. */
  #reset(): Response {
    if (!this.#anew)
      return refused(409, 'This marketplace belongs to the program that serves it, which alone can start it anew.');
    this.#deafen();
    this.#marketplace = this.#anew();
    this.#deafen = this.#marketplace.events.on(() => this.#telling.changed());
    this.journal.clear();
    this.#telling.cleared();
    return json({});
  }

  async #act(request: Request, path: string): Promise<Response> {
    const act = Object.hasOwn(controls, `${request.method} ${path}`) && controls[`${request.method} ${path}`];
    if (!act) return refused(404, 'There is no such control; the guide "The fake as a server" lists them.');
    try {
      const text = await request.text();
      return json(act(this.#marketplace, text === '' ? {} : JSON.parse(text)) ?? {});
    } catch (error) {
      if (error instanceof SeedError || error instanceof FakeMarketplaceError) return refused(400, sayingOf(error));
      if (error instanceof SyntaxError) return refused(400, 'The body is not JSON.');
      throw error;
    } finally {
      this.#telling.changed();
    }
  }
}

function sayingOf(error: Error): string {
  return error.message.replace(/^FakeMarketplace: /, '');
}

function madeUp(): string {
  return crypto.randomUUID().replaceAll('-', '');
}

function answer(text: string, type: string): Response {
  return new Response(text, { headers: { ...guardedHeaders, 'content-type': type } });
}

function json(value: unknown): Response {
  return Response.json(value, { headers: guardedHeaders });
}

function refused(status: number, message: string): Response {
  return Response.json({ message }, { status, headers: guardedHeaders });
}
