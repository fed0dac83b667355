#include "ts_sync.h"

#include <string.h>

size_t ts_sync_start(const struct ts_sync *sync, uint8_t *data) {
  memcpy(data, sync->carry, sync->carried);
  return sync->carried;
}

static void keep_rest(struct ts_sync *sync, const uint8_t *rest, size_t length) {
  memcpy(sync->carry, rest, length);
  sync->carried = length;
}

/* Index of the first position where TS_LOCK_PACKETS sync bytes stand 188 apart, or `length` - what must be kept. */
static size_t find_lock(const uint8_t *data, size_t from, size_t length, bool *found) {
  const size_t span = TS_PACKET * (TS_LOCK_PACKETS - 1) + 1;
  *found = false;
  size_t at = from;
  while (at + span <= length) {
    const uint8_t *next = memchr(data + at, TS_SYNC_BYTE, length - span + 1 - at);
    if (next == NULL) return length - span + 1;
    at = (size_t)(next - data);
    bool all = true;
    for (size_t i = 1; i < TS_LOCK_PACKETS; i++) all = all && data[at + i * TS_PACKET] == TS_SYNC_BYTE;
    if (all) {
      *found = true;
      return at;
    }
    at++;
  }
  return at;
}

size_t ts_sync_run(struct ts_sync *sync, uint8_t *data, size_t length) {
  size_t at = 0;
  size_t kept = 0;
  for (;;) {
    if (!sync->is_locked) {
      size_t start = find_lock(data, at, length, &sync->is_locked);
      sync->junk += start - at;
      at = start;
      if (!sync->is_locked) break;
      sync->junk = 0;
    }
    size_t run = at;
    while (length - run >= TS_PACKET && data[run] == TS_SYNC_BYTE) run += TS_PACKET;
    if (kept != at) memmove(data + kept, data + at, run - at);
    kept += run - at;
    at = run;
    if (length - at < TS_PACKET) break;
    sync->is_locked = false;
  }
  keep_rest(sync, data + at, length - at);
  return kept;
}

bool ts_sync_is_hopeless(const struct ts_sync *sync) { return sync->junk > TS_JUNK_LIMIT; }

void ts_sync_break(struct ts_sync *sync) { sync->carried = 0; }
