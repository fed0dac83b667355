/*
 * libsrt's receiving threads, one per port, ask for packets a hundred times a second even when nobody is connected:
 * a fifth of a percent of a core for each open port, day and night. The library finds this recvmsg() in place of the
 * C library's: on a port that was silent for a second it waits longer. A packet still wakes it at once, and libsrt's
 * own timers, which run in these threads, count in hundreds of milliseconds by then.
 */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"

enum { SILENT_AFTER_MS = 1000, SILENT_WAIT_MS = 100 };

ssize_t recvmsg(int fd, struct msghdr *message, int flags) {
  static _Thread_local int64_t heard_at;
  const int64_t now = clock_us();
  if (heard_at == 0) heard_at = now;
  if (now - heard_at > MS(SILENT_AFTER_MS)) {
    struct pollfd watched = {.fd = fd, .events = POLLIN};
    poll(&watched, 1, SILENT_WAIT_MS);
    flags |= MSG_DONTWAIT;
  }
  const ssize_t size = (ssize_t)syscall(SYS_recvmsg, fd, message, flags);
  if (size >= 0) heard_at = clock_us();
  return size;
}
