import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { API } from 'typescript-native/unstable/async';
import type { Project } from 'typescript-native/unstable/async';
import { createTypedProject } from '../../tools/typed-project.ts';

/** Lines and characters begin with 0. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

/** What an editor knows of files that import this package. It asks the compiler by the language server protocol. */
export interface Editor {
  /** Opens a file. */
  readonly open: (name: string, text: string) => void;
  /** Asks about an open file, e.g. `textDocument/hover` at a position. */
  readonly ask: <T>(method: string, name: string, position?: Position) => Promise<T>;
  /** The types of an open file and of what it imports. */
  readonly projectOf: (name: string) => Promise<Project>;
  readonly close: () => Promise<void>;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** Starts the language server in a temporary folder. */
export async function startEditor(root: string): Promise<Editor> {
  const folder = createTypedProject(root, {});
  const compiler = [join(root, 'tools/tsc.mjs'), '--lsp', '--stdio'];
  const server = spawn(process.execPath, compiler, { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting: PromiseWithResolvers<unknown>[] = [];
  const send = (message: object): void => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  };
  const request = (method: string, params?: object): Promise<unknown> => {
    send({ id: waiting.length, method, params });
    waiting.push(Promise.withResolvers());
    return waiting.at(-1)!.promise;
  };
  server.stdout.on(
    'data',
    messages((message) => {
      // A question of the server: it takes that nothing is set.
      if (message.method !== undefined && message.id !== undefined) send({ id: message.id, result: null });
      else if (message.error) waiting[message.id ?? 0]?.reject(new Error(message.error.message));
      else if (message.id !== undefined) waiting[message.id]?.resolve(message.result);
    }),
  );
  server.once('exit', () => waiting.forEach(({ reject }) => reject(new Error('The language server has ended'))));

  const uriOf = (name: string): string => pathToFileURL(join(folder, name)).href;
  const capabilities = { textDocument: { hover: { contentFormat: ['markdown'] } } };
  await request('initialize', { processId: process.pid, rootUri: pathToFileURL(folder).href, capabilities });
  send({ method: 'initialized', params: {} });
  const openSession = async () => {
    const { pipe } = (await request('custom/initializeAPISession', {})) as { pipe: string };
    return { pipe, api: await API.fromLSPConnection({ pipe }) };
  };
  let session: ReturnType<typeof openSession> | undefined;
  return {
    open: (name, text) => {
      const textDocument = { uri: uriOf(name), languageId: 'typescript', version: 1, text };
      send({ method: 'textDocument/didOpen', params: { textDocument } });
    },
    ask: <T>(method: string, name: string, position?: Position) =>
      request(method, { textDocument: { uri: uriOf(name) }, position }) as Promise<T>,
    projectOf: async (name) => {
      session ??= openSession();
      const { api } = await session;
      const project = await (await api.updateSnapshot()).getDefaultProjectForFile(join(folder, name));
      if (!project) throw new Error(`${name} is not open`);
      return project;
    },
    close: async () => {
      const { api, pipe } = (await session) ?? {};
      await api?.close();
      await request('shutdown');
      send({ method: 'exit' });
      await once(server, 'close');
      // The server leaves its socket.
      if (pipe !== undefined && process.platform !== 'win32') rmSync(pipe, { force: true });
      rmSync(folder, { recursive: true });
    },
  };
}

/** Takes the messages out of the bytes of the protocol. */
function messages(take: (message: Message) => void): (bytes: Buffer) => void {
  let received = Buffer.alloc(0);
  return (bytes) => {
    received = Buffer.concat([received, bytes]);
    for (;;) {
      const end = received.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/.exec(received.toString('latin1', 0, Math.max(end, 0)))?.[1]);
      if (end < 0 || received.length < end + 4 + length) return;
      const text = received.toString('utf8', end + 4, end + 4 + length);
      received = received.subarray(end + 4 + length);
      take(JSON.parse(text) as Message);
    }
  };
}
