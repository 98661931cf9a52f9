import type { DocumentedError } from '../src/core/errors/documented-error.js';
import type { PublicMethod } from './catalogue.ts';

/** The documented errors that a method turns into a result, so that it never throws them. */
const recovered: Readonly<Record<string, readonly string[]>> = {
  'flex.items.isEnabled': ['ItemNotFoundError'],
};

/** The documented errors of the endpoint of a method that the method throws. */
export function thrownErrors({ name, endpoint }: Pick<PublicMethod, 'name' | 'endpoint'>): DocumentedError[] {
  return (endpoint?.errors ?? []).filter(({ error }) => !recovered[name]?.includes(error.kind));
}
