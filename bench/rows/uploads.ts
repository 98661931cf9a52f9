import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { child, compare } from '../measure.ts';
import type { Row } from '../measure.ts';

const megabyte = 1024 * 1024;
const runs = 5;

/** Peak memory of an upload of 25 MB from disk beside the platform's own streaming fetch, in MiB. */
export async function uploads(): Promise<Row[]> {
  return withServer(async (url, folder) => {
    const file = join(folder, 'file.pdf');
    // The most an upload may have: 25 MiB.
    writeFileSync(file, Buffer.alloc(25 * megabyte, 'x'));
    const up = await peaks(url, { 'platform upload': file, upload: file });
    return [
      {
        title: 'peak memory of a 25 MB upload from disk',
        unit: 'MiB',
        figures: compare({
          "the platform's streaming fetch": up['platform upload']!,
          'marketplace-seller-sdk': up.upload!,
        }),
        goal: 'within 1.1 of the platform',
      },
      {
        title: 'peak memory of a download that is streamed, by its size',
        unit: 'MiB',
        figures: compare({
          // Up to some 300 MB it is the garbage collector's patience that grows, with any stream.
          '400 MB': await downloads(url, 'download', 400),
          '1,200 MB': await downloads(url, 'download', 1200),
          "400 MB by the platform's fetch": await downloads(url, 'platform download', 400),
        }),
        goal: 'does not grow',
      },
    ];
  });
}

/** How much more memory an upload of 25 MB takes at its peak than the platform's own, and a download of 1,200 MB than of 400. */
export async function transferRatios(): Promise<{ upload: number; download: number }> {
  const [up, down] = await uploads();
  return { upload: up?.figures[1]?.ratio ?? Number.NaN, download: down?.figures[1]?.ratio ?? Number.NaN };
}

async function downloads(url: string, who: string, megabytes: number): Promise<number[]> {
  return (await peaks(url, { [who]: String(megabytes) }))[who] ?? [];
}

/** Peaks of interleaved runs, each in a fresh process. */
async function peaks(url: string, ways: Readonly<Record<string, string>>): Promise<Record<string, number[]>> {
  const measured: Record<string, number[]> = {};
  for (let run = 0; run < runs; run += 1) {
    for (const [who, what] of Object.entries(ways)) {
      const { peak } = await child<{ peak: number }>('children/transfer.mjs', who, url, what);
      (measured[who] ??= []).push(peak);
    }
  }
  return measured;
}

async function withServer<T>(work: (url: string, folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'transfers-'));
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, folder);
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  }
}

/** Takes any upload; gives a file of as many megabytes as its id says. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'POST') {
    request.resume();
    await once(request, 'end');
    response.end('{"id":"a"}');
    return;
  }
  const megabytes = Number(/attachments\/(\d+)/.exec(request.url ?? '')?.[1]);
  response.writeHead(200, { 'content-length': megabytes * megabyte });
  const piece = Buffer.alloc(megabyte, 'x');
  for (let sent = 0; sent < megabytes; sent += 1) {
    if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
  }
  response.end();
}
