#include "ring.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"

void ring_init(struct ring *ring) {
  memset(ring, 0, sizeof *ring);
  ring->entry = RING_NONE;
  ring->has_readers = true;
}

void ring_clear(struct ring *ring) {
  free(ring->data);
  ring->data = NULL;
  ring->capacity = 0;
  ring->tail = ring->head;
  ring->entry = RING_NONE;
  ring->mark_count = 0;
}

static void copy_in(struct ring *ring, uint64_t offset, const uint8_t *bytes, size_t length) {
  size_t at = (size_t)(offset & (ring->capacity - 1));
  size_t first = ring->capacity - at < length ? ring->capacity - at : length;
  memcpy(ring->data + at, bytes, first);
  memcpy(ring->data, bytes + first, length - first);
}

static bool grow(struct ring *ring, size_t capacity) {
  struct ring old = *ring;
  ring->data = malloc(capacity);
  if (ring->data == NULL) {
    ring->data = old.data;
    return false;
  }
  ring->capacity = capacity;
  for (uint64_t offset = old.tail; offset < old.head;) {
    size_t at = (size_t)(offset & (old.capacity - 1));
    size_t run = old.capacity - at;
    if (run > old.head - offset) run = (size_t)(old.head - offset);
    copy_in(ring, offset, old.data + at, run);
    offset += run;
  }
  free(old.data);
  return true;
}

/* The oldest byte that is still worth holding: the newest entry point for those who join, and what a receiver
   within its lag bound may still read. */
static uint64_t wanted_from(const struct ring *ring, int64_t now) {
  if (!ring->has_readers) return ring->entry != RING_NONE ? ring->entry : ring->head;
  uint64_t from = ring->head - ring->tail > RING_LAG_BYTES ? ring->head - RING_LAG_BYTES : ring->tail;
  uint32_t oldest = ring->mark_count > RING_MARKS ? ring->mark_count - RING_MARKS : 0;
  for (uint32_t i = ring->mark_count; i > oldest; i--) {
    const struct ring_mark *mark = &ring->marks[(i - 1) % RING_MARKS];
    if (now - mark->at <= MS(RING_LAG_MS)) continue;
    if (mark->offset > from) from = mark->offset;
    break;
  }
  return ring->entry != RING_NONE && ring->entry < from ? ring->entry : from;
}

static bool make_room(struct ring *ring, size_t length, int64_t now) {
  size_t needed = (size_t)(ring->head - ring->tail) + length;
  if (ring->data != NULL && needed <= ring->capacity) return true;
  size_t wanted = (size_t)(ring->head - wanted_from(ring, now)) + length;
  size_t capacity = ring->capacity == 0 ? RING_FIRST : ring->capacity;
  while (capacity < wanted && capacity < RING_HARD) capacity *= 2;
  if (capacity != ring->capacity && !grow(ring, capacity)) return false;
  if (needed > ring->capacity) ring->tail = ring->head + length - ring->capacity;
  if (ring->entry != RING_NONE && ring->entry < ring->tail) ring->entry = RING_NONE;
  return true;
}

static void add_mark(struct ring *ring, int64_t now) {
  if (ring->mark_count > 0 && now - ring->marks[(ring->mark_count - 1) % RING_MARKS].at < MS(10)) return;
  ring->marks[ring->mark_count++ % RING_MARKS] = (struct ring_mark){.offset = ring->head, .at = now};
}

bool ring_append(struct ring *ring, const uint8_t *bytes, size_t length, bool is_entry, int64_t now) {
  if (length > RING_HARD || !make_room(ring, length, now)) return false;
  add_mark(ring, now);
  copy_in(ring, ring->head, bytes, length);
  if (is_entry) ring->entry = ring->head;
  ring->head += length;
  return true;
}

const uint8_t *ring_peek(const struct ring *ring, uint64_t offset, size_t length, uint8_t *scratch) {
  size_t at = (size_t)(offset & (ring->capacity - 1));
  if (ring->capacity - at >= length) return ring->data + at;
  size_t first = ring->capacity - at;
  memcpy(scratch, ring->data + at, first);
  memcpy(scratch + first, ring->data, length - first);
  return scratch;
}

int64_t ring_age(const struct ring *ring, uint64_t offset, int64_t now) {
  uint32_t oldest = ring->mark_count > RING_MARKS ? ring->mark_count - RING_MARKS : 0;
  int64_t newer = now;
  for (uint32_t i = ring->mark_count; i > oldest; i--) {
    const struct ring_mark *mark = &ring->marks[(i - 1) % RING_MARKS];
    if (mark->offset <= offset) break;
    newer = mark->at;
  }
  /* The byte arrived before the first mark that lies behind it. */
  return now - newer;
}
