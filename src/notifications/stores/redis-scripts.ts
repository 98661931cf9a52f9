import { takeDead } from './redis-dead-letters.js';
import { common, draining } from './redis-lua.js';

/**
 * Arguments: maxWaiting, maxWaitingBytes, then of each: key, groupId, sentAt, entry, user, and to lease it the token and
 * leaseMs, else an empty string and 0. Returns the state of each; `leased` if it is added and leased.
 */
export const add = `${common}
local states, added, entries, addedBytes = {}, {}, {}, 0
local keys, seen = {}, {}
for i = 3, #ARGV, 7 do
  push(keys, ARGV[i])
  push(seen, p .. ':seen:' .. ARGV[i])
end
local waiting, dead, processed = fields(':entries', keys), fields(':dead', keys), redis.call('MGET', unpack(seen))
local count = redis.call('HLEN', p .. ':entries')
local bytes = tonumber(redis.call('GET', p .. ':bytes') or 0)
for n, key in ipairs(keys) do
  local i, state = 7 * n - 4, 'added'
  if added[key] or waiting[n] then state = 'waiting'
  elseif processed[n] or dead[n] then state = 'processed'
  elseif count >= tonumber(ARGV[1]) then state = 'maxWaiting'
  elseif bytes + addedBytes + #ARGV[i + 3] > tonumber(ARGV[2]) then state = 'maxWaitingBytes'
  else
    added[key], count, addedBytes = true, count + 1, addedBytes + #ARGV[i + 3]
    local entry = { key = key, group = ARGV[i + 1], sent = ARGV[i + 2], text = ARGV[i + 3], user = ARGV[i + 4], index = n }
    if ARGV[i + 5] ~= '' then entry.token, entry.leaseMs = ARGV[i + 5], ARGV[i + 6] end
    push(entries, entry)
  end
  push(states, state)
end
if #entries == 0 then return states end
local arrival = redis.call('INCRBY', p .. ':arrivals', #entries) - #entries
for n, entry in ipairs(entries) do entry.arrival = arrival + n end
redis.call('INCRBY', p .. ':bytes', addedBytes)
insert(entries)
for _, entry in ipairs(entries) do if entry.isLeased then states[entry.index] = 'leased' end end
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
served = tonumber(served or redis.call('HGET', p .. ':clock', 'served') or 0)
if ARGV[5] == '' then
  local due = redis.call('ZRANGE', p .. ':due', 0, ARGV[2] - 1, 'WITHSCORES')
  for i = 1, #due, 2 do
    push(groups, due[i])
    served = math.max(served, due[i + 1])
  end
else
  local turn = redis.call('ZSCORE', p .. ':due', ARGV[5])
  local isDelayed = redis.call('ZSCORE', p .. ':later', ARGV[5]) and redis.call('HEXISTS', p .. ':leases', ARGV[5]) == 0
  if turn or isDelayed then groups = { ARGV[5] } end
  served = math.max(served, turn or 0)
end
for _, stalled in ipairs(fields(':leased', groups)) do
  if stalled and redis.call('HEXISTS', p .. ':entries', stalled) == 1 then redis.call('HINCRBY', p .. ':stalls', stalled, 1) end
end
local index = ARGV[4] == '1' and -1 or 0
local keys, firsts = {}, {}
for n, group in ipairs(groups) do
  firsts[n] = redis.call('ZRANGE', p .. ':group:' .. group, index, index)[1] or ''
  keys[n] = string.sub(firsts[n], 17)
end
local held = fields(':entries', keys)
local leased, tokens, leasedKeys, leases, empty = {}, {}, {}, {}, {}
for n, group in ipairs(groups) do
  while firsts[n] ~= '' and not held[n] do
    redis.call('ZREM', p .. ':group:' .. group, firsts[n])
    missing = missing + 1
    firsts[n] = redis.call('ZRANGE', p .. ':group:' .. group, index, index)[1] or ''
    keys[n] = string.sub(firsts[n], 17)
    held[n] = redis.call('HGET', p .. ':entries', keys[n])
  end
  if firsts[n] == '' then push(empty, group)
  else
    push(leased, group)
    push(tokens, group, ARGV[1])
    push(leasedKeys, group, keys[n])
    push(leases, { group, keys[n], string.sub(held[n], 17) })
  end
end
drop(empty)
postpone(leased, now + ARGV[3])
send('HSET', ':leases', tokens)
send('HSET', ':leased', leasedKeys)
keys = {}
for _, lease in ipairs(leases) do push(keys, lease[2]) end
local failures, stalls = fields(':failures', keys), fields(':stalls', keys)
for n, lease in ipairs(leases) do
  push(lease, tonumber(failures[n] or 0), tonumber(stalls[n] or 0))
  if ARGV[4] == '1' then
    for _, member in ipairs(redis.call('ZRANGE', p .. ':group:' .. lease[1], 0, -2)) do push(lease, string.sub(member, 17)) end
  end
end
if #groups > 0 then
  redis.call('HSET', p .. ':clock', 'served', ms(served))
  redis.call('ZREMRANGEBYSCORE', p .. ':turns', '-inf', ms(served))
end
local first = redis.call('ZRANGE', p .. ':later', 0, 0, 'WITHSCORES')
local reply = { first[2] and math.max(0, first[2] - now) or -1, missing }
if redis.call('ZCARD', p .. ':due') > 0 then reply[1] = 0 end
for _, lease in ipairs(leases) do push(reply, lease) end
return reply`;

