#ifndef SIGNALBOX_RTMP_CHUNKS_H
#define SIGNALBOX_RTMP_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parses a chunk stream (RTMP 1.0, section 5.3). Only the engine answers what is malformed or exceeds a limit, so
   everything that is not a plain message ends the parsing. */

enum {
  CHUNK_STREAMS = 64,
  CHUNK_BYTES_MAX = 16 << 20,
  MESSAGE_BYTES_MAX = 8 << 20,
  /* Buffers of unfinished messages over all chunk streams. */
  IN_FLIGHT_BYTES_MAX = 12 << 20,
  /* Basic header 3, message header 11, extended timestamp 4. */
  CHUNK_HEADER_MAX = 18,
};

struct chunk_stream {
  uint32_t id;
  uint32_t timestamp;
  uint32_t delta; /* the last timestamp field: a type 3 chunk that begins a message adds it again */
  bool has_extended;
  uint32_t length;
  uint8_t type;
  bool is_open; /* its message is not complete */
  uint8_t *buffer;
  size_t filled, capacity;
};

struct chunks {
  uint32_t chunk_bytes;
  struct chunk_stream streams[CHUNK_STREAMS];
  size_t stream_count;
  struct chunk_stream *current; /* whose chunk is being read */
  struct chunk_stream *last;    /* of the last chunk */
  size_t chunk_left;
  size_t in_flight;
};

/* CHUNKS_MORE: all bytes were used, except for a header that is not complete. CHUNKS_MESSAGE: the message of `last` is
   complete. CHUNKS_UNUSUAL: what follows cannot be parsed here, and the parser must not be used any more. */
enum chunks_result { CHUNKS_MORE, CHUNKS_MESSAGE, CHUNKS_UNUSUAL };

/* Parses until a message is complete or the bytes are used. `used` is set to the number of bytes that were. */
enum chunks_result chunks_feed(struct chunks *chunks, const uint8_t *bytes, size_t length, size_t *used);
/* What the message of the last chunk still lacks, with the headers of its chunks; 0 if it is complete. */
size_t chunks_missing(const struct chunks *chunks);
/* Returns whether all messages are complete. */
bool chunks_are_whole(const struct chunks *chunks);
void chunks_free(struct chunks *chunks);

#endif
