#ifndef SIGNALBOX_RING_H
#define SIGNALBOX_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A bounded ring of bytes with absolute offsets. It grows up to its hard bound while the newest entry point and the
   last two seconds need it, so that a small stream costs little memory. Readers keep their own offset. */

enum {
  RING_FIRST = 256 << 10,
  RING_HARD = 8 << 20,
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
  uint8_t *data;
  size_t capacity;
  uint64_t head;  /* offset behind the newest byte */
  uint64_t tail;  /* offset of the oldest byte held */
  uint64_t entry; /* offset of the newest entry point held, or RING_NONE */
  bool has_readers; /* else only those who will join count, who begin at the newest entry point */
  /* When the byte at an offset arrived, every 10 ms or more, oldest overwritten first. */
  struct ring_mark marks[RING_MARKS];
  uint32_t mark_count; /* ever made */
};

void ring_init(struct ring *ring);
/* Forgets the bytes and gives the memory back; offsets go on, so that readers see that theirs is gone. */
void ring_clear(struct ring *ring);
bool ring_append(struct ring *ring, const uint8_t *bytes, size_t length, bool is_entry, int64_t now);
/* `length` bytes at `offset`: a pointer into the ring, or into `scratch` where the bytes wrap around. */
const uint8_t *ring_peek(const struct ring *ring, uint64_t offset, size_t length, uint8_t *scratch);
/* How long ago the byte at `offset` arrived, at least; microseconds. */
int64_t ring_age(const struct ring *ring, uint64_t offset, int64_t now);

#endif
