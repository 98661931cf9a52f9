import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';

/** How long a connection may take to open, in milliseconds: as long as with the platform's `fetch`. */
const connectTimeoutMs = 10_000;

/**
 * The next turn of the event loop. Test runners replace `setImmediate` by one that never calls back: the real one is kept
 * from the start. If it was replaced before (the fakes of Sinon, Jest and Vitest have a `clock`), nothing is waited for.
 */
const nextTurn = 'clock' in setImmediate ? (turn: () => void): void => turn() : setImmediate;

/**
 * Calls `ready` when the connection of a request stands. Until then nothing has been sent; an error of the request is
 * then an error of the connection.
 */
export function whenConnected(outgoing: ClientRequest, ready: () => void): void {
  outgoing.on('socket', (socket) => {
    if (isConnected(socket)) whenAlive(outgoing, socket, ready);
    else whenOpened(outgoing, socket, ready);
  });
}

/** `secureConnecting` is there on every TLS socket, and in no declaration. */
function isConnected(socket: Socket & { secureConnecting?: boolean }): boolean {
  return !socket.connecting && socket.secureConnecting !== true;
}

/** A turn of the event loop that is shorter than this had nothing else to do than to poll, in milliseconds. */
const shortTurnMs = 0.25;
const maxTurns = 4;

/**
 * An idle connection that the server has closed is only seen as closed after Node has polled for events. One turn of the
 * event loop is not enough where it begins behind the poll, and after a long turn the poll is long ago. Without this, a
 * fifth of the writes to a server that closes idle connections early end as unknown; with it, fewer than with the
 * platform's `fetch` (`npm run soak`).
 */
function whenAlive(outgoing: ClientRequest, socket: Socket, ready: () => void): void {
  let turns = 0;
  let last = performance.now();
  const turn = (): void => {
    if (outgoing.destroyed || socket.destroyed) return;
    const now = performance.now();
    turns += 1;
    if (turns === maxTurns || (turns > 1 && now - last < shortTurnMs)) {
      ready();
      return;
    }
    last = now;
    nextTurn(turn);
  };
  nextTurn(turn);
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
