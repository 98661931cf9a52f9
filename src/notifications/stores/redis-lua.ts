/*
 * What the scripts of the Redis store have in common. Each script runs as a whole. Every key begins with the prefix p, which is
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

/** The time, turns of users, and the moves of groups and entries. */
export const common = `
local p = KEYS[1]
local time = redis.call('TIME')
local clock = redis.call('HMGET', p .. ':clock', 'latest', 'offset')
local latest, offset = tonumber(clock[1] or 0), tonumber(clock[2] or 0)
-- The time continues where it was when Redis' clock is set back.
local now = time[1] * 1000 + math.floor(time[2] / 1000) + offset
local function ms(n) return string.format('%.0f', n) end
if now < latest then offset, now = offset + latest - now, latest end
-- Before those that call it: a local function is not known earlier.
local function push(list, value, second)
  list[#list + 1] = value
  if second ~= nil then list[#list + 1] = second end
end
-- One command for many values costs much less than many commands. A list of any length would exceed Lua's stack.
local function send(command, name, list)
  for i = 1, #list, 1000 do redis.call(command, p .. name, unpack(list, i, math.min(i + 999, #list))) end
end
local function fields(name, list)
  local values = {}
  for i = 1, #list, 1000 do
    local part = redis.call('HMGET', p .. name, unpack(list, i, math.min(i + 999, #list)))
    if #list <= 1000 then return part end
    for _, value in ipairs(part) do push(values, value) end
  end
  return values
end
-- Users take turns: a user with many groups does not delay the groups of others.
local served, turns = nil, {}
local function turnOf(user)
  served = served or tonumber(redis.call('HGET', p .. ':clock', 'served') or 0)
  turns[user] = math.max(served, tonumber(turns[user] or redis.call('ZSCORE', p .. ':turns', user) or 0)) + 1
  return ms(turns[user])
end
local function makeDue(group)
  local user = redis.call('HGET', p .. ':users', group) or ''
  redis.call('ZADD', p .. ':due', turnOf(user), group)
  redis.call('ZADD', p .. ':turns', ms(turns[user]), user)
end
local function makeDueFromLater(group)
  redis.call('ZREM', p .. ':later', group)
  makeDue(group)
end
local function postpone(groups, untilTime)
  local later = {}
  for _, group in ipairs(groups) do push(later, ms(untilTime), group) end
  send('ZREM', ':due', groups)
  send('ZADD', ':later', later)
end
-- A group that has a turn, or whose lease or delay has ended.
local function hasDueGroup()
  return redis.call('ZCARD', p .. ':due') > 0 or #redis.call('ZRANGEBYSCORE', p .. ':later', '-inf', ms(now), 'LIMIT', 0, 1) > 0
end
-- Each entry: key, group, sent, text, user, arrival. With token and leaseMs, it is leased if its group is new and none is due.
local function insert(entries)
  local groups, held, users, due = {}, {}, {}, { 'NX' }
  local leases, leasedKeys, later = {}, {}, {}
  local hasDue = hasDueGroup()
  for _, entry in ipairs(entries) do push(groups, entry.group) end
  local known, isDue = fields(':users', groups), {}
  for i, entry in ipairs(entries) do
    local number, group = string.format('%016.0f', entry.arrival), entry.group
    push(held, entry.key, number .. entry.text)
    push(users, group, entry.user)
    redis.call('ZADD', p .. ':group:' .. group, entry.sent, number .. entry.key)
    local isScheduled = isDue[group] or redis.call('ZSCORE', p .. ':later', group) or (known[i] and redis.call('ZSCORE', p .. ':due', group))
    if not isScheduled and not known[i] and not hasDue and entry.token then
      entry.isLeased = true
      push(leases, group, entry.token)
      push(leasedKeys, group, entry.key)
      push(later, ms(now + entry.leaseMs), group)
    elseif not isScheduled then
      hasDue = true
      push(due, turnOf(entry.user), group)
    end
    isDue[group] = true
  end
  send('HSET', ':entries', held)
  send('HSET', ':users', users)
  if #due > 1 then redis.call('ZADD', p .. ':due', unpack(due)) end
  for user, turn in pairs(turns) do redis.call('ZADD', p .. ':turns', ms(turn), user) end
  send('HSET', ':leases', leases)
  send('HSET', ':leased', leasedKeys)
  send('ZADD', ':later', later)
end
local function forget(keys, bytes)
  if #keys == 0 then return end
  for _, name in ipairs({ ':entries', ':failures', ':stalls' }) do send('HDEL', name, keys) end
  redis.call('DECRBY', p .. ':bytes', ms(bytes))
end
local function drop(groups)
  for _, name in ipairs({ ':due', ':later' }) do send('ZREM', name, groups) end
  for _, name in ipairs({ ':leases', ':leased', ':users' }) do send('HDEL', name, groups) end
end`;

/**
 * When its memory is full, Redis rejects a script whose first write may take memory. Draining must go on, so the first write
 * of these scripts takes none.
 */
export const draining = `${common}
redis.call('DEL', p .. ':none')
if now > latest + 10000 or offset ~= tonumber(clock[2] or 0) then
  redis.call('HSET', p .. ':clock', 'latest', ms(now), 'offset', ms(offset))
end`;
