/** Where the clocks of each site hang. */
const zones: Readonly<Record<string, string>> = {
  MLA: 'America/Argentina/Buenos_Aires',
  MLB: 'America/Sao_Paulo',
  MLC: 'America/Santiago',
  MCO: 'America/Bogota',
  MEC: 'America/Guayaquil',
  MLM: 'America/Mexico_City',
  MLU: 'America/Montevideo',
  MPE: 'America/Lima',
};

const writers = new Map<string, Intl.DateTimeFormat>();

/** A moment as the people of a site know it. */
export interface LocalTime {
  /** 0 for Sunday, 6 for Saturday. */
  readonly weekday: number;
  /** 0 to 23. */
  readonly hour: number;
  /** The day, e.g. `2026-03-02`. */
  readonly date: string;
}

/** The local time of a site; UTC where the site is not known. */
export function localTime(ms: number, site_id: string): LocalTime {
  const there = new Date(ms + offsetMinutes(ms, site_id) * 60_000);
  return { weekday: there.getUTCDay(), hour: there.getUTCHours(), date: there.toISOString().slice(0, 10) };
}

/** A moment as a site writes it: local, with milliseconds and its offset, e.g. `2026-03-02T09:30:00.000-03:00`. */
export function localInstant(ms: number, site_id: string): string {
  const offset = offsetMinutes(ms, site_id);
  const written = new Date(ms + offset * 60_000).toISOString().slice(0, -1);
  const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${written}${offset < 0 ? '-' : '+'}${hours}:${minutes}`;
}

function offsetMinutes(ms: number, site_id: string): number {
  const parts = new Map(
    writerOf(zones[site_id] ?? 'UTC')
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  const there = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
  return Math.round((there - Math.floor(ms / 60_000) * 60_000) / 60_000);
}

function writerOf(timeZone: string): Intl.DateTimeFormat {
  let writer = writers.get(timeZone);
  if (!writer) {
    const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
    writer = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...numeric });
    writers.set(timeZone, writer);
  }
  return writer;
}
