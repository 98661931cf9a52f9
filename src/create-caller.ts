import { HttpCaller } from './core/caller.js';
import type { Caller } from './core/caller.js';
import type { ClientOptions } from './core/options.js';
import { settingsOf } from './core/settings.js';

/**
 * What a resource calls through: for applications that count every kilobyte and use one or two resources.
 *
 * @example
 * const questions = new Questions(createCaller({ baseUrl: 'https://api.example.com', accessToken }));
 * @throws {ConfigurationError} when an option is unknown or wrong.
 */
export function createCaller(options: ClientOptions): Caller {
  return new HttpCaller(settingsOf(options));
}
