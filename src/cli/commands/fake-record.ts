import { appendFile, writeFile } from 'node:fs/promises';
import { createRecorder } from '../../testing/tape/recorder.js';
import type { Command } from '../command.js';
import { CliError, UsageError } from '../errors.js';
import { listenOrFail } from '../listen-or-fail.js';

/** `fake record`: a proxy to the service that writes a tape. */
export const fakeRecord: Command = {
  name: 'fake record',
  summary: `Forwards requests to a service, and writes them with the responses to a tape: one line of JSON per
exchange, without tokens, texts of people, e-mail addresses and phone numbers.`,
  options: {
    upstream: { value: 'URL', text: 'base URL of the service; required' },
    tape: { value: 'FILE', text: 'file to write; an existing one is replaced', default: 'tape.jsonl' },
    port: { value: 'NUMBER', text: 'port to listen on; 0 picks a free port', default: '4011' },
    host: { value: 'ADDRESS', text: 'address to listen on', default: '127.0.0.1' },
  },
  run: async (values, io) => {
    const [upstream = '', tape = '', host = ''] = [values.text('upstream'), values.text('tape'), values.text('host')];
    if (!/^https?:\/\//.test(upstream) || !URL.canParse(upstream))
      throw new UsageError('--upstream must be the base URL of the service, e.g. https://api.example.com');
    await writeFile(tape, '').catch((error: unknown) => {
      throw new CliError(`cannot write ${tape}: ${String((error as { code?: string }).code)}`);
    });
    let written = Promise.resolve();
    let count = 0;
    const recorder = createRecorder(upstream, (exchange) => {
      count += 1;
      written = written.then(() => appendFile(tape, `${JSON.stringify(exchange)}\n`));
    });
    const server = await listenOrFail(recorder, { port: values.port(), host });
    io.out(`Recording ${upstream} at ${server.url} to ${tape}\nPress Ctrl+C to stop.`);
    await io.ended();
    await server.close();
    await written;
    io.out(`${count} exchanges are on ${tape}`);
    return 0;
  },
};
