#include "ts-clip.h"

#include "clock.h"
#include "fail.h"
#include "marker.h"

#include <string.h>

enum { packet_size = 188, pid_count = 8192, clock_hz = 90000, pcr_offset = 6 };
enum field_kind { field_pcr, field_pts, field_stamp };

/* A field to rewrite in a packet before it is sent. */
struct field {
  size_t at;
  enum field_kind kind;
  uint64_t value;
};

struct ts_clip {
  uint8_t *data;
  size_t packets;
  uint64_t *due_ns;
  struct field *fields;
  size_t field_count;
  uint64_t length_ns;
  uint64_t length_90k;
  uint8_t continuity[pid_count];
  size_t next_packet;
  size_t next_field;
  uint64_t loop;
  uint32_t frame;
  uint8_t stamp[MARKER_STAMP_SIZE];
};

static uint64_t read_pcr(const uint8_t *at) {
  return (uint64_t)at[0] << 25 | (uint64_t)at[1] << 17 | (uint64_t)at[2] << 9 | (uint64_t)at[3] << 1 | at[4] >> 7;
}

static void write_pcr(uint8_t *at, uint64_t base) {
  at[0] = (uint8_t)(base >> 25);
  at[1] = (uint8_t)(base >> 17);
  at[2] = (uint8_t)(base >> 9);
  at[3] = (uint8_t)(base >> 1);
  at[4] = (uint8_t)((at[4] & 0x7f) | (base & 1) << 7);
}

static uint64_t read_pts(const uint8_t *at) {
  return (uint64_t)(at[0] >> 1 & 7) << 30 | (uint64_t)at[1] << 22 | (uint64_t)(at[2] >> 1) << 15 | (uint64_t)at[3] << 7 | at[4] >> 1;
}

static void write_pts(uint8_t *at, uint64_t value) {
  at[0] = (uint8_t)((at[0] & 0xf1) | (value >> 30 & 7) << 1);
  at[1] = (uint8_t)(value >> 22);
  at[2] = (uint8_t)((value >> 15 & 0x7f) << 1 | 1);
  at[3] = (uint8_t)(value >> 7);
  at[4] = (uint8_t)((value & 0x7f) << 1 | 1);
}

static void add_field(struct ts_clip *clip, size_t at, enum field_kind kind, uint64_t value) {
  clip->fields[clip->field_count++] = (struct field){at, kind, value};
}

/* Finds the mark in the elementary stream, where packet headers may split it, and records each byte of its stamp. */
struct mark_search {
  uint8_t window[MARKER_ID_SIZE];
  int stamp_left;
};

static void search_mark(struct ts_clip *clip, struct mark_search *search, size_t from, size_t to) {
  for (size_t at = from; at < to; at++) {
    if (search->stamp_left > 0) {
      add_field(clip, at, field_stamp, (uint64_t)(MARKER_STAMP_SIZE - search->stamp_left));
      search->stamp_left--;
      continue;
    }
    memmove(search->window, search->window + 1, MARKER_ID_SIZE - 1);
    search->window[MARKER_ID_SIZE - 1] = clip->data[at];
    if (clip->data[at] == marker_id[MARKER_ID_SIZE - 1] && memcmp(search->window, marker_id, MARKER_ID_SIZE) == 0) {
      search->stamp_left = MARKER_STAMP_SIZE;
    }
  }
}

/* Video PES only; returns whether this packet starts one. */
static int note_pes(struct ts_clip *clip, size_t payload) {
  const uint8_t *pes = clip->data + payload;
  if (pes[0] != 0 || pes[1] != 0 || pes[2] != 1 || (pes[3] & 0xc0) != 0xc0) return 0;
  if (pes[7] & 0x80) add_field(clip, payload + 9, field_pts, read_pts(pes + 9));
  if (pes[7] & 0x40) add_field(clip, payload + 14, field_pts, read_pts(pes + 14));
  return (pes[3] & 0xf0) == 0xe0;
}

