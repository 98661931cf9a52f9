import { strictObject } from '../schema/define.js';
import type { Input } from '../schema/schema.js';

export const noInput = strictObject({});
/** An input without fields. */
export interface NoInput extends Input<typeof noInput> {}
