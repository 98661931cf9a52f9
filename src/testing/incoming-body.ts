import type { IncomingMessage } from 'node:http';

/** Larger than the maximum upload of 25 MB, which the handler checks. */
const maxBodyBytes = 64 * 1024 * 1024;

/**
 * Returns the chunks of a body. It fails if the body is larger than any upload; `content-length` may be missing, so the
 * bytes are counted.
 */
export async function* chunksOf(incoming: IncomingMessage): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  // Destroying the request would close the connection before the response is sent.
  const chunks: AsyncIterable<Uint8Array> = incoming.iterator({ destroyOnReturn: false });
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > maxBodyBytes) throw new Error('the body is too large');
    yield chunk;
  }
}

/** Returns the chunks as a stream. Cancelling it does not end the connection, which still has to send the response. */
export function toStream(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await chunks.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
  });
}

/**
 * Reads and discards the rest of a request while its response is sent: a client may write all of it before it reads,
 * and may send its next request on the same connection.
 */
export async function discardRest(
  body: AsyncGenerator<Uint8Array>,
  incoming: IncomingMessage,
  sent: Promise<void>,
): Promise<void> {
  const { socket } = incoming;
  // For `connection: close`, Node closes the connection after the response. Unread bytes would turn this into a reset,
  // by which the client can lose the response. So only the sending direction is closed until they are read.
  socket.destroySoon = () => void socket.end();
  await Promise.allSettled([sent, readAll(body)]);
  Reflect.deleteProperty(socket, 'destroySoon');
  if (socket.writableEnded || !incoming.complete) socket.destroySoon();
}

async function readAll(chunks: AsyncGenerator<Uint8Array>): Promise<void> {
  for (let next = await chunks.next(); !next.done;) next = await chunks.next();
}
