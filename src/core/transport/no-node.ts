import type { CreateTransport } from './transport.js';

/** Stands in for `./node.js` where there is no Node, so that browsers and Workers carry none of it. */
export const createNodeTransport: CreateTransport | undefined = undefined;
