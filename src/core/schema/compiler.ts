/** The part of zod that turns schemas into functions: half of zod's size, so loaded only once it pays. */
export { compile } from 'zod/mini';
