export { simulate } from './simulate.js';
export { checks } from './checks.js';
export { SimulationError } from './error.js';
export type { Bot, Check, SimulationOptions, World } from './options.js';
export type { FaultShares, DailyLoad } from './shares.js';
export type { BotStats, Crash, History, SimulatedCall, SimulatedDelivery, WorldEvent } from './history.js';
