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
  /* Maximum number of received descriptors that no operation has taken yet. */
  WIRE_DESCRIPTORS = 4,
};

/* The engine maps the last two to a reason in daemon/engine/endpoint/process.ts. It has closed the socket: 0. */
enum exit_code { KEEP_RUNNING = -1, EXIT_START = 1, EXIT_PROTOCOL = 2, EXIT_STUCK = 3, EXIT_HUNG = 4 };

/* Flags of data frames, from and to the engine. */
enum { FLAG_ENTRY = 1, FLAG_TABLES = 2, FLAG_CALL = 1, FLAG_LOST = 2 };

struct wire_frame {
  char kind; /* 'J' or 'D' */
  uint8_t flags;
  uint32_t id;
  uint8_t *payload; /* may be overwritten by the handler; valid only during the call */
  size_t length;
};

/* Each program defines its own. */
struct endpoint;
typedef void wire_handler(struct endpoint *endpoint, const struct wire_frame *frame);

struct wire {
  int fd;
  uint8_t *in;
  size_t in_start, in_end;
  uint8_t *out;
  size_t out_start, out_end, out_capacity;
  int64_t blocked_since; /* 0 while the engine keeps reading */
  bool is_overfull;      /* control frames pile up */
  int descriptors[WIRE_DESCRIPTORS]; /* sent with the frames, the oldest first */
  size_t descriptor_count;
};

/* `name` is the path of a unix socket, or `fd:NUMBER` for a connected descriptor. On failure returns false and logs the
   reason. */
bool wire_connect(struct wire *wire, const char *name);
void wire_close(struct wire *wire);

/* Reads the available data, at most a few megabytes, and passes on complete frames. Returns KEEP_RUNNING or the exit
   code. */
int wire_read(struct wire *wire, wire_handler *handler, struct endpoint *endpoint);

/* Returns the descriptor that came with the frame that is being handled, which the caller must close; -1 if none did. */
int wire_take_descriptor(struct wire *wire);

/* Returns room for a media frame of up to WIRE_DATA_FRAME bytes, or NULL if the engine is too far behind. The pointer
   is valid until the next wire call. */
uint8_t *wire_reserve_data(struct wire *wire);
void wire_commit_data(struct wire *wire, uint32_t id, uint8_t flags, size_t length);
/* The same with bytes that are elsewhere. Returns false if the engine is too far behind. */
bool wire_send_data(struct wire *wire, uint32_t id, uint8_t flags, const uint8_t *bytes, size_t length);

/* Control is never dropped. */
void wire_send_control(struct wire *wire, const char *json, size_t length);

/* Writes as much as the socket accepts. Returns KEEP_RUNNING or the exit code: the engine must read something within
   10 s, and before control frames pile up. */
int wire_flush(struct wire *wire, int64_t now);
bool wire_has_unsent(const struct wire *wire);

#endif
