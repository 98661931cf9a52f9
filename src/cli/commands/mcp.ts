import { ConfigurationError } from '../../core/errors/errors.js';
import { didYouMean } from '../../core/options/nearest.js';
import { createTools } from '../../tools/create-tools.js';
import type { Tool } from '../../tools/create-tools.js';
import { createServer, serveOnStdio } from '../mcp/server.js';
import type { Command } from '../command.js';
import { connectAll } from '../mcp/sellers.js';
import { connectionOptions } from '../connection.js';
import { CliError, UsageError } from '../errors.js';
import type { Values } from '../options.js';

/** `mcp`: serves the operations as tools of the Model Context Protocol. */
export const mcp: Command = {
  name: 'mcp',
  summary: `Serves every operation as a tool of the Model Context Protocol. Assistants such as editors and chat programs
start it, and talk to it on stdin and stdout. Reading is free, and does not mark messages as read. For what changes
something, the assistant's program shows a person the exact request; it is sent when the person agrees. Needs the
package @modelcontextprotocol/sdk.`,
  options: {
    ...connectionOptions,
    sellers: {
      value: 'FILE',
      text: 'file of sqliteTokens with the tokens of several sellers, in place of --token; CLIENT_ID, CLIENT_SECRET and TOKEN_URL in the environment renew them',
    },
    seller: { value: 'ID', text: 'user id of the seller, which the model is told (default: the user in the token)' },
    tools: { value: 'NAMES', text: 'operations or groups that are served, e.g. questions,messages (default: all)' },
    'read-only': { text: 'change nothing: serve no tool that does, and mark no message as read' },
    allow: {
      value: 'NAME',
      text: 'operation that may change something without a person, e.g. questions.answer, where the program cannot ask one',
      repeatable: true,
    },
  },
  run: async (values, io) => {
    const { target, seller, baseUrl, close } = await connectAll(values);
    const tools = toolsOf(values, target);
    const isReadOnly = values.has('read-only');
    const offer = {
      tools: isReadOnly ? tools.filter(({ changesSomething }) => !changesSomething) : tools,
      isReadOnly,
      allowed: allowedOf(values, tools),
      baseUrl,
      seller: sellerOf(values) ?? seller,
      warn: io.err,
    };
    const server = await createServer(offer).catch(withRemedy);
    io.err(`Serving tools for ${baseUrl} on stdin and stdout; Ctrl+C ends it.`);
    await serveOnStdio(server, io.ended());
    await close?.();
    return 0;
  },
};

/** @throws {UsageError} when `--tools` names what does not exist */
function toolsOf(values: Values, target: Parameters<typeof createTools>[0]): readonly Tool[] {
  const only = values
    .text('tools')
    ?.split(',')
    .map((name) => name.trim());
  try {
    return createTools(target, { only });
  } catch (error) {
    if (error instanceof ConfigurationError)
      throw new UsageError(error.message.replace('createTools: `only` names', '--tools names'));
    throw error;
  }
}

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

/** @throws {CliError} when the package of the protocol is not installed: `npx` alone installs no optional package */
function withRemedy(error: unknown): never {
  if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
  throw new CliError(`mcp needs another package, @modelcontextprotocol/sdk. Start it with both, in any folder:
npx -y -p marketplace-seller-sdk -p @modelcontextprotocol/sdk marketplace-seller-sdk mcp
or install it beside marketplace-seller-sdk in the folder of your project: npm install @modelcontextprotocol/sdk`);
}
