#include <errno.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "endpoint.h"

bool is_multicast(struct in_addr address) { return IN_MULTICAST(ntohl(address.s_addr)); }

static bool choose_route(int fd, const struct output_options *options) {
  if (is_multicast(options->host)) {
    /* Before connect(), which would settle the interface. */
    if (options->local.s_addr != 0 &&
        setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &options->local, sizeof options->local) != 0)
      return false;
    return options->ttl == 0 || setsockopt(fd, IPPROTO_IP, IP_MULTICAST_TTL, &options->ttl, sizeof options->ttl) == 0;
  }
  if (options->ttl > 0 && setsockopt(fd, IPPROTO_IP, IP_TTL, &options->ttl, sizeof options->ttl) != 0) return false;
  if (options->local.s_addr == 0) return true;
  struct sockaddr_in local = {.sin_family = AF_INET, .sin_addr = options->local};
  return bind(fd, (struct sockaddr *)&local, sizeof local) == 0;
}

/* Answers the socket, or -1 with errno set. Connected: the system looks the route up once. */
static int open_socket(const struct output_options *options) {
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = htons(options->port), .sin_addr = options->host};
  /* A path that takes less than a datagram gets fragments rather than nothing. */
  const int never = IP_PMTUDISC_DONT;
  const bool is_ready = setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &never, sizeof never) == 0 &&
                        choose_route(fd, options) && connect(fd, (struct sockaddr *)&peer, sizeof peer) == 0;
  if (is_ready) return fd;
  int fault = errno;
  close(fd);
  errno = fault;
  return -1;
}

static bool set_split(int fd, int datagram) { return setsockopt(fd, SOL_UDP, UDP_SEGMENT, &datagram, sizeof datagram) == 0; }

static const char *reason_of(int fault) {
  if (fault == ENETUNREACH || fault == EHOSTUNREACH) return "unreachable";
  return fault == EADDRNOTAVAIL || fault == ENODEV ? "no address" : "internal";
}

void output_failed(struct endpoint *endpoint, uint32_t id, const char *reason, const char *text) {
  struct json_writer *json = link_event(&endpoint->link, "output-failed");
  json_put_integer(json, "id", id);
  json_put_text(json, "reason", reason);
  json_put_text(json, "error", text);
  link_send(&endpoint->link);
}

void output_open(struct endpoint *endpoint, uint32_t id, uint32_t feed_id, const struct output_options *options) {
  output_close(endpoint, id);
  struct output *output = endpoint->output_count < MAX_OUTPUTS ? calloc(1, sizeof *output) : NULL;
  struct feed *feed = output == NULL ? NULL : feed_open(endpoint, feed_id);
  if (feed == NULL) {
    free(output);
    output_failed(endpoint, id, "internal", "too many outputs");
    return;
  }
  output->fd = open_socket(options);
  if (output->fd < 0) {
    output_failed(endpoint, id, reason_of(errno), strerror(errno));
    free(output);
    feed_release(endpoint, feed);
    return;
  }
  output->id = id;
  output->is_rtp = options->is_rtp;
  output->is_split = set_split(output->fd, options->is_rtp ? DATAGRAM + RTP_HEADER : DATAGRAM);
  output->feed = feed;
  output->next = feed->first;
  feed->first = output;
  feed->waiting++;
  endpoint->outputs[endpoint->output_count++] = output;
  json_put_integer(link_event(&endpoint->link, "output-open"), "id", id);
  link_send(&endpoint->link);
}

void output_close(struct endpoint *endpoint, uint32_t id) {
  uint32_t i = 0;
  while (i < endpoint->output_count && endpoint->outputs[i]->id != id) i++;
  if (i == endpoint->output_count) return;
  struct output *output = endpoint->outputs[i];
  struct feed *feed = output->feed;
  endpoint->outputs[i] = endpoint->outputs[--endpoint->output_count];
  struct output **at = &feed->first;
  while (*at != output) at = &(*at)->next;
  *at = output->next;
  if (!output->has_begun) feed->waiting--;
  feed_release(endpoint, feed);
  close(output->fd);
  free(output);
}

/* True when the system took it. */
static bool put(struct output *output, const uint8_t *bytes, size_t length) {
  if (send(output->fd, bytes, length, 0) >= 0) return true;
  /* Says that nobody listened to an earlier datagram; nobody needs to be there yet, and this one was not sent. */
  if (errno == ECONNREFUSED && send(output->fd, bytes, length, 0) >= 0) return true;
  return false;
}

/* The network has no flow control: what the system doesn't take now is lost, and counted. */
static void lose(struct output *output, uint64_t datagrams) {
  output->lost += datagrams;
  output->fault = errno;
}

static void send_each(struct output *output, const uint8_t *bytes, size_t length, size_t datagram, size_t header) {
  for (size_t at = 0; at < length; at += datagram) {
    const size_t part = length - at < datagram ? length - at : datagram;
    if (put(output, bytes + at, part)) output->bytes += part - header;
    else lose(output, 1);
  }
}

void output_send(struct output *output, const uint8_t *bytes, size_t length, size_t media) {
  const size_t header = output->is_rtp ? RTP_HEADER : 0;
  const size_t datagram = DATAGRAM + header;
  if (output->is_split) {
    if (put(output, bytes, length)) {
      output->bytes += media;
      return;
    }
    if (length <= datagram || (errno != EINVAL && errno != EIO && errno != EMSGSIZE)) {
      lose(output, (length + datagram - 1) / datagram);
      return;
    }
    /* This way out can't be split by the system: an interface without checksums, a path too narrow. */
    output->is_split = false;
    set_split(output->fd, 0);
  }
  send_each(output, bytes, length, datagram, header);
}
