#include "ts_scan.h"

#include <stddef.h>
#include <string.h>

enum {
  NULL_PID = 0x1fff,
  TABLE_PAT = 0,
  TABLE_PMT = 2,
  RANDOM_ACCESS = 0x40,
  PES_HEADER = 9,
  STUFFING = 0xff,
  CHECKSUM = 4,
  SHORTEST = 8 + CHECKSUM,
  SHORTEST_PMT = 12 + CHECKSUM,
  /* A PMT is sent at least once per five PATs (every 500 ms and 100 ms, ETSI TR 101 290). */
  PATS_PER_PMT = 10,
};

enum kind { KIND_OTHER, KIND_VIDEO, KIND_AUDIO };

struct stream {
  enum kind kind;
  enum ts_codec codec;
};

void ts_scan_init(struct ts_scan *scan) {
  *scan = (struct ts_scan){.pmt_pid = TS_NO_PID, .video_pid = TS_NO_PID, .audio_pid = TS_NO_PID};
}

static uint16_t pid_at(const uint8_t *at) { return (uint16_t)((at[0] & 0x1f) << 8 | at[1]); }

static bool starts_payload(const uint8_t *packet) { return (packet[1] & 0x40) != 0; }

/* At most the end of the packet. */
static size_t payload_start(const uint8_t *packet) {
  const size_t adaptation = (packet[3] & 0x20) != 0 ? (size_t)1 + packet[4] : 0;
  return 4 + adaptation < TS_PACKET ? 4 + adaptation : TS_PACKET;
}

static bool is_random_access(const uint8_t *packet) {
  return (packet[3] & 0x20) != 0 && packet[4] > 0 && (packet[5] & RANDOM_ACCESS) != 0;
}

/* MPEG-2 CRC: not reflected, no final inversion (ISO/IEC 13818-1, annex A); 0 over a section including its own CRC. */
static uint32_t crc32(const uint8_t *bytes, size_t length) {
  uint32_t crc = 0xffffffff;
  for (size_t i = 0; i < length; i++) {
    crc ^= (uint32_t)bytes[i] << 24;
    for (int bit = 0; bit < 8; bit++) crc = (crc & 0x80000000) != 0 ? crc << 1 ^ 0x04c11db7 : crc << 1;
  }
  return crc;
}

static void add(struct ts_section *section, const uint8_t *bytes, size_t length) {
  if (section->length + length > sizeof section->bytes) return;
  memcpy(section->bytes + section->length, bytes, length);
  section->length += length;
}

typedef void (*take_section)(struct ts_scan *scan, const uint8_t *section, size_t length);

/* Passes on complete sections. */
static void take_whole(struct ts_scan *scan, struct ts_section *held, take_section take) {
  size_t at = 0;
  while (held->length - at >= 3 && held->bytes[at] != STUFFING) {
    const uint8_t *section = held->bytes + at;
    const size_t length = 3 + ((size_t)(section[1] & 0x0f) << 8 | section[2]);
    if (length > TS_SECTION_MAX) {
      held->length = 0;
      return;
    }
    if (held->length - at < length) break;
    if (length >= SHORTEST) take(scan, section, length);
    /* `take` switched to another program and cleared `held`. */
    if (held->length == 0) return;
    at += length;
  }
  if (held->length > at && held->bytes[at] == STUFFING) at = held->length;
  memmove(held->bytes, held->bytes + at, held->length - at);
  held->length -= at;
}

static void read_sections(struct ts_scan *scan, struct ts_section *held, const uint8_t *packet, take_section take) {
  const size_t start = payload_start(packet);
  if ((packet[3] & 0x10) == 0 || start == TS_PACKET) return;
  const uint8_t counter = packet[3] & 0x0f;
  const bool is_start = starts_payload(packet);
  /* Duplicate packets are permitted. */
  if (counter == held->counter && held->length > 0 && !is_start) return;
  if (counter != ((held->counter + 1) & 0x0f)) held->length = 0;
  held->counter = counter;
  if (!is_start) {
    if (held->length > 0) add(held, packet + start, TS_PACKET - start);
    take_whole(scan, held, take);
    return;
  }
  const size_t pointed = start + 1 + packet[start];
  const size_t begin = pointed < TS_PACKET ? pointed : TS_PACKET;
  if (held->length > 0) {
    add(held, packet + start + 1, begin - start - 1);
    take_whole(scan, held, take);
  }
  held->length = 0;
  add(held, packet + begin, TS_PACKET - begin);
  take_whole(scan, held, take);
}

/* Returns true if the section is new and currently applicable. */
static bool keep(struct ts_table *table, const uint8_t *section, size_t length) {
  if (length == table->length && memcmp(table->bytes, section, length) == 0) return false;
  if ((section[5] & 1) == 0 || crc32(section, length) != 0) return false;
  memcpy(table->bytes, section, length);
  table->length = length;
  return true;
}

