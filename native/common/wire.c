#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "clock.h"
#include "log.h"

enum {
  IN_CAPACITY = WIRE_HEADER + WIRE_MAX_PAYLOAD + (256 << 10),
  READ_PER_CALL = 4 << 20,
  OUT_FIRST = 256 << 10,
  /* Publishers' data is dropped beyond the first limit; only control frames may use the rest. */
  OUT_DATA_LIMIT = 8 << 20,
  OUT_HARD_LIMIT = 12 << 20,
};

static const char inherited[] = "fd:";

static void *must_alloc(void *old, size_t size) {
  void *fresh = realloc(old, size);
  if (fresh == NULL) {
    log_error("out of memory");
    abort();
  }
  return fresh;
}

/* A connected socket, `fd:NUMBER`, is passed by the launcher. */
static bool open_socket(struct wire *wire, const char *name) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strncmp(name, inherited, strlen(inherited)) == 0) {
    wire->fd = atoi(name + strlen(inherited));
    return true;
  }
  if (strlen(name) >= sizeof address.sun_path) {
    wire->fault = "path too long";
    return false;
  }
  strcpy(address.sun_path, name);
  wire->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (wire->fd >= 0 && connect(wire->fd, (struct sockaddr *)&address, sizeof address) == 0) return true;
  wire->fault = strerror(errno);
  return false;
}

