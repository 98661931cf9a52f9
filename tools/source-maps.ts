import type { Options } from 'tsup';

type Plugin = NonNullable<Options['plugins']>[number];

/** Only what an application calls all day is debugged in production. Esbuild puts the rest into files of its own. */
const WITHOUT_MAP =
  /(?:^|\/)src\/(?:(?:cli|core\/files|notifications|otel|outbox|simulation|testing|work)\/|oauth\/(?:oauth|protocol))/;

/** Keeps the source maps of the client, and leaves out the others, which are larger than all of these. */
export const mapsOfClient: Plugin = {
  name: 'maps-of-client',
  renderChunk: (code, info) => {
    const map = typeof info.map === 'string' ? (JSON.parse(info.map) as { sources: string[] }) : info.map;
    const sources = (map?.sources ?? []).filter((source) => source !== null);
    // A file that only exports others has no sources.
    const isNeeded = sources.length > 0 && !sources.some((source) => WITHOUT_MAP.test(source));
    if (!isNeeded) info.map = null;
    return { code };
  },
};
