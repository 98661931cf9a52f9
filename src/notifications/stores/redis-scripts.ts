/*
 * What a Redis store does, each a script that Redis runs whole or not at all. All times are of Redis' own clock.
 *
 * Under a prefix p:  p:entries  key -> 16 digits of arrival, then the entry      p:attempts  key -> how often lent
 *                    p:lane:L   arrival + key, by sentAt                         p:lanes     lane, by when it is due
 *                    p:holders  lane -> who holds it                             p:seen:K    remembered until it expires
 *                    p:dead     key -> arrival, then the entry                   p:graves    key, by when it was buried
 *                    p:obituary key -> attempts, time and failure, as JSON       p:arrivals  a counter
 */

const common = `
local p = KEYS[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function ms(n) return string.format('%.0f', n) end
local function insert(key, lane, sent, entry)
  local arrival = string.format('%016.0f', redis.call('INCR', p .. ':arrivals'))
  redis.call('HSET', p .. ':entries', key, arrival .. entry)
  redis.call('ZADD', p .. ':lane:' .. lane, sent, arrival .. key)
  if not redis.call('ZSCORE', p .. ':lanes', lane) then redis.call('ZADD', p .. ':lanes', ms(now), lane) end
end
local function take(key, lane)
  local held = redis.call('HGET', p .. ':entries', key)
  if not held then return nil end
  local attempts = redis.call('HGET', p .. ':attempts', key) or '0'
  redis.call('ZREM', p .. ':lane:' .. lane, string.sub(held, 1, 16) .. key)
  redis.call('HDEL', p .. ':entries', key)
  redis.call('HDEL', p .. ':attempts', key)
  return held, attempts
end`;

/** Arguments: key, lane, sentAt, entry. */
export const add = `${common}
local key = ARGV[1]
if redis.call('HEXISTS', p .. ':entries', key) == 1 then return 'waiting' end
if redis.call('EXISTS', p .. ':seen:' .. key) == 1 or redis.call('HEXISTS', p .. ':dead', key) == 1 then return 'over' end
insert(key, ARGV[2], ARGV[3], ARGV[4])
return 'added'`;

/** Arguments: holder, limit, leaseMs, coalesce (1 or 0), lane or nothing. Gives `[nextInMs, [lane, entry, attempt, covered...]...]`. */
export const claim = `${common}
local lanes = {}
if ARGV[5] == '' then
  lanes = redis.call('ZRANGEBYSCORE', p .. ':lanes', '-inf', ms(now), 'LIMIT', 0, ARGV[2])
else
  local due = redis.call('ZSCORE', p .. ':lanes', ARGV[5])
  if due and (tonumber(due) <= now or redis.call('HEXISTS', p .. ':holders', ARGV[5]) == 0) then lanes = { ARGV[5] } end
end
local answer = { 0 }
for _, lane in ipairs(lanes) do
  redis.call('ZADD', p .. ':lanes', ms(now + ARGV[3]), lane)
  redis.call('HSET', p .. ':holders', lane, ARGV[1])
  local members = redis.call('ZRANGE', p .. ':lane:' .. lane, 0, ARGV[4] == '1' and -1 or 0)
  local key = string.sub(members[#members], 17)
  local entry = string.sub(redis.call('HGET', p .. ':entries', key), 17)
  local loan = { lane, entry, redis.call('HINCRBY', p .. ':attempts', key, 1) }
  for i = 1, #members - 1 do loan[#loan + 1] = string.sub(members[i], 17) end
  answer[#answer + 1] = loan
end
local first = redis.call('ZRANGE', p .. ':lanes', 0, 0, 'WITHSCORES')
answer[1] = first[2] and math.max(0, first[2] - now) or -1
return answer`;

/** Arguments: holder, leaseMs, lanes. Gives the lanes that are lost. */
export const extend = `${common}
local lost = {}
for i = 3, #ARGV do
  if redis.call('HGET', p .. ':holders', ARGV[i]) == ARGV[1] then
    redis.call('ZADD', p .. ':lanes', ms(now + ARGV[2]), ARGV[i])
  else lost[#lost + 1] = ARGV[i] end
end
return lost`;

/** Arguments: holder, lane, againInMs, deduplicationMs, the buried key or nothing, its failure as JSON, keys that are done. */
export const settle = `${common}
local lane, buried = ARGV[2], ARGV[5]
if redis.call('HGET', p .. ':holders', lane) ~= ARGV[1] then return 0 end
for i = 7, #ARGV do
  take(ARGV[i], lane)
  redis.call('SET', p .. ':seen:' .. ARGV[i], '1', 'PX', ARGV[4])
end
if buried ~= '' then
  local held, attempts = take(buried, lane)
  if held then
    redis.call('HSET', p .. ':dead', buried, held)
    redis.call('HSET', p .. ':obituary', buried, '{"attempts":' .. attempts .. ',"deadLetteredAt":' .. ms(now) .. ',"failure":' .. ARGV[6] .. '}')
    redis.call('ZADD', p .. ':graves', ms(now), buried)
  end
end
redis.call('HDEL', p .. ':holders', lane)
if redis.call('ZCARD', p .. ':lane:' .. lane) == 0 then redis.call('ZREM', p .. ':lanes', lane)
else redis.call('ZADD', p .. ':lanes', ms(now + ARGV[3]), lane) end
return 1`;

/** Arguments: limit. Gives `[entry, obituary]...`. */
export const deadLetters = `${common}
local answer = {}
for _, key in ipairs(redis.call('ZRANGE', p .. ':graves', 0, ARGV[1] - 1)) do
  answer[#answer + 1] = { string.sub(redis.call('HGET', p .. ':dead', key), 17), redis.call('HGET', p .. ':obituary', key) }
end
return answer`;

/** Arguments: key. Gives the entry of a dead letter, or nothing. */
export const find = `${common}
local held = redis.call('HGET', p .. ':dead', ARGV[1])
return held and string.sub(held, 17) or ''`;

/** Arguments: key, replay (1 or 0), lane, sentAt. */
export const exhume = `${common}
local key = ARGV[1]
local held = redis.call('HGET', p .. ':dead', key)
if not held then return 0 end
redis.call('HDEL', p .. ':dead', key)
redis.call('HDEL', p .. ':obituary', key)
redis.call('ZREM', p .. ':graves', key)
if ARGV[2] == '1' then insert(key, ARGV[3], ARGV[4], string.sub(held, 17)) end
return 1`;
