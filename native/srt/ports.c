#include "ports.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"

static struct port *ports;

/* Ports recently taken back from libsrt. Its thread keeps the old socket open until its current system call returns,
   which takes microseconds, or milliseconds on a busy machine. */
enum { RELEASED = 16, RELEASED_MS = 1000, RELEASE_WAIT_MS = 100 };
static struct {
  uint16_t number;
  int64_t at;
} released[RELEASED];
static unsigned next_released;

static bool was_released(uint16_t number) {
  const int64_t now = clock_us();
  for (unsigned i = 0; i < RELEASED; i++) {
    if (released[i].number == number && now - released[i].at < MS(RELEASED_MS)) return true;
  }
  return false;
}

/* Replaces port 0 with the port that the system chose; libsrt and later listeners look up the socket by it. */
static int open_udp(union address *address) {
  const bool is_v6 = address->any.sa_family == AF_INET6;
  socklen_t size = sizeof *address;
  int fd = socket(address->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  const bool is_open = (!is_v6 || set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0)) &&
                       bind(fd, &address->any, address_length(address)) == 0 &&
                       getsockname(fd, &address->any, &size) == 0;
  return is_open ? fd : close_unfinished(fd);
}

/* Retries a port that was just released: a listener whose settings change closes and reopens its port immediately. */
static int open_released(union address *address) {
  const struct timespec pause = {.tv_nsec = 1000000};
  int fd = open_udp(address);
  for (int waited = 0; fd < 0 && errno == EADDRINUSE && waited < RELEASE_WAIT_MS; waited++) {
    if (!was_released(address_port(address))) {
      errno = EADDRINUSE;
      break;
    }
    nanosleep(&pause, NULL);
    fd = open_udp(address);
  }
  return fd;
}

struct port *port_take(const union address *address) {
  for (struct port *port = ports; port != NULL; port = port->next) {
    if (memcmp(&port->address, address, sizeof *address) != 0) continue;
    port->users++;
    return port;
  }
  union address bound = *address;
  int fd = open_released(&bound);
  if (fd < 0) return NULL;
  struct port *port = calloc(1, sizeof *port);
  if (port == NULL) {
    close(fd);
    return NULL;
  }
  *port = (struct port){.address = bound, .fd = fd, .users = 1, .next = ports};
  ports = port;
  return port;
}

void port_share(struct port *port) { port->users++; }
void port_leave(struct port *port) { port->users--; }

bool port_bind(struct port *port, SRTSOCKET socket) {
  /* libsrt finds its existing port by the address. */
  if (port->is_given) return srt_bind(socket, &port->address.any, (int)address_length(&port->address)) == 0;
  port->is_given = srt_bind_acquire(socket, port->fd) == 0;
  return port->is_given;
}

/* libsrt keeps the descriptor for some seconds; from now on it refers to a socket without a port. Non-blocking, since
   libsrt's thread may be about to read data of the old socket. */
static void take_back(const struct port *port) {
  int empty = socket(port->address.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (empty < 0) return;
  /* Wakes that thread, which would keep the old socket for another 10 ms. */
  shutdown(port->fd, SHUT_RDWR);
  dup3(empty, port->fd, O_CLOEXEC);
  close(empty);
  released[next_released].number = address_port(&port->address);
  released[next_released].at = clock_us();
  next_released = (next_released + 1) % RELEASED;
}

void ports_sweep(void) {
  struct port **link = &ports;
  while (*link != NULL) {
    struct port *port = *link;
    if (port->users > 0) {
      link = &port->next;
      continue;
    }
    *link = port->next;
    if (port->is_given) take_back(port);
    else close(port->fd);
    free(port);
  }
}
