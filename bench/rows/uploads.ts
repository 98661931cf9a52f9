import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen } from '../../tests/support/listen.ts';
import { child, compare } from '../measure.ts';
import type { Row } from '../measure.ts';

const megabyte = 1024 * 1024;

interface Transfer {
  readonly peak: number;
  readonly growth: number;
  readonly seconds: number;
}
type Transfers = Readonly<Record<string, readonly Transfer[]>>;

const platform = "the platform's streaming fetch";
const library = 'marketplace-seller-sdk';

/** Memory and speed of files up and down, beside the platform's own streaming fetch of the same bytes. */
export async function uploads(runs = 9): Promise<Row[]> {
  return withServer(async (url, folder) => {
    // The most an upload may have is 25 MiB.
    const small = fileOf(25, folder);
    const large = fileOf(250, folder);
    const up = await measured(url, runs, { platform: ['platform upload', small], library: ['upload', small] });
    const upLarge = await measured(url, runs, { platform: ['platform upload', large], library: ['upload', large] });
    const down = await measured(url, runs, { platform: ['platform download', '25'], library: ['download', '25'] });
    const downLarge = await measured(url, runs, {
      platform: ['platform download', '250'],
      library: ['download', '250'],
    });
    return [
      peaks('peak memory of a 25 MB upload from disk', up),
      peaks('peak memory of a 25 MB download', down),
      speeds('speed of an upload of 250 MB', upLarge),
      speeds('speed of a download of 250 MB', downLarge),
      growths('growth of memory in an upload, by its size', up, upLarge),
      growths('growth of memory in a download, by its size', down, downLarge),
    ];
  });
}

function fileOf(megabytes: number, folder: string): string {
  const file = join(folder, `${megabytes}.pdf`);
  writeFileSync(file, Buffer.alloc(megabytes * megabyte, 'x'));
  return file;
}

function peaks(title: string, { platform: theirs = [], library: own = [] }: Transfers): Row {
  const peak = (all: readonly Transfer[]): number[] => all.map((each) => each.peak);
  const figures = compare({ [platform]: peak(theirs), [library]: peak(own) });
  return { title, unit: 'MiB', figures, goal: 'at most 1.1 of the platform' };
}

function speeds(title: string, { platform: theirs = [], library: own = [] }: Transfers): Row {
  const speed = (all: readonly Transfer[]): number[] => all.map(({ seconds }) => 250 / seconds);
  const figures = compare({ [platform]: speed(theirs), [library]: speed(own) });
  return { title, unit: 'MiB/s', figures, goal: 'at least 0.9 of the platform' };
}

function growths(title: string, small: Transfers, large: Transfers): Row {
  const growth = (all: readonly Transfer[] = []): number[] => all.map((each) => each.growth);
  const figures = compare({
    '25 MB': growth(small.library),
    '250 MB': growth(large.library),
    '250 MB by the platform': growth(large.platform),
  });
  return {
    title,
    unit: 'MiB',
    figures,
    goal: "at most twice as much for 250 MB as for 25 MB; the platform's own streams do not reach that either",
  };
}

/** How the library compares with the platform: the peak of 25 MB up, and how memory grows with 250 MB up and down. */
export async function transferRatios(): Promise<{ peak: number; upload: number; download: number }> {
  const rows = await uploads(5);
  const ratio = (row: number, of: number, to: number): number => {
    const { figures } = rows[row] ?? { figures: [] };
    return (figures[of]?.value ?? Number.NaN) / (figures[to]?.value ?? Number.NaN);
  };
  return { peak: ratio(0, 1, 0), upload: ratio(4, 1, 2), download: ratio(5, 1, 2) };
}

/** Interleaved runs, each in a fresh process. */
async function measured(
  url: string,
  runs: number,
  ways: Readonly<Record<string, readonly [string, string]>>,
): Promise<Transfers> {
  const all: Record<string, Transfer[]> = {};
  for (let run = 0; run < runs; run += 1) {
    for (const [who, [way, what]] of Object.entries(ways)) {
      (all[who] ??= []).push(await child<Transfer>('children/transfer.mjs', way, url, what));
    }
  }
  return all;
}

async function withServer<T>(work: (url: string, folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'transfers-'));
  const server = createServer((request, response) => void answer(request, response));
  const { url, close } = await listen(server);
  try {
    return await work(url, folder);
  } finally {
    await close();
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
