// In a process of its own: an HTTP service that closes each connection a few milliseconds after a response, by its first
// argument politely (`close`) or with a reset (`reset`), and tells its port.
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

const isReset = process.argv[2] === 'reset';
const body = '{"id":42}';
const response = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

const server = createServer((socket) => {
  let received = '';
  let timer: NodeJS.Timeout | undefined;
  socket.setNoDelay().on('error', () => undefined);
  socket.on('close', () => clearTimeout(timer));
  socket.on('data', (bytes) => {
    clearTimeout(timer);
    received += String(bytes);
    const [head = '', sent = ''] = received.split('\r\n\r\n');
    if (!received.includes('\r\n\r\n') || sent.length < Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)) return;
    received = '';
    socket.write(response);
    timer = setTimeout(() => (isReset ? socket.resetAndDestroy() : socket.destroy()), 5);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
