import { ConfigurationError } from '../../core/errors/errors.js';
import type { Command } from '../command.js';
import { CliError } from '../errors.js';
import { actions, assertUsable } from './actions.js';
import type { ActionResult } from './actions.js';
import { formatRows, formatStats } from './format-work.js';
import type { StoredWork, WorkRow } from './stored-work.js';
import { filterOptions } from './work-filter.js';

/** Creates a command that shows and changes what is stored, with the actions that all such commands have. */
export function storedCommand(
  details: Pick<Command, 'name' | 'summary'>,
  open: (path: string) => Promise<StoredWork>,
): Command {
  return {
    ...details,
    argument: 'FILE',
    actions: Object.keys(actions),
    options: {
      ...filterOptions,
      state: { value: 'STATE', text: '`waiting` or `dead`: what `remove` removes; it needs a filter too' },
      limit: { value: 'NUMBER', text: 'how many `waiting` and `dead` list', default: '100' },
      json: { text: 'print the results as JSON' },
    },
    run: async (values, io) => {
      assertUsable(values);
      const work = await orCliError(() => open(values.argument));
      try {
        const result = (await orCliError(async () => actions[values.action]?.(work, values))) ?? {};
        io.out(values.has('json') ? JSON.stringify(result, null, 2) : format(result));
        return 0;
      } finally {
        await work.close();
      }
    },
  };
}

function format(result: ActionResult): string {
  if (!Array.isArray(result)) return formatStats(result);
  return result.length > 0 ? formatRows(result as readonly WorkRow[]) : 'none';
}

/** @throws {CliError} when the store cannot be opened or used */
async function orCliError<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ConfigurationError) throw new CliError(error.message);
    throw error;
  }
}
