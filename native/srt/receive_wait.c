/*
 * Replaces the C library's recvmsg() for libsrt. Only its receive threads, one per port, call it. They poll for packets
 * a hundred times a second even without connections: a fifth of a percent of a core for each open port, permanently. On
 * a port that was silent for a second this waits longer. A packet still wakes it at once, and libsrt's own timers,
 * which run in these threads, count in hundreds of milliseconds by then. After six seconds no connection is left: libsrt
 * ends those whose peer is silent for five. Malformed packets are dropped here, and the watchdog learns which threads
 * are busy.
 */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "guard.h"
#include "refusals.h"
#include "watchdog.h"

enum { SILENT_AFTER_MS = 1000, SILENT_WAIT_MS = 100, UNUSED_AFTER_MS = 6000, UNUSED_WAIT_MS = 500 };

static ssize_t receive(int fd, struct msghdr *message, int flags) {
  /* 0 after a packet: a busy thread reads no clock here. */
  static _Thread_local int64_t silent_since;
  const int64_t silence = silent_since == 0 ? 0 : clock_us() - silent_since;
  if (silence > MS(SILENT_AFTER_MS)) {
    struct pollfd watched = {.fd = fd, .events = POLLIN};
    poll(&watched, 1, silence > MS(UNUSED_AFTER_MS) ? UNUSED_WAIT_MS : SILENT_WAIT_MS);
    flags |= MSG_DONTWAIT;
  }
  const ssize_t size = (ssize_t)syscall(SYS_recvmsg, fd, message, flags);
  if (size >= 0) silent_since = 0;
  else if (silent_since == 0) silent_since = clock_us();
  return size;
}

/* libsrt passes two buffers: one of the size of a header, one for the rest. */
static bool is_harmless(const struct msghdr *message, size_t size) {
  const struct iovec *pieces = message->msg_iov;
  if (message->msg_iovlen != 2 || pieces[0].iov_len != SRT_HEADER || size < SRT_HEADER) return true;
  const char *refused = NULL;
  const bool passes = guard_passes(pieces[0].iov_base, pieces[1].iov_base, size - SRT_HEADER, &refused);
  if (refused != NULL && message->msg_name != NULL) {
    char peer[ADDRESS_TEXT];
    const union address address = address_of_peer(message->msg_name);
    address_text(&address, peer);
    refusal_add(0, peer, refused, 0, clock_us());
  }
  return passes;
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags) {
  watchdog_rest();
  const ssize_t size = receive(fd, message, flags);
  watchdog_work("a receive thread of libsrt");
  if (size < 0 || is_harmless(message, (size_t)size)) return size;
  errno = EAGAIN;
  return -1;
}