/* Private streams are identified by their descriptors: a registration, or DVB's AC-3 and E-AC-3 tags. */
static struct stream stream_by_descriptors(const uint8_t *at, size_t length) {
  for (size_t i = 0; i + 2 <= length; i += (size_t)2 + at[i + 1]) {
    if (at[i] == 0x6a || at[i] == 0x7a) return (struct stream){KIND_AUDIO, TS_OTHER};
    if (at[i] != 0x05 || i + 6 > length) continue;
    const uint8_t *name = at + i + 2;
    if (memcmp(name, "Opus", 4) == 0 || memcmp(name, "AC-3", 4) == 0) return (struct stream){KIND_AUDIO, TS_OTHER};
    if (memcmp(name, "AV01", 4) == 0) return (struct stream){KIND_VIDEO, TS_AV1};
    if (memcmp(name, "HEVC", 4) == 0) return (struct stream){KIND_VIDEO, TS_HEVC};
  }
  return (struct stream){KIND_OTHER, TS_OTHER};
}

/* Stream types of ISO/IEC 13818-1 table 2-34 and of commonly used registrations. */
static struct stream stream_of(uint8_t type, const uint8_t *descriptors, size_t length) {
  switch (type) {
    case 27:
      return (struct stream){KIND_VIDEO, TS_H264};
    case 36:
      return (struct stream){KIND_VIDEO, TS_HEVC};
    case 1:
    case 2:
      return (struct stream){KIND_VIDEO, TS_MPEG2};
    case 16:
      return (struct stream){KIND_VIDEO, TS_MPEG4};
    case 51:
      return (struct stream){KIND_VIDEO, TS_OTHER};
    case 3:
    case 4:
    case 15:
    case 17:
    case 129:
    case 135:
      return (struct stream){KIND_AUDIO, TS_OTHER};
    default:
      return stream_by_descriptors(descriptors, length);
  }
}

/* If all programs were rejected, takes the first one. */
static void follow(struct ts_scan *scan) {
  const uint8_t *pat = scan->pat.bytes;
  const uint8_t *chosen = NULL;
  size_t count = 0;
  for (size_t at = 8; at + 4 <= scan->pat.length - CHECKSUM; at += 4) {
    if ((pat[at] | pat[at + 1]) == 0) continue; /* the network PID */
    if (chosen == NULL || count == scan->rejected) chosen = pat + at;
    count++;
  }
  if (chosen == NULL) return;
  const uint16_t number = (uint16_t)(chosen[0] << 8 | chosen[1]);
  const uint16_t pid = pid_at(chosen + 2);
  scan->is_alone = count == 1 && pat[7] == 0;
  if (pid != scan->pmt_pid || number != scan->program) {
    scan->pmt_pid = pid;
    scan->program = number;
    scan->pmt.length = scan->pmt_reader.length = 0;
    scan->pats_without_pmt = 0;
  }
  scan->has_new_tables = ts_scan_has_tables(scan);
}

static void reject(struct ts_scan *scan) {
  if (scan->rejected < UINT8_MAX) scan->rejected++;
  follow(scan);
}

static bool lists_program(const uint8_t *section, size_t length) {
  for (size_t at = 8; at + 4 <= length - CHECKSUM; at += 4) {
    if ((section[at] | section[at + 1]) != 0) return true;
  }
  return false;
}

/* Reads the first section that lists a program. */
static void read_pat(struct ts_scan *scan, const uint8_t *section, size_t length) {
  const bool is_later = scan->pat.length > 0 && section[6] > scan->pat.bytes[6];
  if (section[0] != TABLE_PAT || is_later || !lists_program(section, length)) return;
  if (keep(&scan->pat, section, length)) {
    scan->rejected = 0;
    follow(scan);
  } else if (scan->pat.length > 0 && scan->pmt.length == 0 && ++scan->pats_without_pmt >= PATS_PER_PMT) {
    scan->pats_without_pmt = 0;
    reject(scan);
  }
}

static void read_streams(struct ts_scan *scan, const uint8_t *body, size_t length) {
  scan->video_pid = scan->audio_pid = TS_NO_PID;
  size_t at = 12 + ((size_t)(body[10] & 0x0f) << 8 | body[11]);
  while (at + 5 <= length) {
    const size_t said = (size_t)(body[at + 3] & 0x0f) << 8 | body[at + 4];
    const size_t room = length - at - 5;
    const struct stream stream = stream_of(body[at], body + at + 5, said < room ? said : room);
    if (stream.kind == KIND_VIDEO && scan->video_pid == TS_NO_PID) {
      scan->video_pid = pid_at(body + at + 1);
      scan->video_codec = stream.codec;
    }
    if (stream.kind == KIND_AUDIO && scan->audio_pid == TS_NO_PID) scan->audio_pid = pid_at(body + at + 1);
    at += 5 + said;
  }
}

