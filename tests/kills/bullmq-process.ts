// An application in its own process: it receives over HTTP, adds jobs to BullMQ, handles them, and appends each handled question
// to a file. Its options are those of examples/notifications-bullmq.ts, with shorter times.
// node bullmq-process.js <socket of Redis> <notes> <how long a handling takes, in ms> [how many it ends]
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import { bullmqProcessor, bullmqQueue, createReceiver, nodeHandler } from 'marketplace-seller-sdk/notifications';
import type { QueuedNotification } from 'marketplace-seller-sdk/notifications';

const [path = '', notes = '', takesMs = '0', atMost = 'Infinity'] = process.argv.slice(2);
const connection = { path, maxRetriesPerRequest: null };
const queue = new Queue<QueuedNotification>('notifications', { connection });
let handled = 0;
const receiver = createReceiver({
  queue: bullmqQueue(queue),
  acceptTimeoutMs: 5_000,
  on: {
    questions: async ({ question_id }) => {
      await pause(Number(takesMs));
      if ((handled += 1) > Number(atMost)) await new Promise(() => {});
      appendFileSync(notes, `${process.pid} ${question_id}\n`);
    },
  },
});
const worker = new Worker<QueuedNotification>('notifications', bullmqProcessor(receiver), {
  connection,
  concurrency: 4,
  maxStalledCount: 1_000_000,
  lockDuration: 3_000,
  stalledInterval: 500,
});
worker.on('error', () => {});
const server = createServer(nodeHandler(receiver)).listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
