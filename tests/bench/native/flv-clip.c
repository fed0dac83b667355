#include "flv-clip.h"

#include "fail.h"
#include "marker.h"

#include <string.h>

enum { file_header_size = 13, tag_header_size = 11, back_pointer_size = 4 };

static uint32_t read_u24(const uint8_t *at) { return (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2]; }

struct flv_clip flv_load(const char *path) {
  unsigned long size;
  uint8_t *file = read_file(path, &size);
  if (size < file_header_size || memcmp(file, "FLV", 3) != 0) fail("%s is not an FLV file", path);
  /* No tag is shorter than its header and back pointer. */
  struct flv_clip clip = {allocate(size / (tag_header_size + back_pointer_size) * sizeof(struct flv_tag)), 0};
  for (size_t at = file_header_size; at + tag_header_size <= size;) {
    const uint8_t *header = file + at;
    struct flv_tag *tag = &clip.tags[clip.count];
    tag->type = header[0];
    tag->size = read_u24(header + 1);
    tag->timestamp_ms = read_u24(header + 4) | (uint32_t)header[7] << 24;
    tag->body = file + at + tag_header_size;
    if (at + tag_header_size + tag->size > size) break;
    tag->stamp = tag->type == flv_video ? marker_find(tag->body, tag->size) : -1;
    at += tag_header_size + tag->size + back_pointer_size;
    clip.count++;
  }
  if (clip.count == 0) fail("%s has no tags", path);
  return clip;
}

int flv_is_header(const struct flv_tag *tag) {
  if (tag->type == flv_script) return 1;
  /* AVC and AAC: the second byte is 0 for a sequence header. */
  return tag->size >= 2 && tag->body[1] == 0;
}
