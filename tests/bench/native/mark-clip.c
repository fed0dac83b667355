/*
 * mark-clip in.flv out.flv length-ms
 *
 * Inserts a mark (marker.h) before the picture of every video frame and cuts the clip to a length at which it loops
 * without a gap.
 */
#include "fail.h"
#include "flv-clip.h"
#include "marker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { video_header_size = 5, nal_length_size = 4, nal_type_mask = 31, nal_last_vcl = 5, avc_end_of_sequence = 2 };

static uint32_t read_u32(const uint8_t *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void write_u24(uint8_t *at, uint32_t value) {
  at[0] = (uint8_t)(value >> 16);
  at[1] = (uint8_t)(value >> 8);
  at[2] = (uint8_t)value;
}

/* Offset of the length field of the first picture NAL unit. */
static size_t picture_offset(const struct flv_tag *tag) {
  size_t at = video_header_size;
  while (at + nal_length_size < tag->size) {
    const uint8_t type = tag->body[at + nal_length_size] & nal_type_mask;
    if (type >= 1 && type <= nal_last_vcl) return at;
    at += nal_length_size + read_u32(tag->body + at);
  }
  fail("a video frame at %u ms has no picture", tag->timestamp_ms);
}

static void write_tag(FILE *out, const struct flv_tag *tag, size_t insert_at, const uint8_t *insert, size_t insert_size) {
  const uint32_t size = tag->size + (uint32_t)insert_size;
  uint8_t header[11] = {tag->type};
  write_u24(header + 1, size);
  write_u24(header + 4, tag->timestamp_ms & 0xffffff);
  header[7] = (uint8_t)(tag->timestamp_ms >> 24);
  uint8_t back[4];
  back[0] = 0;
  write_u24(back + 1, size + sizeof header);
  fwrite(header, 1, sizeof header, out);
  fwrite(tag->body, 1, insert_at, out);
  fwrite(insert, 1, insert_size, out);
  fwrite(tag->body + insert_at, 1, tag->size - insert_at, out);
  fwrite(back, 1, sizeof back, out);
}

int main(int argc, char **argv) {
  if (argc != 4) fail("usage: mark-clip in.flv out.flv length-ms");
  const struct flv_clip clip = flv_load(argv[1]);
  const uint32_t length_ms = (uint32_t)atoi(argv[3]);
  FILE *out = fopen(argv[2], "wb");
  if (out == NULL) fail("cannot write %s", argv[2]);
  const uint8_t file_header[13] = {'F', 'L', 'V', 1, 5, 0, 0, 0, 9, 0, 0, 0, 0};
  fwrite(file_header, 1, sizeof file_header, out);

  uint8_t unit[nal_length_size + MARKER_NAL_SIZE] = {0, 0, 0, MARKER_NAL_SIZE};
  marker_write_nal(unit + nal_length_size);
  for (size_t i = 0; i < clip.count; i++) {
    const struct flv_tag *tag = &clip.tags[i];
    const int header = flv_is_header(tag);
    if (!header && tag->timestamp_ms >= length_ms) continue;
    if (tag->type == flv_video && tag->body[1] == avc_end_of_sequence) continue;
    if (tag->type == flv_video && !header) {
      write_tag(out, tag, picture_offset(tag), unit, sizeof unit);
    } else {
      write_tag(out, tag, tag->size, NULL, 0);
    }
  }
  if (fclose(out) != 0) fail("cannot write %s", argv[2]);
  return 0;
}
