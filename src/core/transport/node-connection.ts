import type { Agent, ClientRequest } from 'node:http';
import type { Socket } from 'node:net';

/** The time limit for opening a connection, in milliseconds. The platform's `fetch` has the same limit. */
const connectTimeoutMs = 10_000;

/**
 * Waits for the next turn of the event loop. Fake timers of test runners may never call back, so the real
 * `setImmediate` is kept from the start. If it was already replaced (the fakes of Sinon, Jest and Vitest have a
 * `clock`), there is no wait.
 */
const nextTurn = 'clock' in setImmediate ? (turn: () => void): void => turn() : setImmediate;

/**
 * Calls `ready` when the connection of a request is open. Before that nothing is sent, so an error of the request is an
 * error of the connection.
 */
export function whenConnected(outgoing: ClientRequest, ready: () => void): void {
  // Every TLS socket has `secureConnecting`, but the types do not declare it.
  outgoing.on('socket', (socket: Socket & { secureConnecting?: boolean }) => {
    if (socket.connecting || socket.secureConnecting === true) whenOpened(outgoing, socket, ready);
    else whenAlive(outgoing, socket, ready);
  });
}

/** A shorter turn of the event loop only polled for events; in milliseconds. */
const shortTurnMs = 0.25;
const maxTurns = 4;

/**
 * Calls `ready` when a reused connection is still open and silent. Bytes that arrive before are no response to this request,
 * because nothing was sent, so they end it.
 *
 * Node.js notices what has happened to an idle connection only when it polls for events. One turn of the event loop may
 * begin after the poll, and a long turn means that the last poll was long ago, so it waits for a short turn. Without this,
 * the outcome of a fifth of the writes is unknown if a server closes idle connections early; with it, fewer than with the
 * platform's `fetch` (`npm run soak`).
 */
function whenAlive(outgoing: ClientRequest, socket: Socket, ready: () => void): void {
  let turns = 0;
  let last = performance.now();
  const { bytesRead } = socket;
  const turn = (): void => {
    if (outgoing.destroyed || socket.destroyed) return;
    const now = performance.now();
    turns += 1;
    if (turns === maxTurns || (turns > 1 && now - last < shortTurnMs)) {
      if (socket.bytesRead === bytesRead) ready();
      else outgoing.destroy();
      return;
    }
    last = now;
    nextTurn(turn);
  };
  nextTurn(turn);
}

/**
 * Closes the idle connections to the host of a request that was lost on a reused connection, so that the next request opens
 * a new one: a router that has forgotten one connection has probably forgotten all, and sends no packet about it.
 */
export function closeIdleConnections(lost: ClientRequest & { readonly agent?: Agent | undefined }): void {
  if (!lost.reusedSocket) return;
  for (const [name, sockets = []] of Object.entries(lost.agent?.freeSockets ?? {}))
    if (name.startsWith(`${lost.host}:`)) for (const socket of [...sockets]) socket.destroy();
}

function whenOpened(outgoing: ClientRequest, socket: Socket, ready: () => void): void {
  const timer = setTimeout(() => {
    const error = new Error(`no connection was made within ${connectTimeoutMs} ms`);
    outgoing.destroy(Object.assign(error, { code: 'ETIMEDOUT', syscall: 'connect' }));
  }, connectTimeoutMs);
  socket.once('close', () => {
    clearTimeout(timer);
  });
  socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
    clearTimeout(timer);
    ready();
  });
}
