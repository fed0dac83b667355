#ifndef SIGNALBOX_RING_H
#define SIGNALBOX_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A bounded ring of bytes with absolute offsets, in chunks allocated on demand: it holds the newest random access point
   and the last two seconds, so that a small stream costs little memory. Readers keep their own offset. */

enum {
  RING_CHUNK = 128 << 10,
  /* Guaranteed to every ring; more only while all rings together are below their limit. */
  RING_OWN = 8 << 20,
  RING_MAX = 128 << 20,
  RING_MAX_MS = 65000,
  RING_CHUNKS = RING_MAX / RING_CHUNK + 1,
  RING_LAG_BYTES = 4 << 20,
  RING_LAG_MS = 2000,
  RING_MARKS = 256,
};

#define RING_NONE UINT64_MAX

struct ring_mark {
  uint64_t offset;
  int64_t at;
};

struct ring {
  uint8_t *chunks[RING_CHUNKS]; /* of an offset: offset / RING_CHUNK % RING_CHUNKS */
  uint32_t chunk_count;
  uint64_t head;  /* offset after the newest byte */
  uint64_t tail;  /* offset of the oldest byte held */
  uint64_t entry; /* offset of the newest random access point held, or RING_NONE */
  int64_t entry_at;
  uint64_t entry_before; /* the previous one, which receivers may be about to read, or RING_NONE */
  bool has_readers; /* if false, only future receivers count, which start at the newest random access point */
  /* Arrival times of bytes by offset, at least 10 ms apart, oldest overwritten first. */
  struct ring_mark marks[RING_MARKS];
  uint32_t mark_count; /* total ever made */
};

/* Of all rings of this process, in bytes. */
void rings_set_limit(uint64_t bytes);
uint64_t rings_limit(void);
uint64_t rings_held(void);
/* Frees the chunks kept for reuse. */
void rings_close(void);

void ring_init(struct ring *ring);
/* Discards the bytes and releases the memory; offsets continue, so that readers notice that theirs is gone. */
void ring_clear(struct ring *ring);
/* Releases memory that no reader may access any more; ring_append does so, too. */
void ring_trim(struct ring *ring, int64_t now);
/* Returns false if out of memory: these bytes and all held before are lost. */
bool ring_append(struct ring *ring, const uint8_t *bytes, size_t length, bool is_entry, int64_t now);
/* `length` bytes at `offset`, at most RING_CHUNK: a pointer into the ring, or into `scratch` across a chunk
   boundary. */
const uint8_t *ring_peek(const struct ring *ring, uint64_t offset, size_t length, uint8_t *scratch);
/* Minimum age of the byte at `offset`, in microseconds. */
int64_t ring_age(const struct ring *ring, uint64_t offset, int64_t now);

#endif
