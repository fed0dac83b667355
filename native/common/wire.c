#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
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

/* A connected socket, `fd:NUMBER`, is passed by the launcher. Returns -1 with errno set on failure. */
static int open_socket(const char *name) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strncmp(name, inherited, strlen(inherited)) == 0) return atoi(name + strlen(inherited));
  if (strlen(name) >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  strcpy(address.sun_path, name);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  return fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0 ? fd : -1;
}

bool wire_connect(struct wire *wire, const char *name) {
  /* Large enough for one batch from several publishers, so that a flush is usually one write. The kernel caps it. */
  const int size = 1 << 20;
  *wire = (struct wire){.fd = open_socket(name)};
  if (wire->fd < 0 || fcntl(wire->fd, F_SETFL, O_NONBLOCK) != 0) {
    log_error("cannot connect to %s: %s", name, strerror(errno));
    return false;
  }
  setsockopt(wire->fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  wire->in = must_alloc(NULL, IN_CAPACITY);
  wire->out = must_alloc(NULL, OUT_FIRST);
  wire->out_capacity = OUT_FIRST;
  return true;
}

void wire_close(struct wire *wire) {
  if (wire->fd >= 0) close(wire->fd);
  for (int fd; (fd = wire_take_descriptor(wire)) >= 0;) close(fd);
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

static int refuse(const char *fault) {
  log_error("the engine sent something that is no frame: %s", fault);
  return EXIT_PROTOCOL;
}

/* Passes on every complete frame in the buffer. */
static int take_frames(struct wire *wire, wire_handler *handler, struct endpoint *endpoint) {
  while (wire->in_end - wire->in_start >= WIRE_HEADER) {
    uint8_t *header = wire->in + wire->in_start;
    struct wire_frame frame = {.kind = (char)header[0], .flags = header[1], .id = get_u32(header + 4)};
    frame.length = get_u32(header + 8);
    frame.payload = header + WIRE_HEADER;
    if ((frame.kind != 'J' && frame.kind != 'D') || header[2] != 0 || header[3] != 0) return refuse("not a frame");
    if (frame.length > WIRE_MAX_PAYLOAD) return refuse("frame too long");
    if (wire->in_end - wire->in_start < WIRE_HEADER + frame.length) break;
    wire->in_start += WIRE_HEADER + frame.length;
    handler(endpoint, &frame);
  }
  if (wire->in_start == wire->in_end) wire->in_start = wire->in_end = 0;
  return KEEP_RUNNING;
}

static void keep_descriptor(struct wire *wire, int fd) {
  if (wire->descriptor_count < WIRE_DESCRIPTORS) wire->descriptors[wire->descriptor_count++] = fd;
  else close(fd);
}

int wire_take_descriptor(struct wire *wire) {
  if (wire->descriptor_count == 0) return -1;
  const int fd = wire->descriptors[0];
  wire->descriptor_count--;
  memmove(wire->descriptors, wire->descriptors + 1, wire->descriptor_count * sizeof fd);
  return fd;
}

/* As read(2), and keeps the descriptors that came with the bytes. The kernel ends a read after bytes that had any. */
static ssize_t receive(struct wire *wire, uint8_t *at, size_t room) {
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(WIRE_DESCRIPTORS * sizeof(int))];
  } control;
  struct iovec part = {.iov_base = at, .iov_len = room};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  /* In the SRT endpoint recvmsg(2) is libsrt's: it waits for datagrams (native/srt/receive_wait.c). */
  const ssize_t got = syscall(SYS_recvmsg, wire->fd, &message, MSG_CMSG_CLOEXEC);
  if (got < 0) return got;
  for (struct cmsghdr *one = CMSG_FIRSTHDR(&message); one != NULL; one = CMSG_NXTHDR(&message, one)) {
    if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_RIGHTS) continue;
    for (size_t i = 0; i < (one->cmsg_len - CMSG_LEN(0)) / sizeof(int); i++) {
      int fd;
      memcpy(&fd, CMSG_DATA(one) + i * sizeof fd, sizeof fd);
      keep_descriptor(wire, fd);
    }
  }
  return got;
}

int wire_read(struct wire *wire, wire_handler *handler, struct endpoint *endpoint) {
  size_t total = 0;
  while (total < READ_PER_CALL) {
    if (wire->in_start > 0) {
      memmove(wire->in, wire->in + wire->in_start, wire->in_end - wire->in_start);
      wire->in_end -= wire->in_start;
      wire->in_start = 0;
    }
    size_t room = IN_CAPACITY - wire->in_end;
    ssize_t got = receive(wire, wire->in + wire->in_end, room);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return KEEP_RUNNING;
    if (got <= 0) return EXIT_SUCCESS;
    wire->in_end += (size_t)got;
    total += (size_t)got;
    const int code = take_frames(wire, handler, endpoint);
    if (code != KEEP_RUNNING || (size_t)got < room) return code;
  }
  return KEEP_RUNNING;
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

bool wire_send_data(struct wire *wire, uint32_t id, uint8_t flags, const uint8_t *bytes, size_t length) {
  uint8_t *payload = wire_reserve_data(wire);
  if (payload == NULL) return false;
  memcpy(payload, bytes, length);
  wire_commit_data(wire, id, flags, length);
  return true;
}

void wire_send_control(struct wire *wire, const char *json, size_t length) {
  if (length > WIRE_MAX_PAYLOAD || !make_room(wire, WIRE_HEADER + length, OUT_HARD_LIMIT)) {
    wire->is_overfull = true;
    return;
  }
  put_header(wire->out + wire->out_end, 'J', 0, 0, length);
  memcpy(wire->out + wire->out_end + WIRE_HEADER, json, length);
  wire->out_end += WIRE_HEADER + length;
}

/* Returns false if the engine has closed the socket. */
static bool write_pending(struct wire *wire, int64_t now) {
  while (wire->out_start < wire->out_end) {
    ssize_t put = send(wire->fd, wire->out + wire->out_start, wire->out_end - wire->out_start, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      if (wire->blocked_since == 0) wire->blocked_since = now;
      return errno == EAGAIN;
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
  return true;
}

int wire_flush(struct wire *wire, int64_t now) {
  if (!write_pending(wire, now)) return EXIT_SUCCESS;
  const bool is_blocked = wire->blocked_since != 0 && now - wire->blocked_since > SECONDS(10);
  if (!wire->is_overfull && !is_blocked) return KEEP_RUNNING;
  log_error("the engine has stopped reading");
  return EXIT_STUCK;
}

bool wire_has_unsent(const struct wire *wire) { return wire->out_start < wire->out_end; }
