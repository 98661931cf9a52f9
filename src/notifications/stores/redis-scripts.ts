/*
 * The operations of the Redis store, each a script that Redis runs as a whole. Every key begins with the prefix p, which is
 * passed as the only key: with a hash tag in it, all keys are in one slot of Redis Cluster.
 *
 *   p:entries     entry key -> 16 digits of arrival, then the entry     p:bytes       length of the waiting entries
 *   p:failures    entry key -> failed attempts                          p:stalls      entry key -> leases without a result
 *   p:group:G     arrival and entry key, by `sentAt`                    p:users       group -> its user
 *   p:due         group that may be leased, by its turn                 p:later       leased or delayed group, by its end
 *   p:turns       user, by its latest turn                              p:clock       latest time, offset, latest turn served
 *   p:leases      group -> token of its lease                           p:leased      group -> entry key of its lease
 *   p:dead        entry key -> arrival, then the entry                  p:dead:index  entry key, by when it was dead-lettered
 *   p:dead:meta   entry key -> attempts, time and failure, as JSON      p:dead:bytes  length of the dead letters
 *   p:seen:K      expires after `deduplicationMs`                       p:arrivals    a counter
 */

const common = `
local p = KEYS[1]
local time = redis.call('TIME')
local clock = redis.call('HMGET', p .. ':clock', 'latest', 'offset')
local latest, offset = tonumber(clock[1] or 0), tonumber(clock[2] or 0)
-- The time continues where it was when Redis' clock is set back.
local now = time[1] * 1000 + math.floor(time[2] / 1000) + offset
local function ms(n) return string.format('%.0f', n) end
if now < latest then offset, now = offset + latest - now, latest end
-- Users take turns: a user with many groups does not delay the groups of others.
local served, turns = nil, {}
local function turnOf(user)
  served = served or tonumber(redis.call('HGET', p .. ':clock', 'served') or 0)
  turns[user] = math.max(served, tonumber(turns[user] or redis.call('ZSCORE', p .. ':turns', user) or 0)) + 1
  redis.call('ZADD', p .. ':turns', ms(turns[user]), user)
  return ms(turns[user])
end
local function makeDue(group, user)
  redis.call('ZADD', p .. ':due', turnOf(user or redis.call('HGET', p .. ':users', group) or ''), group)
end
local function makeDueFromLater(group)
  redis.call('ZREM', p .. ':later', group)
  makeDue(group)
end
local function postpone(group, untilTime)
  redis.call('ZREM', p .. ':due', group)
  redis.call('ZADD', p .. ':later', ms(untilTime), group)
end
local function insert(key, group, sent, entry, user, arrival)
  local number = string.format('%016.0f', arrival)
  redis.call('HSET', p .. ':entries', key, number .. entry)
  redis.call('ZADD', p .. ':group:' .. group, sent, number .. key)
  redis.call('HSET', p .. ':users', group, user)
  if not (redis.call('ZSCORE', p .. ':due', group) or redis.call('ZSCORE', p .. ':later', group)) then makeDue(group, user) end
end
local function take(key, group)
  local held = redis.call('HGET', p .. ':entries', key)
  if not held then return nil end
  redis.call('ZREM', p .. ':group:' .. group, string.sub(held, 1, 16) .. key)
  for _, name in ipairs({ ':entries', ':failures', ':stalls' }) do redis.call('HDEL', p .. name, key) end
  redis.call('DECRBY', p .. ':bytes', #held - 16)
  return held
end
local function drop(group)
  for _, name in ipairs({ ':due', ':later' }) do redis.call('ZREM', p .. name, group) end
  for _, name in ipairs({ ':leases', ':leased', ':users' }) do redis.call('HDEL', p .. name, group) end
end
local function takeDead(key)
  local held = redis.call('HGET', p .. ':dead', key)
  redis.call('HDEL', p .. ':dead', key)
  redis.call('HDEL', p .. ':dead:meta', key)
  redis.call('ZREM', p .. ':dead:index', key)
  if held then redis.call('DECRBY', p .. ':dead:bytes', #held - 16) end
  return held
end`;

/**
 * When its memory is full, Redis rejects a script whose first write may take memory. Draining must go on, so the first write
 * of these scripts takes none.
 */
const draining = `${common}
redis.call('DEL', p .. ':none')
if now > latest + 10000 or offset ~= tonumber(clock[2] or 0) then
  redis.call('HSET', p .. ':clock', 'latest', ms(now), 'offset', ms(offset))
end`;

