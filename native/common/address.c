#include "address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <linux/if_packet.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool address_read(const char *text, uint16_t port, union address *out) {
  memset(out, 0, sizeof *out);
  if (inet_pton(AF_INET, text, &out->v4.sin_addr) == 1) {
    out->v4.sin_family = AF_INET;
    out->v4.sin_port = htons(port);
    return true;
  }
  memset(out, 0, sizeof *out);
  if (inet_pton(AF_INET6, text, &out->v6.sin6_addr) != 1) return false;
  out->v6.sin6_family = AF_INET6;
  out->v6.sin6_port = htons(port);
  return true;
}

socklen_t address_length(const union address *address) {
  return address->any.sa_family == AF_INET6 ? sizeof address->v6 : sizeof address->v4;
}

bool address_is_multicast(const union address *address) {
  if (address->any.sa_family == AF_INET6) return IN6_IS_ADDR_MULTICAST(&address->v6.sin6_addr);
  return IN_MULTICAST(ntohl(address->v4.sin_addr.s_addr));
}

bool address_is_same_host(const union address *one, const union address *other) {
  if (one->any.sa_family != other->any.sa_family) return false;
  if (one->any.sa_family == AF_INET) return one->v4.sin_addr.s_addr == other->v4.sin_addr.s_addr;
  return memcmp(&one->v6.sin6_addr, &other->v6.sin6_addr, sizeof one->v6.sin6_addr) == 0;
}

/* Both families keep it at the same offset. */
uint16_t address_port(const union address *address) { return ntohs(address->v4.sin_port); }

union address address_of_peer(const struct sockaddr *peer) {
  union address address = {.any.sa_family = AF_UNSPEC};
  memcpy(&address, peer, peer->sa_family == AF_INET6 ? sizeof address.v6 : sizeof address.v4);
  if (peer->sa_family != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&address.v6.sin6_addr)) return address;
  union address mapped = {.v4 = {.sin_family = AF_INET, .sin_port = address.v6.sin6_port}};
  memcpy(&mapped.v4.sin_addr, &address.v6.sin6_addr.s6_addr[12], sizeof mapped.v4.sin_addr);
  return mapped;
}

void address_text(const union address *address, char text[ADDRESS_TEXT]) {
  char host[INET6_ADDRSTRLEN] = "";
  const bool is_v6 = address->any.sa_family == AF_INET6;
  const void *bytes = is_v6 ? (const void *)&address->v6.sin6_addr : (const void *)&address->v4.sin_addr;
  inet_ntop(address->any.sa_family, bytes, host, sizeof host);
  snprintf(text, ADDRESS_TEXT, is_v6 ? "[%s]:%u" : "%s:%u", host, address_port(address));
}

/* Copies the address of an entry, if it is IPv4 or IPv6. */
static bool address_of(const struct ifaddrs *entry, union address *out) {
  memset(out, 0, sizeof *out);
  if (entry->ifa_addr == NULL) return false;
  const int family = entry->ifa_addr->sa_family;
  if (family != AF_INET && family != AF_INET6) return false;
  memcpy(out, entry->ifa_addr, family == AF_INET ? sizeof out->v4 : sizeof out->v6);
  return true;
}

/* The name of an interface that is given by its name or by one of its addresses, or NULL if there is none. */
static const char *name_of(const struct ifaddrs *all, const char *interface) {
  union address wanted, own;
  if (!address_read(interface, 0, &wanted)) return interface;
  for (const struct ifaddrs *entry = all; entry != NULL; entry = entry->ifa_next) {
    if (address_of(entry, &own) && address_is_same_host(&own, &wanted)) return entry->ifa_name;
  }
  return NULL;
}

static unsigned index_of(const struct ifaddrs *all, const char *name) {
  for (const struct ifaddrs *entry = all; entry != NULL; entry = entry->ifa_next) {
    if (entry->ifa_addr == NULL || entry->ifa_addr->sa_family != AF_PACKET || strcmp(entry->ifa_name, name) != 0)
      continue;
    struct sockaddr_ll link;
    memcpy(&link, entry->ifa_addr, sizeof link);
    return (unsigned)link.sll_ifindex;
  }
  return 0;
}

unsigned interface_index(const char *interface) {
  struct ifaddrs *all;
  if (getifaddrs(&all) != 0) return 0;
  const char *name = name_of(all, interface);
  const unsigned index = name == NULL ? 0 : index_of(all, name);
  freeifaddrs(all);
  return index;
}

bool interface_address(const char *interface, int family, union address *out) {
  if (address_read(interface, 0, out)) return out->any.sa_family == family;
  struct ifaddrs *all;
  if (getifaddrs(&all) != 0) return false;
  bool is_found = false;
  for (const struct ifaddrs *entry = all; entry != NULL && !is_found; entry = entry->ifa_next) {
    is_found = strcmp(entry->ifa_name, interface) == 0 && address_of(entry, out) && out->any.sa_family == family;
  }
  freeifaddrs(all);
  return is_found;
}

bool set_option(int fd, int level, int option, int value) {
  return setsockopt(fd, level, option, &value, sizeof value) == 0;
}

int close_unfinished(int fd) {
  const int fault = errno;
  close(fd);
  errno = fault;
  return -1;
}

const char *bind_fault(int fault) {
  switch (fault) {
    case EADDRINUSE:
      return "busy";
    case EACCES:
    case EPERM:
      return "denied";
    case EADDRNOTAVAIL:
    case ENODEV:
      return "no address";
    default:
      return "internal";
  }
}
