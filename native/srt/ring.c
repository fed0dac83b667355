#include "ring.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"

/* Chunks released by one ring are reused by the next that grows: GOPs come and go every second. */
enum { SPARES = 32 };

static struct {
  uint8_t *spares[SPARES];
  uint32_t spare_count;
  uint64_t used; /* chunks */
  uint64_t limit; /* bytes */
} pool = {.limit = 256 << 20};

void rings_set_limit(uint64_t bytes) { pool.limit = bytes; }
uint64_t rings_limit(void) { return pool.limit; }
uint64_t rings_held(void) { return pool.used * RING_CHUNK; }

void rings_close(void) {
  while (pool.spare_count > 0) free(pool.spares[--pool.spare_count]);
}

static uint8_t *take_chunk(void) {
  uint8_t *chunk = pool.spare_count > 0 ? pool.spares[--pool.spare_count] : malloc(RING_CHUNK);
  if (chunk != NULL) pool.used++;
  return chunk;
}

static void give_chunk(uint8_t *chunk) {
  pool.used--;
  if (pool.spare_count < SPARES) pool.spares[pool.spare_count++] = chunk;
  else free(chunk);
}

static uint8_t **chunk_of(struct ring *ring, uint64_t offset) {
  return &ring->chunks[offset / RING_CHUNK % RING_CHUNKS];
}

void ring_init(struct ring *ring) {
  memset(ring, 0, sizeof *ring);
  ring->entry = ring->entry_before = RING_NONE;
  ring->has_readers = true;
}

void ring_clear(struct ring *ring) {
  for (uint32_t i = 0; i < RING_CHUNKS && ring->chunk_count > 0; i++) {
    if (ring->chunks[i] == NULL) continue;
    give_chunk(ring->chunks[i]);
    ring->chunks[i] = NULL;
    ring->chunk_count--;
  }
  ring->tail = ring->head;
  ring->entry = ring->entry_before = RING_NONE;
  ring->mark_count = 0;
}

/* The oldest byte that a receiver within its lag bound may still read. */
static uint64_t lag_from(const struct ring *ring, int64_t now) {
  uint64_t from = ring->head - ring->tail > RING_LAG_BYTES ? ring->head - RING_LAG_BYTES : ring->tail;
  uint32_t oldest = ring->mark_count > RING_MARKS ? ring->mark_count - RING_MARKS : 0;
  for (uint32_t i = ring->mark_count; i > oldest; i--) {
    const struct ring_mark *mark = &ring->marks[(i - 1) % RING_MARKS];
    if (now - mark->at <= MS(RING_LAG_MS)) continue;
    if (mark->offset > from) from = mark->offset;
    break;
  }
  return from;
}

/* The oldest byte still worth keeping. */
static uint64_t wanted_from(const struct ring *ring, int64_t now) {
  uint64_t from = ring->has_readers ? lag_from(ring, now) : ring->head;
  if (ring->entry < from) from = ring->entry;
  /* A receiver that started at the previous random access point has the same time to catch up. */
  bool is_started = ring->has_readers && now - ring->entry_at <= MS(RING_LAG_MS);
  if (is_started && ring->entry_before < from) from = ring->entry_before;
  return from;
}

static void drop_before(struct ring *ring, uint64_t offset) {
  for (uint64_t at = ring->tail / RING_CHUNK; at < offset / RING_CHUNK; at++) {
    uint8_t **chunk = &ring->chunks[at % RING_CHUNKS];
    if (*chunk == NULL) continue;
    give_chunk(*chunk);
    *chunk = NULL;
    ring->chunk_count--;
  }
  ring->tail = offset;
  if (ring->entry < offset) ring->entry = RING_NONE;
  if (ring->entry_before < offset) ring->entry_before = RING_NONE;
}

/* A GOP that is too long or too large cannot be joined before its end; its memory is released. */
static void evict(struct ring *ring, size_t length, int64_t now) {
  const uint64_t max = rings_held() > pool.limit ? RING_OWN : RING_MAX;
  if (now - ring->entry_at > MS(RING_MAX_MS)) ring->entry = RING_NONE;
  if (ring->head + length - wanted_from(ring, now) > max) ring->entry_before = RING_NONE;
  if (ring->head + length - wanted_from(ring, now) > max) ring->entry = RING_NONE;
  const uint64_t from = wanted_from(ring, now);
  if (from > ring->tail) drop_before(ring, from);
}

void ring_trim(struct ring *ring, int64_t now) { evict(ring, 0, now); }

static bool make_room(struct ring *ring, size_t length) {
  const uint64_t end = ring->head + length;
  for (uint64_t at = ring->head; at < end; at = (at / RING_CHUNK + 1) * RING_CHUNK) {
    uint8_t **chunk = chunk_of(ring, at);
    if (*chunk != NULL) continue;
    *chunk = take_chunk();
    if (*chunk == NULL) return false;
    ring->chunk_count++;
  }
  return true;
}

static void copy_in(struct ring *ring, const uint8_t *bytes, size_t length) {
  for (size_t copied = 0; copied < length;) {
    const size_t at = (size_t)((ring->head + copied) % RING_CHUNK);
    size_t run = RING_CHUNK - at;
    if (run > length - copied) run = length - copied;
    memcpy(*chunk_of(ring, ring->head + copied) + at, bytes + copied, run);
    copied += run;
  }
}

static void add_mark(struct ring *ring, int64_t now) {
  if (ring->mark_count > 0 && now - ring->marks[(ring->mark_count - 1) % RING_MARKS].at < MS(10)) return;
  ring->marks[ring->mark_count++ % RING_MARKS] = (struct ring_mark){.offset = ring->head, .at = now};
}

bool ring_append(struct ring *ring, const uint8_t *bytes, size_t length, bool is_entry, int64_t now) {
  if (length > RING_LAG_BYTES) return false;
  evict(ring, length, now);
  if (!make_room(ring, length)) {
    /* The ring's own memory may be enough. */
    ring_clear(ring);
    if (!make_room(ring, length)) {
      ring_clear(ring);
      return false;
    }
  }
  add_mark(ring, now);
  copy_in(ring, bytes, length);
  if (is_entry) {
    ring->entry_before = ring->entry;
    ring->entry = ring->head;
    ring->entry_at = now;
  }
  ring->head += length;
  return true;
}

const uint8_t *ring_peek(const struct ring *ring, uint64_t offset, size_t length, uint8_t *scratch) {
  const size_t at = (size_t)(offset % RING_CHUNK);
  const uint8_t *chunk = ring->chunks[offset / RING_CHUNK % RING_CHUNKS];
  if (RING_CHUNK - at >= length) return chunk + at;
  const size_t first = RING_CHUNK - at;
  memcpy(scratch, chunk + at, first);
  memcpy(scratch + first, ring->chunks[(offset / RING_CHUNK + 1) % RING_CHUNKS], length - first);
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
  /* The byte arrived before the first mark after it. */
  return now - newer;
}
