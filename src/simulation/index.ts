export { simulate } from './simulate.js';
export { checks } from './checks.js';
export { SimulationError } from './error.js';
export type { Bot, Check, SimulationOptions, World } from './options.js';
export type { FaultShares } from './shares.js';
export type { History, SimulatedCall } from './history.js';
