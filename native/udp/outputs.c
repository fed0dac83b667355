#include <errno.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "endpoint.h"

/* Seconds without any accepted datagram, after which the engine gets the reason and retries. */
enum { FAILED_AFTER = 5 };

/* Before connect(), which would fix the interface. */
static bool choose_interface(int fd, const struct output_options *options) {
  if (options->interface[0] == '\0') return true;
  const unsigned index = interface_index(options->interface);
  if (index == 0) {
    errno = ENODEV;
    return false;
  }
  if (options->host.any.sa_family == AF_INET6) return set_option(fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, (int)index);
  struct ip_mreqn chosen = {.imr_ifindex = (int)index};
  union address local;
  /* The source address of the datagrams. */
  if (interface_address(options->interface, AF_INET, &local)) chosen.imr_address = local.v4.sin_addr;
  return setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &chosen, sizeof chosen) == 0;
}

static bool choose_source(int fd, const struct output_options *options) {
  union address local;
  if (options->interface[0] == '\0') return true;
  if (interface_address(options->interface, options->host.any.sa_family, &local))
    return bind(fd, &local.any, address_length(&local)) == 0;
  errno = EADDRNOTAVAIL;
  return false;
}

static bool choose_route(int fd, const struct output_options *options) {
  const bool is_v6 = options->host.any.sa_family == AF_INET6;
  const int level = is_v6 ? IPPROTO_IPV6 : IPPROTO_IP;
  if (address_is_multicast(&options->host)) {
    const int hops = is_v6 ? IPV6_MULTICAST_HOPS : IP_MULTICAST_TTL;
    return choose_interface(fd, options) && (options->ttl == 0 || set_option(fd, level, hops, options->ttl));
  }
  const int hops = is_v6 ? IPV6_UNICAST_HOPS : IP_TTL;
  return choose_source(fd, options) && (options->ttl == 0 || set_option(fd, level, hops, options->ttl));
}

/* Fragment datagrams on a path with a smaller MTU rather than drop them. */
static bool allow_fragments(int fd, int family) {
  return family == AF_INET6 ? set_option(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_DONT)
                            : set_option(fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DONT);
}

/* Returns the socket, or -1 with errno set. Connected, so that the system looks up the route once. */
static int open_socket(const struct output_options *options) {
  const int family = options->host.any.sa_family;
  int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  const bool is_ready = allow_fragments(fd, family) && choose_route(fd, options) &&
                        connect(fd, &options->host.any, address_length(&options->host)) == 0;
  if (is_ready) return fd;
  return close_unfinished(fd);
}

static int datagram_of(const struct output *output) { return DATAGRAM + (output->options.is_rtp ? RTP_HEADER : 0); }

static bool set_split(int fd, int datagram) { return set_option(fd, SOL_UDP, UDP_SEGMENT, datagram); }

static const char *reason_of(int fault) {
  if (fault == ENETUNREACH || fault == EHOSTUNREACH) return "unreachable";
  return fault == EADDRNOTAVAIL || fault == ENODEV || fault == EINVAL || fault == ENETDOWN ? "no address" : "internal";
}

struct output *output_find(struct endpoint *endpoint, uint32_t id) {
  struct output *output;
  TAILQ_FOREACH(output, &endpoint->outputs, entry_in_all) {
    if (output->id == id) return output;
  }
  return NULL;
}