static void pace(struct ts_clip *clip, size_t from_packet, uint64_t from_ns, size_t to_packet, uint64_t to_ns) {
  for (size_t i = from_packet; i < to_packet; i++) {
    clip->due_ns[i] = from_ns + (to_ns - from_ns) * (i - from_packet) / (to_packet - from_packet);
  }
}

/* Between two clock references packets are sent evenly, as by an encoder that knows its bitrate. */
static void index_clip(struct ts_clip *clip) {
  struct mark_search search = {.stamp_left = 0};
  int video_pid = -1;
  uint64_t first_pcr = 0, last_ns = 0;
  size_t last_packet = 0;
  int has_pcr = 0;
  for (size_t i = 0; i < clip->packets; i++) {
    const size_t at = i * packet_size;
    const uint8_t *packet = clip->data + at;
    const int pid = (packet[1] & 31) << 8 | packet[2];
    const size_t adaptation = packet[3] & 0x20 ? 1u + packet[4] : 0;
    if (adaptation > 1 && (packet[5] & 0x10)) {
      const uint64_t pcr = read_pcr(packet + pcr_offset);
      add_field(clip, at + pcr_offset, field_pcr, pcr);
      if (!has_pcr) first_pcr = pcr;
      has_pcr = 1;
      const uint64_t ns = (pcr - first_pcr) * NS_PER_S / clock_hz;
      pace(clip, last_packet, last_ns, i, ns);
      last_packet = i;
      last_ns = ns;
    }
    if (!(packet[3] & 0x10)) continue;
    if ((packet[1] & 0x40) && note_pes(clip, at + 4 + adaptation)) video_pid = pid;
    if (pid == video_pid) search_mark(clip, &search, at + 4 + adaptation, at + packet_size);
  }
  pace(clip, last_packet, last_ns, clip->packets, clip->length_ns);
}

struct ts_clip *ts_clip_load(const char *path, uint32_t length_ms) {
  struct ts_clip *clip = allocate(sizeof *clip);
  unsigned long size;
  clip->data = read_file(path, &size);
  clip->packets = size / packet_size;
  clip->due_ns = allocate(clip->packets * sizeof *clip->due_ns);
  /* Most fields are stamps: 24 bytes in a frame of dozens of packets. */
  clip->fields = allocate(clip->packets * 4 * sizeof *clip->fields);
  clip->length_ns = (uint64_t)length_ms * NS_PER_MS;
  clip->length_90k = (uint64_t)length_ms * (clock_hz / 1000);
  index_clip(clip);
  if (clip->field_count == 0) fail("%s has no clock references", path);
  return clip;
}

uint64_t ts_clip_due(const struct ts_clip *clip) { return clip->loop * clip->length_ns + clip->due_ns[clip->next_packet]; }
uint32_t ts_clip_frames(const struct ts_clip *clip) { return clip->frame; }

static void rewrite(struct ts_clip *clip, const struct field *field) {
  uint8_t *at = clip->data + field->at;
  const uint64_t shifted = (field->value + clip->loop * clip->length_90k) & 0x1ffffffffull;
  if (field->kind == field_pcr) write_pcr(at, shifted);
  if (field->kind == field_pts) write_pts(at, shifted);
  if (field->kind != field_stamp) return;
  if (field->value == 0) marker_format(clip->stamp, (struct marker_stamp){clock_ns(), clip->frame++});
  *at = clip->stamp[field->value];
}

const uint8_t *ts_clip_next(struct ts_clip *clip) {
  uint8_t *packet = clip->data + clip->next_packet * packet_size;
  const size_t end = (clip->next_packet + 1) * packet_size;
  while (clip->next_field < clip->field_count && clip->fields[clip->next_field].at < end) {
    rewrite(clip, &clip->fields[clip->next_field++]);
  }
  const int pid = (packet[1] & 31) << 8 | packet[2];
  if (packet[3] & 0x10) packet[3] = (uint8_t)((packet[3] & 0xf0) | (clip->continuity[pid]++ & 15));
  clip->next_packet++;
  if (clip->next_packet == clip->packets) {
    clip->next_packet = 0;
    clip->next_field = 0;
    clip->loop++;
  }
  return packet;
}
