import type { Shelf } from '../../work/works.js';
import type { Command } from '../command.js';
import type { Options } from '../options.js';
import { actionsOf, assertUsable } from './actions.js';
import type { ActionResult } from './actions.js';
import { formatRows, formatStats } from './format-work.js';
import { storeOf } from './store-of.js';
import type { ListName, StoredWork, WorkRow } from './stored-work.js';
import { filters } from './work-filter.js';

/** A command that shows and changes what a store holds. */
interface StoredCommand extends Pick<Command, 'name' | 'summary'> {
  /** More options that say what is meant. */
  readonly filters?: Options;
  readonly lists?: readonly ListName[];
  readonly open: (store: Shelf) => StoredWork;
}

/** Creates a command for what a store holds, with the actions that all such commands have. */
export function storedCommand({
  name,
  summary,
  open,
  filters: more = {},
  lists: names = ['waiting', 'dead', 'rejected'],
}: StoredCommand): Command {
  const { key, ...others } = filters;
  const allFilters = { key, ...more, ...others };
  const words = names.map((each) => `\`${each}\``);
  const lists = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  const actions = actionsOf(names);
  return {
    name,
    summary,
    argument: 'FILE',
    actions: Object.keys(actions),
    options: {
      ...allFilters,
      state: { value: 'STATE', text: `${lists}: what \`remove\` removes; it needs a filter too` },
      limit: { value: 'NUMBER', text: `how many ${lists} lists`, default: '100' },
      json: { text: 'print the results as JSON' },
    },
    run: async (values, io) => {
      assertUsable(values, allFilters, names);
      const work = open(await storeOf(values.argument));
      try {
        const result = (await actions[values.action]?.(work, values)) ?? {};
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
