/* Test double: preloaded into the endpoint, it makes the thread that answers a handshake loop as long as a file exists. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
  while (access(getenv("HANG_WHILE"), F_OK) == 0) continue;
  return (ssize_t)syscall(SYS_sendmsg, fd, message, flags);
}
