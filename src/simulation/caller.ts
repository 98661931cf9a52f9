/** Frames of Node.js and of this package. */
const own = /node:|[\\/](?:src|marketplace-seller-sdk)[\\/]simulation[\\/]|[\\/]dist[\\/](?:esm|cjs)[\\/]/;

/** Where the code was that calls now, without that of this package: ` at /app/bot.ts:12:5`, or nothing. */
export function callerOf(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 40;
  const lines = (new Error().stack ?? '').split('\n').slice(1);
  Error.stackTraceLimit = stackTraceLimit;
  const places = lines
    .filter((line) => !own.test(line))
    .map((line) => /(?:at |\()([^\s()]{1,500}:\d+:\d+)/.exec(line)?.[1]);
  const found = places.find((place) => place !== undefined);
  return found === undefined ? '' : ` at ${found.replace(/^file:\/\//, '')}`;
}
