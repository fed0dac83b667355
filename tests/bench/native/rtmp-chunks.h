/* Converts RTMP messages to chunks and back. */
#ifndef BENCH_RTMP_CHUNKS_H
#define BENCH_RTMP_CHUNKS_H

#include "rtmp-session.h"

struct chunk_stream {
  uint32_t timestamp;
  uint32_t delta;
  uint32_t size;
  uint32_t received;
  uint32_t capacity;
  uint8_t type;
  uint8_t has_extended_timestamp;
  uint8_t *body;
};

enum { chunk_streams = 128, chunk_header_max = 18 };

struct chunk_reader {
  uint32_t chunk_size;
  struct chunk_stream streams[chunk_streams];
  /* Bytes of a header that arrived in parts. */
  uint8_t header[chunk_header_max];
  uint32_t header_size;
  /* The chunk whose body is being read; -1 between chunks. */
  int current;
  uint32_t body_left;
};

typedef void (*chunk_on_message)(void *context, const struct rtmp_message *message);

void chunk_reader_init(struct chunk_reader *reader);
/* Returns 0 if the bytes cannot be RTMP. */
int chunk_read(struct chunk_reader *reader, const uint8_t *data, size_t size, chunk_on_message on_message, void *context);
/* Returns the number of bytes written to out, which holds chunk_written_size(). */
size_t chunk_write(uint8_t *out, const struct rtmp_message *message, uint32_t stream_id, uint32_t chunk_size);
size_t chunk_written_size(uint32_t message_size, uint32_t chunk_size);

#endif
