#include "ts-reader.h"

#include <string.h>

enum { ts_sync = 0x47, null_pid = 0x1fff, stream_id_video_first = 0xe0, stream_id_video_last = 0xef };

void ts_reader_init(struct ts_reader *reader, struct sink_stats *stats, size_t index) {
  memset(reader, 0, sizeof *reader);
  reader->stats = stats;
  reader->index = index;
  reader->video_pid = -1;
  memset(reader->continuity, -1, sizeof reader->continuity);
}

static void check_continuity(struct ts_reader *reader, const uint8_t *packet, int pid) {
  const int has_payload = packet[3] & 0x10;
  if (pid == null_pid || !has_payload) return;
  const int16_t counter = packet[3] & 15;
  const int16_t last = reader->continuity[pid];
  const int has_adaptation = (packet[3] & 0x20) && packet[4] > 0;
  const int is_announced = has_adaptation && (packet[5] & 0x80);
  if (last >= 0 && !is_announced && counter != ((last + 1) & 15)) reader->stats->readers[reader->index].faults++;
  reader->continuity[pid] = counter;
}

static void search_mark(struct ts_reader *reader, const uint8_t *payload, size_t size) {
  const size_t room = sizeof reader->head - reader->head_size;
  const size_t take = size < room ? size : room;
  memcpy(reader->head + reader->head_size, payload, take);
  reader->head_size += take;
  const ptrdiff_t at = marker_find(reader->head, reader->head_size);
  struct marker_stamp stamp;
  if (at >= 0 && marker_parse(reader->head + at, &stamp)) {
    stats_frame(reader->stats, reader->index, &stamp, reader->at_ns);
    reader->is_searching = 0;
  } else if (take < size || reader->head_size == sizeof reader->head) {
    reader->is_searching = 0;
  }
}

static void read_packet(struct ts_reader *reader, const uint8_t *packet) {
  const int pid = (packet[1] & 31) << 8 | packet[2];
  check_continuity(reader, packet, pid);
  if (!(packet[3] & 0x10)) return;
  const size_t offset = packet[3] & 0x20 ? 5u + packet[4] : 4u;
  if (offset >= ts_packet_size) return;
  const uint8_t *payload = packet + offset;
  const size_t size = ts_packet_size - offset;
  const int is_start = packet[1] & 0x40;
  if (is_start && size >= 4 && payload[0] == 0 && payload[1] == 0 && payload[2] == 1 &&
      payload[3] >= stream_id_video_first && payload[3] <= stream_id_video_last) {
    reader->video_pid = pid;
    reader->head_size = 0;
    reader->is_searching = 1;
  }
  if (pid == reader->video_pid && reader->is_searching) search_mark(reader, payload, size);
}

void ts_reader_feed(struct ts_reader *reader, const uint8_t *data, size_t size, uint64_t at_ns) {
  reader->at_ns = at_ns;
  stats_bytes(reader->stats, reader->index, size, at_ns);
  while (size > 0) {
    if (reader->partial_size == 0 && data[0] != ts_sync) {
      reader->stats->readers[reader->index].faults++;
      const uint8_t *next = memchr(data, ts_sync, size);
      if (next == NULL) return;
      size -= (size_t)(next - data);
      data = next;
    }
    if (reader->partial_size == 0 && size >= ts_packet_size) {
      read_packet(reader, data);
      data += ts_packet_size;
      size -= ts_packet_size;
      continue;
    }
    const size_t missing = ts_packet_size - reader->partial_size;
    const size_t take = size < missing ? size : missing;
    memcpy(reader->partial + reader->partial_size, data, take);
    reader->partial_size += take;
    data += take;
    size -= take;
    if (reader->partial_size < ts_packet_size) return;
    reader->partial_size = 0;
    read_packet(reader, reader->partial);
  }
}
