#ifndef SIGNALBOX_ADDRESS_H
#define SIGNALBOX_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

/* IPv4 and IPv6 addresses with a port. AF_UNSPEC: none. */

union address {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
};

enum { ADDRESS_TEXT = INET6_ADDRSTRLEN + 9, INTERFACE_TEXT = 64 };

/* Returns false if the text is not an address. */
bool address_read(const char *text, uint16_t port, union address *out);
socklen_t address_length(const union address *address);
bool address_is_multicast(const union address *address);
bool address_is_same_host(const union address *one, const union address *other);
uint16_t address_port(const union address *address);
/* The address of a peer. IPv4 peers of an IPv6 socket get their IPv4 address back. */
union address address_of_peer(const struct sockaddr *peer);
/* `192.0.2.1:5000`, `[2001:db8::1]:5000` */
void address_text(const union address *address, char text[ADDRESS_TEXT]);

/* Interfaces are given by a name or by an address of this machine, and looked up whenever a socket is opened: they may
   be removed and recreated in the meantime. Returns 0 if there is none. */
unsigned interface_index(const char *interface);
/* The given address itself, or the first address of the family on the named interface. */
bool interface_address(const char *interface, int family, union address *out);

bool set_option(int fd, int level, int option, int value);
/* Closes a socket that could not be set up; returns -1 and keeps errno. */
int close_unfinished(int fd);
/* The engine's name for a bind() error: `busy`, `denied`, `no address` or `internal`. */
const char *bind_fault(int fault);

#endif
