#ifndef SIGNALBOX_PORTS_H
#define SIGNALBOX_PORTS_H

#include <netinet/in.h>
#include <srt/srt.h>
#include <stdbool.h>
#include <stdint.h>

/* UDP ports that listeners and their connections share. The library would keep a port for seconds after its last user
   has gone; these are free at once, for other programs as well. */

struct port {
  struct sockaddr_storage address;
  int length;
  int fd;
  bool is_given; /* to the library, which closes it */
  uint32_t users;
  struct port *next;
};

/* Returns the port with this address, opening it if necessary; on failure returns NULL and sets errno. For port 0 the
   system chooses a free port. The caller becomes one of its users. */
struct port *port_take(const struct sockaddr_storage *address, int length);
void port_share(struct port *port);
void port_leave(struct port *port);
uint16_t port_number(const struct port *port);
bool port_bind(struct port *port, SRTSOCKET socket);
/* Gives back what nobody uses any more. Not at once, because a listener that is opened anew takes its port again. */
void ports_sweep(void);

#endif
