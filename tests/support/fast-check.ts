import fc from 'fast-check';
import { seed } from './seed.ts';

// Property tests import fast-check from here, so that a failure can be repeated.
fc.configureGlobal({ seed });

export { fc };
