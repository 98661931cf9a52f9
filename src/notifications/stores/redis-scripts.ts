/*
 * The operations of the Redis store, each a script that Redis runs as a whole. All times are Redis' own clock.
 *
 * Keys under a prefix p:
 *   p:entries     entry key -> 16 digits of arrival, then the entry     p:attempts    entry key -> number of leases
 *   p:group:G     arrival and entry key, by `sentAt`                    p:groups      group, by when it is due
 *   p:workers     group -> the worker that leases it                    p:seen:K      expires after `deduplicationMs`
 *   p:dead        entry key -> arrival, then the entry                  p:dead:index  entry key, by when it was dead-lettered
 *   p:dead:meta   entry key -> attempts, time and failure, as JSON      p:arrivals    a counter
 */

const common = `
local p = KEYS[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function ms(n) return string.format('%.0f', n) end
local function insert(key, group, sent, entry)
  local arrival = string.format('%016.0f', redis.call('INCR', p .. ':arrivals'))
  redis.call('HSET', p .. ':entries', key, arrival .. entry)
  redis.call('ZADD', p .. ':group:' .. group, sent, arrival .. key)
  if not redis.call('ZSCORE', p .. ':groups', group) then redis.call('ZADD', p .. ':groups', ms(now), group) end
end
local function take(key, group)
  local held = redis.call('HGET', p .. ':entries', key)
  if not held then return nil end
  local attempts = redis.call('HGET', p .. ':attempts', key) or '0'
  redis.call('ZREM', p .. ':group:' .. group, string.sub(held, 1, 16) .. key)
  redis.call('HDEL', p .. ':entries', key)
  redis.call('HDEL', p .. ':attempts', key)
  return held, attempts
end`;

/** Arguments: key, groupId, sentAt, entry. */
export const add = `${common}
local key = ARGV[1]
if redis.call('HEXISTS', p .. ':entries', key) == 1 then return 'waiting' end
if redis.call('EXISTS', p .. ':seen:' .. key) == 1 or redis.call('HEXISTS', p .. ':dead', key) == 1 then return 'processed' end
insert(key, ARGV[2], ARGV[3], ARGV[4])
return 'added'`;

/** Arguments: workerId, limit, leaseMs, coalesce (1 or 0), group or an empty string. Returns `[nextInMs, [group, entry, attempt, coalescedKeys...]...]`. */
export const claim = `${common}
local groups = {}
if ARGV[5] == '' then
  groups = redis.call('ZRANGEBYSCORE', p .. ':groups', '-inf', ms(now), 'LIMIT', 0, ARGV[2])
else
  local due = redis.call('ZSCORE', p .. ':groups', ARGV[5])
  if due and (tonumber(due) <= now or redis.call('HEXISTS', p .. ':workers', ARGV[5]) == 0) then groups = { ARGV[5] } end
end
local reply = { 0 }
for _, group in ipairs(groups) do
  redis.call('ZADD', p .. ':groups', ms(now + ARGV[3]), group)
  redis.call('HSET', p .. ':workers', group, ARGV[1])
  local members = redis.call('ZRANGE', p .. ':group:' .. group, 0, ARGV[4] == '1' and -1 or 0)
  local key = string.sub(members[#members], 17)
  local entry = string.sub(redis.call('HGET', p .. ':entries', key), 17)
  local lease = { group, entry, redis.call('HINCRBY', p .. ':attempts', key, 1) }
  for i = 1, #members - 1 do lease[#lease + 1] = string.sub(members[i], 17) end
  reply[#reply + 1] = lease
end
local first = redis.call('ZRANGE', p .. ':groups', 0, 0, 'WITHSCORES')
reply[1] = first[2] and math.max(0, first[2] - now) or -1
return reply`;

/** Arguments: workerId, leaseMs, groups. Returns the lost groups. */
export const renew = `${common}
local lost = {}
for i = 3, #ARGV do
  if redis.call('HGET', p .. ':workers', ARGV[i]) == ARGV[1] then
    redis.call('ZADD', p .. ':groups', ms(now + ARGV[2]), ARGV[i])
  else lost[#lost + 1] = ARGV[i] end
end
return lost`;

/** Arguments: workerId, groupId, retryInMs, deduplicationMs, the key of the dead letter or an empty string, its failure as JSON, handled keys. */
export const settle = `${common}
local group, dead = ARGV[2], ARGV[5]
if redis.call('HGET', p .. ':workers', group) ~= ARGV[1] then return 0 end
for i = 7, #ARGV do
  take(ARGV[i], group)
  redis.call('SET', p .. ':seen:' .. ARGV[i], '1', 'PX', ARGV[4])
end
if dead ~= '' then
  local held, attempts = take(dead, group)
  if held then
    redis.call('HSET', p .. ':dead', dead, held)
    redis.call('HSET', p .. ':dead:meta', dead, '{"attempts":' .. attempts .. ',"deadLetteredAt":' .. ms(now) .. ',"failure":' .. ARGV[6] .. '}')
    redis.call('ZADD', p .. ':dead:index', ms(now), dead)
  end
end
redis.call('HDEL', p .. ':workers', group)
if redis.call('ZCARD', p .. ':group:' .. group) == 0 then redis.call('ZREM', p .. ':groups', group)
else redis.call('ZADD', p .. ':groups', ms(now + ARGV[3]), group) end
return 1`;

/** Arguments: limit. Returns `[entry, meta]...`. */
export const deadLetters = `${common}
local reply = {}
for _, key in ipairs(redis.call('ZRANGE', p .. ':dead:index', 0, ARGV[1] - 1)) do
  reply[#reply + 1] = { string.sub(redis.call('HGET', p .. ':dead', key), 17), redis.call('HGET', p .. ':dead:meta', key) }
end
return reply`;

/** Arguments: key. Returns the entry of a dead letter, or an empty string. */
export const findDeadLetter = `${common}
local held = redis.call('HGET', p .. ':dead', ARGV[1])
return held and string.sub(held, 17) or ''`;

const takeDeadLetter = `
local key = ARGV[1]
local held = redis.call('HGET', p .. ':dead', key)
if not held then return 0 end
redis.call('HDEL', p .. ':dead', key)
redis.call('HDEL', p .. ':dead:meta', key)
redis.call('ZREM', p .. ':dead:index', key)`;

/** Arguments: key, groupId, sentAt. */
export const redrive = `${common}${takeDeadLetter}
insert(key, ARGV[2], ARGV[3], string.sub(held, 17))
return 1`;

/** Arguments: key. */
export const removeDeadLetter = `${common}${takeDeadLetter}
return 1`;