bool wire_connect(struct wire *wire, const char *name) {
  memset(wire, 0, sizeof *wire);
  wire->fd = -1;
  if (!open_socket(wire, name)) return false;
  /* Large enough for one batch from several publishers, so that a flush is usually one write. The kernel caps it. */
  int size = 1 << 20;
  setsockopt(wire->fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  if (fcntl(wire->fd, F_SETFL, O_NONBLOCK) != 0) {
    wire->fault = strerror(errno);
    return false;
  }
  wire->in = must_alloc(NULL, IN_CAPACITY);
  wire->out = must_alloc(NULL, OUT_FIRST);
  wire->out_capacity = OUT_FIRST;
  return true;
}

void wire_close(struct wire *wire) {
  if (wire->fd >= 0) close(wire->fd);
  free(wire->in);
  free(wire->out);
  memset(wire, 0, sizeof *wire);
  wire->fd = -1;
}

static uint32_t get_u32(const uint8_t *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void put_u32(uint8_t *at, uint32_t value) {
  at[0] = (uint8_t)value;
  at[1] = (uint8_t)(value >> 8);
  at[2] = (uint8_t)(value >> 16);
  at[3] = (uint8_t)(value >> 24);
}

static void put_header(uint8_t *at, char kind, uint8_t flags, uint32_t id, size_t length) {
  at[0] = (uint8_t)kind;
  at[1] = flags;
  at[2] = 0;
  at[3] = 0;
  put_u32(at + 4, id);
  put_u32(at + 8, (uint32_t)length);
}

/* Passes on every complete frame in the buffer. */
static enum wire_status take_frames(struct wire *wire, wire_handler *handler, void *context) {
  while (wire->in_end - wire->in_start >= WIRE_HEADER) {
    uint8_t *header = wire->in + wire->in_start;
    struct wire_frame frame = {.kind = (char)header[0], .flags = header[1], .id = get_u32(header + 4)};
    frame.length = get_u32(header + 8);
    frame.payload = header + WIRE_HEADER;
    if ((frame.kind != 'J' && frame.kind != 'D') || header[2] != 0 || header[3] != 0) {
      wire->fault = "not a frame";
      return WIRE_PROTOCOL_ERROR;
    }
    if (frame.length > WIRE_MAX_PAYLOAD) {
      wire->fault = "frame too long";
      return WIRE_PROTOCOL_ERROR;
    }
    if (wire->in_end - wire->in_start < WIRE_HEADER + frame.length) break;
    wire->in_start += WIRE_HEADER + frame.length;
    handler(context, &frame);
  }
  if (wire->in_start == wire->in_end) wire->in_start = wire->in_end = 0;
  return WIRE_OK;
}

enum wire_status wire_read(struct wire *wire, wire_handler *handler, void *context) {
  size_t total = 0;
  while (total < READ_PER_CALL) {
    if (wire->in_start > 0) {
      memmove(wire->in, wire->in + wire->in_start, wire->in_end - wire->in_start);
      wire->in_end -= wire->in_start;
      wire->in_start = 0;
    }
    size_t room = IN_CAPACITY - wire->in_end;
    ssize_t got = read(wire->fd, wire->in + wire->in_end, room);
    if (got == 0) return WIRE_CLOSED;
    if (got < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN || errno == EWOULDBLOCK) return WIRE_OK;
      wire->fault = strerror(errno);
      return WIRE_CLOSED;
    }
    wire->in_end += (size_t)got;
    total += (size_t)got;
    enum wire_status status = take_frames(wire, handler, context);
    if (status != WIRE_OK) return status;
    if ((size_t)got < room) return WIRE_OK;
  }
  return WIRE_OK;
}

static bool make_room(struct wire *wire, size_t more, size_t limit) {
  size_t held = wire->out_end - wire->out_start;
  if (held + more > limit) return false;
  if (wire->out_end + more <= wire->out_capacity) return true;
  if (wire->out_start > 0) {
    memmove(wire->out, wire->out + wire->out_start, held);
    wire->out_start = 0;
    wire->out_end = held;
  }
  size_t capacity = wire->out_capacity;
  while (capacity < held + more) capacity *= 2;
  if (capacity != wire->out_capacity) {
    wire->out = must_alloc(wire->out, capacity);
    wire->out_capacity = capacity;
  }
  return true;
}

uint8_t *wire_reserve_data(struct wire *wire) {
  if (!make_room(wire, WIRE_HEADER + WIRE_DATA_FRAME, OUT_DATA_LIMIT)) return NULL;
  return wire->out + wire->out_end + WIRE_HEADER;
}

void wire_commit_data(struct wire *wire, uint32_t id, uint8_t flags, size_t length) {
  put_header(wire->out + wire->out_end, 'D', flags, id, length);
  wire->out_end += WIRE_HEADER + length;
}

void wire_send_control(struct wire *wire, const char *json, size_t length) {
  if (length > WIRE_MAX_PAYLOAD || !make_room(wire, WIRE_HEADER + length, OUT_HARD_LIMIT)) {
    wire->fault = "control events pile up";
    return;
  }
  put_header(wire->out + wire->out_end, 'J', 0, 0, length);
  memcpy(wire->out + wire->out_end + WIRE_HEADER, json, length);
  wire->out_end += WIRE_HEADER + length;
}

enum wire_status wire_flush(struct wire *wire, int64_t now) {
  while (wire->out_start < wire->out_end) {
    ssize_t put = send(wire->fd, wire->out + wire->out_start, wire->out_end - wire->out_start, MSG_NOSIGNAL);
    if (put < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) return WIRE_CLOSED;
      if (wire->blocked_since == 0) wire->blocked_since = now;
      return WIRE_OK;
    }
    wire->out_start += (size_t)put;
    wire->blocked_since = 0;
  }
  wire->out_start = wire->out_end = 0;
  /* Do not keep the memory of a burst forever. */
  if (wire->out_capacity > (1 << 20)) {
    wire->out = must_alloc(wire->out, OUT_FIRST);
    wire->out_capacity = OUT_FIRST;
  }
  return WIRE_OK;
}

bool wire_has_unsent(const struct wire *wire) { return wire->out_start < wire->out_end; }

bool wire_is_stuck(const struct wire *wire, int64_t now) {
  return wire->fault != NULL || (wire->blocked_since != 0 && now - wire->blocked_since > SECONDS(10));
}
