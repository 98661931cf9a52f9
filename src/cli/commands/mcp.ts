import { didYouMean } from '../../core/options/nearest.js';
import { createTools } from '../../tools/create-tools.js';
import type { Tool } from '../../tools/create-tools.js';
import { createServer, serveOnStdio } from '../mcp/server.js';
import type { Command } from '../command.js';
import { connect, connectionOptions } from '../connection.js';
import { CliError, UsageError } from '../errors.js';
import type { Values } from '../options.js';

/** `mcp`: serves the operations as tools of the Model Context Protocol. */
export const mcp: Command = {
  name: 'mcp',
  summary: `Serves every operation as a tool of the Model Context Protocol, on stdin and stdout: for assistants such as
editors and chat programs, which start it. Reading is free, and does not mark messages as read. For what changes
something, the assistant's program shows a person the exact request; it is sent when the person agrees. Needs the
package @modelcontextprotocol/sdk.`,
  options: {
    ...connectionOptions,
    seller: { value: 'ID', text: 'user id of the seller, which the model is told (default: the user in the token)' },
    'read-only': { text: 'change nothing: serve no tool that does, and mark no message as read' },
    allow: {
      value: 'NAME',
      text: 'operation that may change something without a person, e.g. questions.answer, where the program cannot ask one',
      repeatable: true,
    },
  },
  run: async (values, io) => {
    const connection = connect(values);
    const tools = createTools(connection.client);
    const offer = {
      tools: values.has('read-only') ? tools.filter(({ changesSomething }) => !changesSomething) : tools,
      isReadOnly: values.has('read-only'),
      allowed: allowedOf(values, tools),
      baseUrl: connection.baseUrl,
      seller: sellerOf(values) ?? connection.user,
    };
    const server = await createServer(offer).catch(withRemedy);
    io.err(`Serving tools for ${connection.baseUrl} on stdin and stdout; Ctrl+C ends it.`);
    await serveOnStdio(server, io.ended());
    return 0;
  },
};

/** @throws {UsageError} when it is no user id */
function sellerOf(values: Values): string | undefined {
  const text = values.text('seller');
  if (text === undefined || /^\d{1,20}$/.test(text)) return text;
  throw new UsageError(`--seller must be the user id of the seller, not "${text}"`);
}

/** @throws {UsageError} when an allowed operation does not exist, or changes nothing */
function allowedOf(values: Values, tools: readonly Tool[]): readonly string[] {
  const allowed = values.all('allow');
  if (allowed.length > 0 && values.has('read-only'))
    throw new UsageError('--allow and --read-only contradict each other');
  const names = tools.filter(({ changesSomething }) => changesSomething).map(({ operation }) => operation);
  const unknown = allowed.find((name) => !names.includes(name));
  if (unknown === undefined) return allowed;
  const hint = didYouMean(unknown, names, `they are ${names.join(', ')}`);
  throw new UsageError(`--allow: there is no operation "${unknown}" that changes something; ${hint}`);
}

/** @throws {CliError} when the package of the protocol is not installed */
function withRemedy(error: unknown): never {
  if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
  throw new CliError('mcp needs another package: npm install @modelcontextprotocol/sdk');
}