/** Arguments: leaseMs, then groupId and token of each lease. Returns the groups whose lease is lost. */
export const renew = `${draining}
local groups, kept, lost = {}, {}, {}
for i = 2, #ARGV, 2 do push(groups, ARGV[i]) end
for i, token in ipairs(fields(':leases', groups)) do push(token == ARGV[2 * i + 1] and kept or lost, groups[i]) end
postpone(kept, now + ARGV[1])
return lost`;

/** Ends the entries ARGV[from] to ARGV[to] of a group, which were handled; `forgetTaken` deletes them. */
const remember = `
local taken, takenKeys, takenBytes = {}, {}, 0
local function take(group, keys, held)
  local members = {}
  for n, key in ipairs(keys) do
    if held[n] and not taken[key] then
      taken[key], takenBytes = true, takenBytes + #held[n] - 16
      push(takenKeys, key)
      push(members, string.sub(held[n], 1, 16) .. key)
    end
  end
  send('ZREM', ':group:' .. group, members)
end
local function remember(group, deduplicationMs, from, to)
  local keys = {}
  for i = from, to do
    push(keys, ARGV[i])
    redis.call('SET', p .. ':seen:' .. ARGV[i], '1', 'PX', deduplicationMs)
  end
  take(group, keys, fields(':entries', keys))
end`;

/** Arguments: groupId, token, deduplicationMs, handled keys. The lease goes on. Returns 1, or 0 when the lease is lost. */
export const settlePart = `${draining}${remember}
if redis.call('HGET', p .. ':leases', ARGV[1]) ~= ARGV[2] then return 0 end
remember(ARGV[1], ARGV[3], 4, #ARGV)
forget(takenKeys, takenBytes)
return 1`;

/**
 * Arguments: maxDead, maxDeadBytes, then of each lease: groupId, token, deduplicationMs, delay in ms, whether it is a failure
 * (1 or 0), key of the dead letter or an empty string, its failure as JSON, number of handled keys, handled keys.
 * Returns of each lease 1, or 0 when it is lost.
 */
export const settle = `${draining}${takeDead}${remember}
local function addDead(key, group, failure)
  local attempts = 1 + (redis.call('HGET', p .. ':failures', key) or 0) + (redis.call('HGET', p .. ':stalls', key) or 0)
  local held = redis.call('HGET', p .. ':entries', key)
  if held and not taken[key] then
    take(group, { key }, { held })
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
local ended, empty = {}, {}
local function release(group, delay)
  ended[group] = true
  if redis.call('EXISTS', p .. ':group:' .. group) == 0 then return push(empty, group) end
  redis.call('HDEL', p .. ':leases', group)
  redis.call('HDEL', p .. ':leased', group)
  if delay > 0 then postpone({ group }, now + delay) else makeDueFromLater(group) end
end
local groups, at = {}, 3
while at <= #ARGV do
  push(groups, ARGV[at])
  at = at + 8 + ARGV[at + 7]
end
local tokens, results = fields(':leases', groups), {}
at = 3
for n, group in ipairs(groups) do
  local dead, last = ARGV[at + 5], at + 7 + ARGV[at + 7]
  local isValid = tokens[n] == ARGV[at + 1] and not ended[group]
  if isValid then
    local leased = ARGV[at + 4] == '1' and redis.call('HGET', p .. ':leased', group)
    remember(group, ARGV[at + 2], at + 8, last)
    if leased and not taken[leased] and redis.call('HEXISTS', p .. ':entries', leased) == 1 then
      redis.call('HINCRBY', p .. ':failures', leased, 1)
    end
    if dead ~= '' then addDead(dead, group, ARGV[at + 6]) end
    release(group, tonumber(ARGV[at + 3]))
  end
  results[n] = isValid and 1 or 0
  at = last + 1
end
forget(takenKeys, takenBytes)
drop(empty)
return results`;