/** Arguments: maxWaiting, maxWaitingBytes, then key, groupId, sentAt, entry and user of each. Returns the state of each. */
export const add = `${common}
local states, added, addedBytes = {}, {}, 0
local count = redis.call('HLEN', p .. ':entries')
local bytes = tonumber(redis.call('GET', p .. ':bytes') or 0)
for i = 3, #ARGV, 5 do
  local key, state = ARGV[i], 'added'
  if added[key] or redis.call('HEXISTS', p .. ':entries', key) == 1 then state = 'waiting'
  elseif redis.call('EXISTS', p .. ':seen:' .. key) == 1 or redis.call('HEXISTS', p .. ':dead', key) == 1 then state = 'processed'
  elseif count >= tonumber(ARGV[1]) then state = 'maxWaiting'
  elseif bytes + addedBytes + #ARGV[i + 3] > tonumber(ARGV[2]) then state = 'maxWaitingBytes'
  else
    added[key], count, addedBytes = i, count + 1, addedBytes + #ARGV[i + 3]
  end
  states[#states + 1] = state
end
if addedBytes == 0 then return states end
local arrival = redis.call('INCRBY', p .. ':arrivals', #states) - #states
redis.call('INCRBY', p .. ':bytes', addedBytes)
for i = 3, #ARGV, 5 do
  arrival = arrival + 1
  if added[ARGV[i]] == i then insert(ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4], arrival) end
end
return states`;

/**
 * Arguments: token, limit, leaseMs, coalesce (1 or 0), groupId or an empty string.
 * Returns `[nextInMs, missing, [groupId, key, entry, failures, stalls, coalescedKeys...]...]`.
 */
export const claim = `${draining}
local missing = 0
-- Entries whose group was lost, such as by eviction, get it back.
if redis.call('ZCARD', p .. ':due') + redis.call('ZCARD', p .. ':later') == 0 and redis.call('HLEN', p .. ':entries') > 0 then
  local all = redis.call('HGETALL', p .. ':entries')
  for i = 1, #all, 2 do
    local readable, entry = pcall(cjson.decode, string.sub(all[i + 1], 17))
    if readable and type(entry) == 'table' and entry.groupId and entry.sentAt then
      redis.call('ZADD', p .. ':group:' .. entry.groupId, ms(entry.sentAt), string.sub(all[i + 1], 1, 16) .. all[i])
      local user = type(entry.notification) == 'table' and entry.notification.user_id or ''
      redis.call('HSET', p .. ':users', entry.groupId, user)
      if not redis.call('ZSCORE', p .. ':due', entry.groupId) then makeDue(entry.groupId) end
    else
      redis.call('HDEL', p .. ':entries', all[i])
      missing = missing + 1
    end
  end
end
for _, group in ipairs(redis.call('ZRANGEBYSCORE', p .. ':later', '-inf', ms(now), 'LIMIT', 0, 1000)) do makeDueFromLater(group) end
local groups = {}
if ARGV[5] == '' then
  groups = redis.call('ZRANGE', p .. ':due', 0, ARGV[2] - 1)
elseif redis.call('ZSCORE', p .. ':due', ARGV[5])
  or (redis.call('ZSCORE', p .. ':later', ARGV[5]) and redis.call('HEXISTS', p .. ':leases', ARGV[5]) == 0) then
  groups = { ARGV[5] }
end
served = tonumber(served or redis.call('HGET', p .. ':clock', 'served') or 0)
local function nextOf(group)
  local index = ARGV[4] == '1' and -1 or 0
  while true do
    local member = redis.call('ZRANGE', p .. ':group:' .. group, index, index)[1]
    if not member then return nil end
    local key = string.sub(member, 17)
    local held = redis.call('HGET', p .. ':entries', key)
    if held then return key, string.sub(held, 17) end
    redis.call('ZREM', p .. ':group:' .. group, member)
    missing = missing + 1
  end
end
local reply = { 0, 0 }
for _, group in ipairs(groups) do
  local stalled = redis.call('HGET', p .. ':leased', group)
  if stalled and redis.call('HEXISTS', p .. ':entries', stalled) == 1 then redis.call('HINCRBY', p .. ':stalls', stalled, 1) end
  local key, entry = nextOf(group)
  if key then
    served = math.max(served, redis.call('ZSCORE', p .. ':due', group) or 0)
    postpone(group, now + ARGV[3])
    redis.call('HSET', p .. ':leases', group, ARGV[1])
    redis.call('HSET', p .. ':leased', group, key)
    local failures, stalls = redis.call('HGET', p .. ':failures', key), redis.call('HGET', p .. ':stalls', key)
    local lease = { group, key, entry, tonumber(failures or 0), tonumber(stalls or 0) }
    if ARGV[4] == '1' then
      for _, member in ipairs(redis.call('ZRANGE', p .. ':group:' .. group, 0, -2)) do
        lease[#lease + 1] = string.sub(member, 17)
      end
    end
    reply[#reply + 1] = lease
  else
    drop(group)
  end
end
if #groups > 0 then
  redis.call('HSET', p .. ':clock', 'served', ms(served))
  redis.call('ZREMRANGEBYSCORE', p .. ':turns', '-inf', ms(served))
end
local first = redis.call('ZRANGE', p .. ':later', 0, 0, 'WITHSCORES')
reply[1] = first[2] and math.max(0, first[2] - now) or -1
if redis.call('ZCARD', p .. ':due') > 0 then reply[1] = 0 end
reply[2] = missing
return reply`;

