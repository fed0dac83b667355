/* An FLV file in memory, as a list of tags. */
#ifndef BENCH_FLV_CLIP_H
#define BENCH_FLV_CLIP_H

#include <stddef.h>
#include <stdint.h>

enum { flv_audio = 8, flv_video = 9, flv_script = 18 };

struct flv_tag {
  uint8_t type;
  uint32_t timestamp_ms;
  uint32_t size;
  uint8_t *body;
  /* Offset of the mark's text in the body, or -1. */
  ptrdiff_t stamp;
};

struct flv_clip {
  struct flv_tag *tags;
  size_t count;
};

struct flv_clip flv_load(const char *path);
/* Sequence headers and metadata: sent once, never looped. */
int flv_is_header(const struct flv_tag *tag);

#endif