/* Programs may share a PMT PID; if a program has it alone, a wrong program number is tolerated. */
static void read_pmt(struct ts_scan *scan, const uint8_t *section, size_t length) {
  const bool is_ours = scan->is_alone || (section[3] << 8 | section[4]) == scan->program;
  if (section[0] != TABLE_PMT || length < SHORTEST_PMT || !is_ours || !keep(&scan->pmt, section, length)) return;
  scan->has_new_tables = ts_scan_has_tables(scan);
  read_streams(scan, section, length - CHECKSUM);
  if (scan->video_pid == TS_NO_PID && scan->audio_pid == TS_NO_PID) reject(scan);
}

bool ts_scan_has_tables(const struct ts_scan *scan) { return scan->pat.length > 0 && scan->pmt.length > 0; }

/* The last packet gets this counter. */
static size_t pack(const struct ts_table *table, uint16_t pid, uint8_t counter, uint8_t *packets) {
  const size_t room = TS_PACKET - 4, count = (1 + table->length + room - 1) / room;
  memset(packets, STUFFING, count * TS_PACKET);
  for (size_t i = 0, sent = 0; i < count; i++) {
    uint8_t *packet = packets + i * TS_PACKET;
    packet[0] = TS_SYNC_BYTE;
    packet[1] = (uint8_t)((i == 0 ? 0x40 : 0) | pid >> 8);
    packet[2] = (uint8_t)pid;
    packet[3] = (uint8_t)(0x10 | ((counter + 1 - count + i) & 0x0f));
    /* The first packet starts with the pointer field. */
    if (i == 0) packet[4] = 0;
    const size_t header = i == 0 ? 5 : 4, left = table->length - sent;
    const size_t part = left < TS_PACKET - header ? left : TS_PACKET - header;
    memcpy(packet + header, table->bytes + sent, part);
    sent += part;
  }
  return count * TS_PACKET;
}

size_t ts_scan_tables(const struct ts_scan *scan, uint8_t packets[TS_TABLES_MAX]) {
  if (!ts_scan_has_tables(scan)) return 0;
  const size_t length = pack(&scan->pat, 0, scan->pat_reader.counter, packets);
  return length + pack(&scan->pmt, scan->pmt_pid, scan->pmt_reader.counter, packets + length);
}

/* Whether a decoder can start at this start code: its code byte and two more. */
static bool opens_decoding(enum ts_codec codec, const uint8_t *code) {
  const int h264_type = code[0] & 0x1f, hevc_type = code[0] >> 1 & 0x3f;
  switch (codec) {
    case TS_H264: /* IDR slice, SPS */
      return h264_type == 5 || h264_type == 7;
    case TS_HEVC: /* VPS, SPS, IDR, CRA, BLA */
      return hevc_type == 32 || hevc_type == 33 || (hevc_type >= 16 && hevc_type <= 21);
    case TS_MPEG2: /* sequence or group header, or an I picture, after ten bits of its number */
      return code[0] == 0xb3 || code[0] == 0xb8 || (code[0] == 0 && (code[2] >> 3 & 7) == 1);
    case TS_MPEG4: /* visual object sequence, video object layer, I-VOP */
      return code[0] == 0xb0 || (code[0] >= 0x20 && code[0] <= 0x2f) || (code[0] == 0xb6 && code[1] >> 6 == 0);
    case TS_AV1: /* sequence header OBU */
      return (code[0] & 0xf8) == 0x08;
    default:
      return false;
  }
}

/* For muxers that do not set the random access flag. One packet is enough: parameter sets precede the slices. */
static bool starts_with_keyframe(const uint8_t *packet, enum ts_codec codec) {
  const size_t start = payload_start(packet);
  if (codec == TS_OTHER || start + PES_HEADER > TS_PACKET) return false;
  const uint8_t *pes = packet + start;
  if (pes[0] != 0 || pes[1] != 0 || pes[2] != 1) return false;
  for (size_t i = start + PES_HEADER + pes[8]; i + 3 < TS_PACKET; i++) {
    if (packet[i] != 0 || packet[i + 1] != 0 || packet[i + 2] != 1) continue;
    /* Bytes that are in the stream's next packet count as set. */
    uint8_t code[3] = {packet[i + 3], 0xff, 0xff};
    for (size_t next = 1; next < sizeof code && i + 3 + next < TS_PACKET; next++) code[next] = packet[i + 3 + next];
    if (opens_decoding(codec, code)) return true;
    i += 3;
  }
  return false;
}

bool ts_scan_packet(struct ts_scan *scan, const uint8_t *packet) {
  const uint16_t pid = pid_at(packet + 1);
  if (pid == 0 || pid == scan->pmt_pid) {
    if (pid == 0) read_sections(scan, &scan->pat_reader, packet, read_pat);
    else read_sections(scan, &scan->pmt_reader, packet, read_pmt);
    return false;
  }
  if (!starts_payload(packet) || pid == NULL_PID) return false;
  scan->has_started = true;
  if (scan->video_pid == TS_NO_PID) return pid == scan->audio_pid;
  return pid == scan->video_pid && (is_random_access(packet) || starts_with_keyframe(packet, scan->video_codec));
}
