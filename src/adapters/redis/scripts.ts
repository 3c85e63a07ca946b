/*
 * Redis runs a script as one step. All keys of a script have one hash tag, so that a cluster has them in one place. The
 * lease is `holder fence`. The counter of fences is a key of its own, which lasts longer than the leases.
 */

/**
 * KEYS: lease, fence, record. ARGV: holder, milliseconds or 0. A lease without an expiry counts as free: this store sets
 * none, and its holder would keep it for ever after its death. Returns: fence or '', the record's fields, the time.
 */
export const TURN = `
local lease = redis.call('GET', KEYS[1])
local mine = ARGV[1] .. ' '
local fence = ''
if lease and string.sub(lease, 1, #mine) == mine then
  fence = string.sub(lease, #mine + 1)
  if ARGV[2] ~= '0' then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
elseif ARGV[2] ~= '0' and (not lease or redis.call('PTTL', KEYS[1]) < 0) then
  fence = string.format('%.0f', redis.call('INCR', KEYS[2]))
  redis.call('SET', KEYS[1], mine .. fence, 'PX', ARGV[2])
end
local record = redis.call('HMGET', KEYS[3], 'version', 'confirmedAt')
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
return { fence, record[1] or '', record[2] or '', now }
`;

/** KEYS: snapshot. Returns: the bytes of the text. */
export const LENGTH = `return redis.call('STRLEN', KEYS[1])`;

/**
 * KEYS: lease, record, snapshot. ARGV: holder, fence, version, confirmedAt, and the text if it has
 * changed. If the text has another length than the record says, somebody has deleted or overwritten it. The counter of
 * fences does not matter here: a holder could never write again if it was lost.
 */
export const PUBLISH = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] .. ' ' .. ARGV[2] then return 'lost' end
if ARGV[5] then
  redis.call('SET', KEYS[3], ARGV[5])
else
  local known = redis.call('HMGET', KEYS[2], 'version', 'bytes')
  if known[1] ~= ARGV[3] or known[2] ~= tostring(redis.call('STRLEN', KEYS[3])) then return 'missing' end
end
local bytes = tostring(redis.call('STRLEN', KEYS[3]))
redis.call('HSET', KEYS[2], 'version', ARGV[3], 'confirmedAt', ARGV[4], 'bytes', bytes)
return 'published'
`;

/** KEYS: lease. ARGV: holder. */
export const RELEASE = `
local lease = redis.call('GET', KEYS[1])
local mine = ARGV[1] .. ' '
if lease and string.sub(lease, 1, #mine) == mine then redis.call('DEL', KEYS[1]) end
return 'released'
`;