/** Arguments: leaseMs, then groupId and token of each lease. Returns the groups whose lease is lost. */
export const renew = `${draining}
local lost = {}
for i = 2, #ARGV, 2 do
  if redis.call('HGET', p .. ':leases', ARGV[i]) == ARGV[i + 1] then
    postpone(ARGV[i], now + ARGV[1])
  else lost[#lost + 1] = ARGV[i] end
end
return lost`;

/** Ends the entries of ARGV[from] to ARGV[to], which were handled. */
const remember = `
local function remember(group, deduplicationMs, from, to)
  for i = from, to do
    take(ARGV[i], group)
    redis.call('SET', p .. ':seen:' .. ARGV[i], '1', 'PX', deduplicationMs)
  end
end`;

/** Arguments: groupId, token, deduplicationMs, handled keys. The lease goes on. Returns 1, or 0 when the lease is lost. */
export const settlePart = `${draining}${remember}
if redis.call('HGET', p .. ':leases', ARGV[1]) ~= ARGV[2] then return 0 end
remember(ARGV[1], ARGV[3], 4, #ARGV)
return 1`;

/**
 * Arguments: maxDead, maxDeadBytes, then of each lease: groupId, token, deduplicationMs, delay in ms, whether it is a failure
 * (1 or 0), key of the dead letter or an empty string, its failure as JSON, number of handled keys, handled keys.
 * Returns of each lease 1, or 0 when it is lost.
 */
export const settle = `${draining}${remember}
local function addDead(key, group, failure)
  local attempts = 1 + (redis.call('HGET', p .. ':failures', key) or 0) + (redis.call('HGET', p .. ':stalls', key) or 0)
  local held = take(key, group)
  if held then
    redis.call('HSET', p .. ':dead', key, held)
    redis.call('HSET', p .. ':dead:meta', key, '{"attempts":' .. ms(attempts) .. ',"deadLetteredAt":' .. ms(now) .. ',"failure":' .. failure .. '}')
    redis.call('ZADD', p .. ':dead:index', ms(now), key)
    redis.call('INCRBY', p .. ':dead:bytes', #held - 16)
  end
  while redis.call('ZCARD', p .. ':dead:index') > tonumber(ARGV[1])
    or (redis.call('GET', p .. ':dead:bytes') or 0) + 0 > tonumber(ARGV[2]) do
    local oldest = redis.call('ZRANGE', p .. ':dead:index', 0, 0)[1]
    if not oldest then break end
    takeDead(oldest)
  end
end
local function release(group, delay)
  if redis.call('EXISTS', p .. ':group:' .. group) == 0 then return drop(group) end
  redis.call('HDEL', p .. ':leases', group)
  redis.call('HDEL', p .. ':leased', group)
  if delay > 0 then postpone(group, now + delay) else makeDueFromLater(group) end
end
local results, at = {}, 3
while at <= #ARGV do
  local group, dead, last = ARGV[at], ARGV[at + 5], at + 7 + ARGV[at + 7]
  local isValid = redis.call('HGET', p .. ':leases', group) == ARGV[at + 1]
  if isValid then
    local leased = ARGV[at + 4] == '1' and redis.call('HGET', p .. ':leased', group)
    remember(group, ARGV[at + 2], at + 8, last)
    if leased and redis.call('HEXISTS', p .. ':entries', leased) == 1 then redis.call('HINCRBY', p .. ':failures', leased, 1) end
    if dead ~= '' then addDead(dead, group, ARGV[at + 6]) end
    release(group, tonumber(ARGV[at + 3]))
  end
  results[#results + 1] = isValid and 1 or 0
  at = last + 1
end
return results`;

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
export const redrive = `${draining}
local held = takeDead(ARGV[1])
if not held then return 0 end
redis.call('INCRBY', p .. ':bytes', #held - 16)
insert(ARGV[1], ARGV[2], ARGV[3], string.sub(held, 17), ARGV[4], redis.call('INCR', p .. ':arrivals'))
return 1`;

/** Arguments: key. */
export const removeDeadLetter = `${draining}
return takeDead(ARGV[1]) and 1 or 0`;
