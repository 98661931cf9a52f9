import { common, draining } from './redis-lua.js';

/** Removes a dead letter, and returns its entry. */
export const takeDead = `
local function takeDead(key)
  local held = redis.call('HGET', p .. ':dead', key)
  redis.call('HDEL', p .. ':dead', key)
  redis.call('HDEL', p .. ':dead:meta', key)
  redis.call('ZREM', p .. ':dead:index', key)
  if held then redis.call('DECRBY', p .. ':dead:bytes', #held - 16) end
  return held
end`;

/** Arguments: limit. Returns `[entry, meta]...`. */
export const deadLetters = `${common}
local reply = {}
for _, key in ipairs(redis.call('ZRANGE', p .. ':dead:index', 0, ARGV[1] - 1)) do
  local held, meta = redis.call('HGET', p .. ':dead', key), redis.call('HGET', p .. ':dead:meta', key)
  if held and meta then reply[#reply + 1] = { string.sub(held, 17), meta } end
end
return reply`;

/** Arguments: key. Returns the entry of a dead letter, or an empty string. */
export const findDeadLetter = `${common}
local held = redis.call('HGET', p .. ':dead', ARGV[1])
return held and string.sub(held, 17) or ''`;

/** Arguments: key, groupId, sentAt, user. */
export const redrive = `${draining}${takeDead}
local held = takeDead(ARGV[1])
if not held then return 0 end
redis.call('INCRBY', p .. ':bytes', #held - 16)
local arrival = redis.call('INCR', p .. ':arrivals')
insert({ { key = ARGV[1], group = ARGV[2], sent = ARGV[3], text = string.sub(held, 17), user = ARGV[4], arrival = arrival } })
return 1`;

/** Arguments: key. */
export const removeDeadLetter = `${draining}${takeDead}
return takeDead(ARGV[1]) and 1 or 0`;
