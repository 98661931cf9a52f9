import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseHTML } from 'linkedom';
import { expect, test, vi } from 'vitest';
import { barsOf } from '../../examples/bars.ts';
import { svgOf } from '../../examples/chart.ts';

/** Runs a program and returns the lines it prints. */
async function printedBy(program: () => Promise<unknown>): Promise<string[]> {
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => lines.push(line));
  await program();
  return lines;
}

test('examples/flex.ts configures Flex and finds the driver', async () => {
  const lines = await printedBy(() => import('../../examples/flex.ts'));
  expect(lines).toEqual([
    'Brazil: FLEX is in',
    'week: 9-18 h, 40 parcels',
    'saturday: 10-14 h, 15 parcels',
    'sunday: no deliveries',
    '✓ São Paulo',
    '✓ Rio de Janeiro',
    '✓ Brasília',
    '· Belo Horizonte',
    '· Porto Alegre',
    '· Salvador',
    '· Curitiba',
    'MLB600000001 in Flex: true',
    'Shipment 40000000001 has no driver yet',
    'Shipment 40000000001 is assigned to driver 345',
  ]);
});

test('examples/phone-views.ts draws one bar per day, and writes the same chart as an SVG file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chart-'));
  const file = join(folder, 'chart.svg');
  const { argv } = process;
  process.argv = ['node', 'phone-views.ts', file];
  try {
    const lines = await printedBy(() => import('../../examples/phone-views.ts'));
    expect(lines[0]).toBe('144 clicks on "See phone" of MLA600000001 in 14 days\n');
    const bars = lines.slice(1, -1);
    expect(bars).toHaveLength(14);
    expect(bars[0]).toBe(`2026-03-01 ${'█'.repeat(5)} 3`);
    const svg = readFileSync(file, 'utf8');
    expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
    expect(heightsIn(svg)).toHaveLength(14);
  } finally {
    process.argv = argv;
    rmSync(folder, { recursive: true });
  }
});

test('the height of a bar is proportional to its total', () => {
  const results = [
    { date: '2026-03-01T10:00:00Z', total: 1 },
    { date: '2026-03-01T11:00:00Z', total: 4 },
  ];
  const window = { total: 5, unit: 'hour', results };
  expect(barsOf(window, 8)).toEqual(['03-01 10:00 ██ 1', '03-01 11:00 ████████ 4']);
  const [first = 0, second = 0] = heightsIn(svgOf(window, 'clicks'));
  expect(second / first).toBeCloseTo(4);
  expect(barsOf({ total: 0, results: null })).toEqual([]);
  expect(heightsIn(svgOf({ total: 0 }, 'clicks'))).toEqual([]);
});

function heightsIn(svg: string): number[] {
  const { document } = parseHTML(`<html>${svg}</html>`);
  return [...document.querySelectorAll('g[aria-label="bar"] rect')].map((bar) => Number(bar.getAttribute('height')));
}
