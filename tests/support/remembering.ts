import { afterEach, beforeEach, describe, test, vi } from 'vitest';
import { fc } from './fast-check.ts';

/** What may happen to something that remembers; time passes and the clock is set as well. */
type Event = 'use' | 'fail' | 'close' | 'reopen' | 'another holder' | 'another seller';

/** Something that happens, which checks what it shows against the model. `choice` is a number at random. */
export type Step<World> = (world: World, choice: number) => unknown;

/** How something that remembers is played. Its world has the real thing, and a model that remembers nothing that it should not. */
export interface Played<World extends object> {
  create(): World | Promise<World>;
  /** What happens, by its kind. A text says why that cannot happen. */
  readonly steps: Readonly<Record<Event, Step<World> | Readonly<Record<string, Step<World>>> | string>>;
  /** By how much time passes, in milliseconds. */
  readonly passesMs?: readonly number[];
  /** What is true after each step. */
  readonly always?: (world: World) => unknown;
  /** What is true in the end, once all that has failed is whole again. */
  readonly finally?: (world: World) => unknown;
  readonly numRuns?: number;
}

const second = 1_000;
const day = 86_400 * second;
const setByMs = [-day, -3_600 * second, -3 * second, 3 * second, 3_600 * second, day];

/**
 * Tries random sequences of what may happen to classes that remember. The table in docs/decisions/what-a-class-remembers.md has a row
 * for each class, and names the file that calls this.
 */
export function remembering<World extends object>(classes: string, played: Played<World>): void {
  describe(classes, () => {
    beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 2, 2, 12) }));
    afterEach(() => void vi.useRealTimers());

    test('remembers nothing that it should not', async () => {
      await fc.assert(
        fc.asyncProperty(fc.commands(commandsOf(played), { maxCommands: 40, size: 'max' }), async (commands) => {
          vi.setSystemTime(Date.UTC(2026, 2, 2, 12));
          const world = await played.create();
          await fc.asyncModelRun<object, World, false, object>(() => ({ model: world, real: world }), commands);
          await played.finally?.(world);
        }),
        { numRuns: played.numRuns ?? 200 },
      );
    });
  });
}

function commandsOf<World extends object>({
  steps,
  always,
  passesMs = [1, 50, second, 60 * second, day],
}: Played<World>) {
  const command = (name: string, run: (world: World, choice: number) => unknown) =>
    fc.nat(999).map((choice): fc.AsyncCommand<object, World> => ({
      check: () => true,
      run: async (_, world) => {
        await run(world, choice);
        await always?.(world);
      },
      toString: () => `${name} (${choice})`,
    }));
  const happens = Object.entries(steps).flatMap(([event, step]) => {
    if (typeof step === 'string') return [];
    if (typeof step === 'function') return [command(event, step)];
    return Object.entries(step).map(([name, each]) => command(`${event}: ${name}`, each));
  });
  const passes = command('time passes', async (_, choice) => {
    await vi.advanceTimersByTimeAsync(passesMs[choice % passesMs.length] ?? 0);
  });
  const isSet = command('the clock is set', (_, choice) => {
    vi.setSystemTime(Date.now() + (setByMs[choice % setByMs.length] ?? 0));
  });
  return [...happens, ...happens, passes, isSet];
}
