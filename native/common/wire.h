#ifndef SIGNALBOX_WIRE_H
#define SIGNALBOX_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The unix socket to the engine: frames of a 12-byte header and a payload (PROTOCOL.md). */

enum {
  WIRE_HEADER = 12,
  WIRE_MAX_PAYLOAD = 1 << 20,
  /* Maximum payload of media frames from publishers: 348 TS packets. */
  WIRE_DATA_FRAME = 348 * 188,
};

enum wire_status { WIRE_OK, WIRE_CLOSED, WIRE_PROTOCOL_ERROR };

struct wire_frame {
  char kind; /* 'J' or 'D' */
  uint8_t flags;
  uint32_t id;
  uint8_t *payload; /* may be overwritten by the handler; valid only during the call */
  size_t length;
};

typedef void wire_handler(void *context, const struct wire_frame *frame);

struct wire {
  int fd;
  uint8_t *in;
  size_t in_start, in_end;
  uint8_t *out;
  size_t out_start, out_end, out_capacity;
  int64_t blocked_since; /* 0 while the engine keeps reading */
  const char *fault;     /* reason of the last failure */
};

/* `name` is the path of a unix socket, or `fd:NUMBER` for a connected descriptor. */
bool wire_connect(struct wire *wire, const char *name);
void wire_close(struct wire *wire);

/* Reads the available data, at most a few megabytes, and passes on complete frames. */
enum wire_status wire_read(struct wire *wire, wire_handler *handler, void *context);

/* Returns room for a media frame of up to WIRE_DATA_FRAME bytes, or NULL if the engine is too far behind. The pointer
   is valid until the next wire call. */
uint8_t *wire_reserve_data(struct wire *wire);
void wire_commit_data(struct wire *wire, uint32_t id, uint8_t flags, size_t length);

/* Control is never dropped. */
void wire_send_control(struct wire *wire, const char *json, size_t length);

/* Writes as much as the socket accepts. */
enum wire_status wire_flush(struct wire *wire, int64_t now);
bool wire_has_unsent(const struct wire *wire);
/* Returns true if control frames pile up or nothing could be written for 10 s. */
bool wire_is_stuck(const struct wire *wire, int64_t now);

#endif