void output_open(struct endpoint *endpoint, uint32_t id, uint32_t feed_id, const struct output_options *options) {
  struct output *old = output_find(endpoint, id);
  if (old != NULL) output_close(endpoint, old);
  struct output *output = endpoint->output_count < MAX_OUTPUTS ? calloc(1, sizeof *output) : NULL;
  struct feed *feed = output == NULL ? NULL : feed_open(endpoint, feed_id);
  if (feed == NULL) {
    free(output);
    link_failed(&endpoint->link, "output-failed", id, "internal", "too many outputs");
    return;
  }
  output->fd = open_socket(options);
  if (output->fd < 0) {
    link_failed(&endpoint->link, "output-failed", id, reason_of(errno), strerror(errno));
    free(output);
    feed_release(endpoint, feed);
    return;
  }
  output->id = id;
  output->options = *options;
  output->is_split = set_split(output->fd, datagram_of(output));
  output->feed = feed;
  feed->waiting++;
  LIST_INSERT_HEAD(&feed->outputs, output, entry_in_feed);
  TAILQ_INSERT_TAIL(&endpoint->outputs, output, entry_in_all);
  endpoint->output_count++;
  link_report(&endpoint->link, "output-open", "id:%u", id);
}

void output_close(struct endpoint *endpoint, struct output *output) {
  TAILQ_REMOVE(&endpoint->outputs, output, entry_in_all);
  LIST_REMOVE(output, entry_in_feed);
  endpoint->output_count--;
  if (!output->has_started) output->feed->waiting--;
  feed_release(endpoint, output->feed);
  close(output->fd);
  free(output);
}

/* Returns true if the kernel accepted it. */
static bool put(struct output *output, const uint8_t *bytes, size_t length) {
  bool is_taken = send(output->fd, bytes, length, 0) >= 0;
  /* Reports that an earlier datagram had no listener. That is not an error, and this datagram was not sent yet. */
  if (!is_taken && errno == ECONNREFUSED) is_taken = send(output->fd, bytes, length, 0) >= 0;
  output->has_sent = output->has_sent || is_taken;
  return is_taken;
}

/* UDP has no flow control: datagrams that the kernel does not accept now are lost and counted. */
static void lose(struct output *output, uint64_t datagrams) {
  output->lost += datagrams;
  output->fault = output->last_fault = errno;
  output->has_lost = true;
}

static void send_each(struct output *output, const uint8_t *bytes, size_t length, size_t datagram, size_t header) {
  for (size_t at = 0; at < length; at += datagram) {
    const size_t part = length - at < datagram ? length - at : datagram;
    if (put(output, bytes + at, part)) output->bytes += part - header;
    else lose(output, 1);
  }
}

void output_send(struct output *output, const uint8_t *bytes, size_t length, size_t media) {
  const size_t header = output->options.is_rtp ? RTP_HEADER : 0;
  const size_t datagram = (size_t)datagram_of(output);
  if (output->is_split) {
    if (put(output, bytes, length)) {
      output->bytes += media;
      return;
    }
    if (length <= datagram || (errno != EINVAL && errno != EIO && errno != EMSGSIZE)) {
      lose(output, (length + datagram - 1) / datagram);
      return;
    }
    /* The kernel cannot segment on this path: an interface without checksum offload, or a small MTU. */
    output->is_split = false;
    set_split(output->fd, 0);
  }
  send_each(output, bytes, length, datagram, header);
}

/* A connected socket keeps its source address and interface, which the machine may have lost. */
static void reopen(struct output *output) {
  const int fd = open_socket(&output->options);
  if (fd < 0) {
    output->last_fault = errno;
    return;
  }
  close(output->fd);
  output->fd = fd;
  output->is_split = set_split(fd, datagram_of(output));
}

void outputs_mend(struct endpoint *endpoint) {
  struct output *next = TAILQ_FIRST(&endpoint->outputs);
  while (next != NULL) {
    struct output *output = next;
    next = TAILQ_NEXT(output, entry_in_all);
    const bool is_failing = output->has_lost && !output->has_sent;
    if (output->has_sent) output->failing_seconds = 0;
    output->has_sent = output->has_lost = false;
    if (!is_failing) continue;
    if (++output->failing_seconds < FAILED_AFTER) {
      reopen(output);
      continue;
    }
    const int fault = output->last_fault;
    link_failed(&endpoint->link, "output-failed", output->id, reason_of(fault), strerror(fault));
    output_close(endpoint, output);
  }
}
