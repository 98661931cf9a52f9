import { appendFile, writeFile } from 'node:fs/promises';
import { createRecorder } from '../../testing/tape/recorder.js';
import { TapeWriter } from '../../testing/tape/tape.js';
import type { Command } from '../command.js';
import { CliError, UsageError } from '../errors.js';
import { listenOrFail } from '../listen-or-fail.js';

/** `fake record`: a proxy to the service that writes a tape. */
export const fakeRecord: Command = {
  name: 'fake record',
  summary: `Forwards requests to a service, and writes them with the responses to a tape: one line of JSON per
exchange. Only what the schemas say to be an enumerated value, a date, a count, true or false stays; ids are
replaced, and all else is masked. An exchange that cannot be read is passed on and not written.`,
  options: {
    upstream: { value: 'URL', text: 'base URL of the service; required' },
    tape: { value: 'FILE', text: 'file to write; an existing one is replaced', default: 'tape.jsonl' },
    'keep-ids': { text: 'write ids as they are, e.g. of test users' },
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
    const writer = new TapeWriter();
    const append = (line: string): void => {
      written = written.then(() => appendFile(tape, line));
    };
    const recorder = createRecorder(upstream, {
      write: (exchange) => append(writer.line(exchange)),
      skipped: (reason) => io.err(reason),
      keepsIds: values.has('keep-ids'),
    });
    const server = await listenOrFail(recorder, { port: values.port(), host });
    const ended = io.ended();
    io.out(`Recording ${upstream} at ${server.url} to ${tape}\nPress Ctrl+C to stop.`);
    await ended;
    await server.close();
    append(writer.end());
    await written;
    io.out(`${writer.count} exchanges are on ${tape}`);
    return 0;
  },
};
