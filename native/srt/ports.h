#ifndef SIGNALBOX_PORTS_H
#define SIGNALBOX_PORTS_H

#include <srt/srt.h>
#include <stdbool.h>
#include <stdint.h>

#include "address.h"

/* UDP ports shared by listeners and their connections. libsrt would keep a port for seconds after its last user is
   gone; these ports are free immediately, also for other programs. */

struct port {
  union address address;
  int fd;
  bool is_given; /* to libsrt, which closes it */
  uint32_t users;
  struct port *next;
};

/* Returns the port with this address, opening it if necessary; on failure returns NULL and sets errno. For port 0 the
   system chooses a free port. The caller becomes one of its users. */
struct port *port_take(const union address *address);
void port_share(struct port *port);
void port_leave(struct port *port);
bool port_bind(struct port *port, SRTSOCKET socket);
/* Releases unused ports. Delayed, because a reopened listener uses its port again. */
void ports_sweep(void);

#endif
