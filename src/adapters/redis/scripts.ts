/*
 * Redis runs each of these Lua scripts as one atomic step. All keys of a script have the same hash tag, so that a Redis
 * cluster keeps these keys on one node. The value of the lease's key has the form `holder fence`: the id of the holder,
 * and the fence, which is a number that grows with each new holder. Redis also stores the last fence under a key of its
 * own, because the lease expires, and the fence of the next holder must still be larger.
 */

/**
 * Takes or prolongs the lease, and reads the record of the snapshot. KEYS: the keys of the lease, the fence and the
 * record. ARGV: the holder's id, and how many milliseconds the lease lasts. If the second argument is 0, the script
 * only reads, and changes no lease. The script treats a lease that never expires as free. The store itself never writes
 * a lease without an expiry, because nobody could take over such a lease if its holder died. Returns the fence (`''` if
 * the holder does not have the lease), the record's fields `version` and `confirmedAt` (`''` if there is no record),
 * and Redis's time in milliseconds.
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

/** Returns the length of the snapshot's text in bytes. KEYS: the key of the snapshot. */
export const LENGTH = `return redis.call('STRLEN', KEYS[1])`;

/**
 * Writes the record of the snapshot, and the snapshot's text if the caller passes one, provided that the caller still
 * holds the lease. KEYS: the keys of the lease, the record and the snapshot. ARGV: the holder's id, its fence, the
 * snapshot's version, the time `confirmedAt`, and the snapshot's text if it has changed. Returns `lost` if the caller
 * does not hold the lease, and `missing` if the caller passes no text and Redis does not have the text of this version,
 * for example because somebody has deleted it. The script compares the fence only with the lease, and not with the
 * counter of fences: if Redis lost that counter, the holder could never write again.
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

/** Ends the lease if the given holder has it. KEYS: the key of the lease. ARGV: the holder's id. */
export const RELEASE = `
local lease = redis.call('GET', KEYS[1])
local mine = ARGV[1] .. ' '
if lease and string.sub(lease, 1, #mine) == mine then redis.call('DEL', KEYS[1]) end
return 'released'
`;
