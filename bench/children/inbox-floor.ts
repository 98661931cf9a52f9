// What an inbox costs at least, written by hand for one store: it stores what it has not seen before, responds 200, calls
// a handler, and notes that it was handled. No order, no leases, no retries, no limits of the store. With `floor`, it has no
// checks either; with `checked`, it is the store behind an inbox of this library, which checks, parses and identifies.
// node inbox-floor.ts <bare | add | work | memory | sqlite> <database, or Redis for `add` and a worker of BullMQ> <floor | checked>
import { createServer } from 'node:http';
import type { RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type * as Library from 'marketplace-seller-sdk/inbox';
import type { InnerStore } from '../../src/work/store.js';
import type * as Stores from 'marketplace-seller-sdk/stores';
import { here } from '../measure.ts';
import { Queue, Worker } from 'bullmq';
import { HandledOrder } from './handled-order.ts';
import { redisOf } from './redis-queue.ts';

interface Delivery {
  readonly id: string;
  readonly body: string;
  readonly accept: () => void;
}

/** Stores new notifications, or notes that they were handled; those of one turn of the event loop together. */
interface Floor {
  add(deliveries: readonly Delivery[]): unknown;
  done(ids: readonly string[]): unknown;
}

const [kind = '', path = '', mode = ''] = process.argv.slice(2);
const order = new HandledOrder();
const handled = new Set<string>();
let pending = 0;

function memory(): Floor {
  const waiting = new Map<string, string>();
  const known = new Set<string>();
  return {
    add: (deliveries) => {
      for (const { id, body } of deliveries) if (!known.has(id)) waiting.set(id, body);
    },
    done: (ids) => {
      for (const id of ids) if (waiting.delete(id)) known.add(id);
    },
  };
}

async function sqlite(): Promise<Floor> {
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(path);
  db.exec('PRAGMA journal_mode = WAL');
  db.exec('CREATE TABLE inbox (id TEXT PRIMARY KEY, entry TEXT) WITHOUT ROWID');
  const insert = db.prepare('INSERT OR IGNORE INTO inbox VALUES (?, ?)');
  const update = db.prepare('UPDATE inbox SET entry = NULL WHERE id = ?');
  // Only what is acknowledged waits for the disk.
  const together = (synchronous: 'FULL' | 'NORMAL', run: () => void): void => {
    db.exec(`PRAGMA synchronous = ${synchronous}; BEGIN IMMEDIATE`);
    run();
    db.exec('COMMIT');
  };
  return {
    add: (deliveries) => together('FULL', () => deliveries.forEach(({ id, body }) => insert.run(id, body))),
    done: (ids) => together('NORMAL', () => ids.forEach((id) => update.run(id))),
  };
}

const stores: Readonly<Record<string, () => Floor | Promise<Floor>>> = { memory, sqlite };
const store = await stores[kind]?.();
const queue = ['add', 'work'].includes(kind) ? new Queue('notifications', { connection: redisOf(path) }) : undefined;
if (kind === 'work') {
  // A worker of BullMQ alone: no order, no retries, nothing checked.
  const work = async ({ data }: { data: { sent?: string; resource?: string } }): Promise<void> => {
    order.note(data.resource ?? '', Date.parse(data.sent ?? ''));
    pending -= 1;
  };
  new Worker('notifications', work, { connection: redisOf(path), concurrency: 32 });
}
let arrived: Delivery[] = [];

async function flush(): Promise<void> {
  const deliveries = arrived;
  arrived = [];
  await store?.add(deliveries);
  for (const { accept } of deliveries) accept();
  for (const { id } of deliveries) handled.add(id);
  await store?.done(deliveries.map(({ id }) => id));
  pending -= deliveries.length;
}

function arrive(delivery: Delivery): void {
  pending += 1;
  if (arrived.push(delivery) === 1) setImmediate(() => void flush());
}

function respond(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/plain', 'content-length': 8 }).end('Accepted');
}

const unchecked: RequestListener = (request, response) => {
  if (!store && !queue) {
    request.resume().once('end', () => respond(response));
    return;
  }
  let body = '';
  request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
  request.once('end', () => {
    const { _id: id } = JSON.parse(body) as { _id: string };
    if (kind === 'work') pending += 1;
    if (queue)
      void queue
        .add('notification', JSON.parse(body), { jobId: id, removeOnComplete: { count: 10_000 } })
        .then(() => respond(response));
    else arrive({ id, body, accept: () => respond(response) });
  });
};

async function checked(): Promise<RequestListener> {
  // The built package, as users load it.
  const built: unknown = await import(here('../dist/esm/notifications/index.js'));
  const { createInbox, nodeHandler } = built as typeof Library;
  const stores: unknown = await import(here('../dist/esm/stores.js'));
  const { memoryStore } = stores as typeof Stores;
  const add: InnerStore['add'] = ({ key, data }) =>
    new Promise((resolve) => arrive({ id: key, body: JSON.stringify(data), accept: () => resolve('added') }));
  return nodeHandler(createInbox({ store: Object.assign(memoryStore(), { add }), on: { questions: () => undefined } }));
}

const server = createServer(mode === 'checked' ? await checked() : unchecked).listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});

process.on('message', (message) => void (message === 'order' ? reportOrder() : reportCpu()));

async function reportOrder(): Promise<void> {
  while (pending > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  process.send?.(order.report());
}

/** The microseconds of CPU that this process has used, once everything is handled. */
async function reportCpu(): Promise<void> {
  while (pending > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
}
