export { simulate, SimulationError } from './simulate.js';
export { checks } from './checks.js';
export type { Bot, Check, SimulationOptions, World, FaultShares } from './options.js';
export type { History, SimulatedCall } from './history.js';
