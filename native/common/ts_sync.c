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

static const size_t strides[] = {TS_PACKET, 192, TS_STRIDE_MAX};

/* Returns the spacing of the packets that start at `at`; 0 if there are none. */
static size_t stride_at(const uint8_t *at) {
  for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
    bool all = true;
    for (size_t packet = 1; packet < TS_LOCK_PACKETS; packet++) all = all && at[packet * strides[i]] == TS_SYNC_BYTE;
    if (all) return strides[i];
  }
  return 0;
}

/* Returns where TS_LOCK_PACKETS equally spaced packets start, else the position from which to keep data. */
static size_t find_lock(struct ts_sync *sync, const uint8_t *data, size_t from, size_t length) {
  size_t at = from;
  while (at + TS_CARRY <= length) {
    const uint8_t *next = memchr(data + at, TS_SYNC_BYTE, length - TS_CARRY + 1 - at);
    if (next == NULL) return length - TS_CARRY + 1;
    at = (size_t)(next - data);
    sync->stride = stride_at(next);
    sync->is_locked = sync->stride > 0;
    if (sync->is_locked) return at;
    at++;
  }
  return at;
}

static bool is_packet(const uint8_t *data, size_t at, size_t length) {
  return at + TS_PACKET <= length && data[at] == TS_SYNC_BYTE;
}

/* Moves the packets starting at `from` to `to`, and advances both past them. */
static void take_run(const struct ts_sync *sync, uint8_t *data, size_t length, size_t *from, size_t *to) {
  const size_t part = sync->stride == TS_PACKET ? SIZE_MAX : TS_PACKET;
  while (is_packet(data, *from, length)) {
    size_t run = *from;
    while (run - *from < part && is_packet(data, run, length)) run += TS_PACKET;
    const size_t bytes = run - *from;
    if (*to != *from) memmove(data + *to, data + *from, bytes);
    *to += bytes;
    *from = run + sync->stride - TS_PACKET;
  }
}

size_t ts_sync_run(struct ts_sync *sync, uint8_t *data, size_t length) {
  size_t at = sync->skip < length ? sync->skip : length;
  size_t kept = 0;
  sync->skip -= at;
  for (;;) {
    if (!sync->is_locked) {
      size_t start = find_lock(sync, data, at, length);
      sync->junk += start - at;
      at = start;
      if (!sync->is_locked) break;
      sync->junk = 0;
    }
    take_run(sync, data, length, &at, &kept);
    if (at >= length || length - at < TS_PACKET) break;
    sync->is_locked = false;
  }
  if (at > length) {
    sync->skip = at - length;
    at = length;
  }
  keep_rest(sync, data + at, length - at);
  return kept;
}

bool ts_sync_has_failed(const struct ts_sync *sync) { return sync->junk > TS_JUNK_LIMIT; }

void ts_sync_break(struct ts_sync *sync) { sync->carried = sync->skip = 0; }
