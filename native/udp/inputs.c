#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "endpoint.h"

#ifndef IPV6_MULTICAST_ALL
#define IPV6_MULTICAST_ALL 29
#endif

enum {
  DATAGRAM_MAX = 65536,
  DATAGRAMS_PER_READ = 32,
  READS_PER_TURN = 8,
  /* A quarter of a second at 100 Mb/s, as far as the system permits. */
  RECEIVE_BUFFER = 4 << 20,
  BATCH = WIRE_DATA_FRAME,
  /* Other senders are ignored while the first is active. */
  SENDER_SILENCE_MS = 2000,
  /* A group without data for this long is joined again at this interval: its interface may have been recreated, the
     route to it may have moved, or a switch may have forgotten the membership. */
  REJOIN_AFTER_MS = 5000,
  REJOIN_EVERY_MS = 10000,
};

static uint8_t arrived[DATAGRAMS_PER_READ][TS_CARRY + DATAGRAM_MAX];

struct input *input_find(struct endpoint *endpoint, uint32_t id) {
  struct input *input;
  TAILQ_FOREACH(input, &endpoint->inputs, entry_in_all) {
    if (input->id == id) return input;
  }
  return NULL;
}

static void set_receive_buffer(int fd) {
  const int size = RECEIVE_BUFFER;
  /* The first option needs a privilege; the kernel caps the second. */
  if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0)
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
}

/* The kernel's value without its own overhead. */
static int receive_buffer(int fd) {
  int size = 0;
  socklen_t length = sizeof size;
  return getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, &length) == 0 ? size / 2 : 0;
}

/* `change`: the socket options for a group and for a source-specific group. */
static bool change_membership(int fd, const struct input_options *options, const int change[2]) {
  const int level = options->host.any.sa_family == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP;
  const unsigned index = options->interface[0] == '\0' ? 0 : interface_index(options->interface);
  if (options->interface[0] != '\0' && index == 0) {
    errno = ENODEV;
    return false;
  }
  if (options->source.any.sa_family == AF_UNSPEC) {
    struct group_req group = {.gr_interface = index};
    memcpy(&group.gr_group, &options->host, sizeof options->host);
    return setsockopt(fd, level, change[0], &group, sizeof group) == 0;
  }
  struct group_source_req group = {.gsr_interface = index};
  memcpy(&group.gsr_group, &options->host, sizeof options->host);
  memcpy(&group.gsr_source, &options->source, sizeof options->source);
  return setsockopt(fd, level, change[1], &group, sizeof group) == 0;
}

static bool join(int fd, const struct input_options *options) {
  static const int joining[2] = {MCAST_JOIN_GROUP, MCAST_JOIN_SOURCE_GROUP};
  return change_membership(fd, options, joining);
}

static void leave(int fd, const struct input_options *options) {
  static const int leaving[2] = {MCAST_LEAVE_GROUP, MCAST_LEAVE_SOURCE_GROUP};
  change_membership(fd, options, leaving);
}

static bool bind_and_join(int fd, const struct input_options *options) {
  union address local = options->host;
  const bool is_v6 = local.any.sa_family == AF_INET6;
  const bool is_group = address_is_multicast(&local);
  /* For the wildcard address, IPv4 senders as well. */
  if (is_v6 && !set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, !IN6_IS_ADDR_UNSPECIFIED(&local.v6.sin6_addr))) return false;
  if (is_v6 && IN6_IS_ADDR_MC_LINKLOCAL(&local.v6.sin6_addr))
    local.v6.sin6_scope_id = interface_index(options->interface);
  if (is_group && !set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1)) return false;
  if (bind(fd, &local.any, address_length(&local)) != 0) return false;
  if (!is_group) return true;
  /* Only datagrams to this group, not to every group that another socket on this machine has joined. */
  set_option(fd, is_v6 ? IPPROTO_IPV6 : IPPROTO_IP, is_v6 ? IPV6_MULTICAST_ALL : IP_MULTICAST_ALL, 0);
  return join(fd, options);
}

/* Returns the socket, or -1 with errno set. */
static int open_socket(const struct input_options *options) {
  int fd = socket(options->host.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  set_receive_buffer(fd);
  if (bind_and_join(fd, options)) return fd;
  return close_unfinished(fd);
}

static void release(struct input *input) {
  rtp_order_free(&input->order);
  free(input->batch);
  free(input);
}

void input_open(struct endpoint *endpoint, uint32_t id, const struct input_options *options) {
  struct input *old = input_find(endpoint, id);
  if (old != NULL) input_close(endpoint, old);
  struct input *input = endpoint->input_count < MAX_INPUTS ? calloc(1, sizeof *input) : NULL;
  uint8_t *batch = input == NULL ? NULL : malloc(BATCH);
  if (batch == NULL) {
    free(input);
    link_failed(&endpoint->link, "input-failed", id, "internal", "too many inputs");
    return;
  }
  input->endpoint = endpoint;
  input->id = id;
  input->batch = batch;
  input->options = *options;
  input->joined_at = endpoint->now;
  if (options->is_rtp && !rtp_order_init(&input->order)) {
    link_failed(&endpoint->link, "input-failed", id, "internal", "out of memory");
    release(input);
    return;
  }
  input->fd = open_socket(options);
  if (input->fd < 0) {
    link_failed(&endpoint->link, "input-failed", id, bind_fault(errno), strerror(errno));
    release(input);
    return;
  }
  TAILQ_INSERT_TAIL(&endpoint->inputs, input, entry_in_all);
  endpoint->input_count++;
  link_report(&endpoint->link, "input-open", "id:%u buffer:%d", id, receive_buffer(input->fd));
}

void input_close(struct endpoint *endpoint, struct input *input) {
  TAILQ_REMOVE(&endpoint->inputs, input, entry_in_all);
  endpoint->input_count--;
  close(input->fd);
  release(input);
}

static void flush(struct endpoint *endpoint, struct input *input) {
  if (input->batch_length == 0) return;
  const uint8_t flags = input->has_lost ? FLAG_LOST : 0;
  const bool is_sent = wire_send_data(&endpoint->link.wire, input->id, flags, input->batch, input->batch_length);
  if (!is_sent) input->dropped_bytes += input->batch_length;
  input->has_lost = !is_sent;
  input->batch_length = 0;
}

static void hand_on(struct endpoint *endpoint, struct input *input, const uint8_t *bytes, size_t length) {
  struct feed *feed = input->is_linked ? feed_find(endpoint, input->feed) : NULL;
  if (feed != NULL) feed_append_datagram(endpoint, feed, bytes, length);
  while (length > 0) {
    size_t part = length < BATCH - input->batch_length ? length : BATCH - input->batch_length;
    if (input->batch_length == 0) input->batch_at = endpoint->now;
    memcpy(input->batch + input->batch_length, bytes, part);
    input->batch_length += part;
    bytes += part;
    length -= part;
    if (input->batch_length == BATCH) flush(endpoint, input);
  }
}

static void tell_sender(struct endpoint *endpoint, const struct input *input) {
  char text[ADDRESS_TEXT];
  address_text(&input->sender, text);
  link_report(&endpoint->link, "sender", "id:%u peer:%s", input->id, text);
}

/* Accepts one sender at a time, and only the configured one if there is one. */
static bool admit(struct endpoint *endpoint, struct input *input, const union address *sender) {
  const union address *source = &input->options.source;
  const bool is_same =
      address_port(sender) == address_port(&input->sender) && address_is_same_host(sender, &input->sender);
  if (source->any.sa_family != AF_UNSPEC && !address_is_same_host(sender, source)) return false;
  if (!is_same) {
    if (input->heard_at != 0 && endpoint->now - input->heard_at < MS(SENDER_SILENCE_MS)) return false;
    input->sender = *sender;
    ts_sync_break(&input->sync);
    input->order.has_started = false;
    input->pcr_jitter.has_started = false;
    tell_sender(endpoint, input);
  }
  input->heard_at = endpoint->now;
  return true;
}

/* `bytes` is preceded by room for TS_CARRY more. */
static void take_payload(struct endpoint *endpoint, struct input *input, uint8_t *bytes, size_t length) {
  uint8_t *begin = bytes - input->sync.carried;
  size_t carried = ts_sync_start(&input->sync, begin);
  size_t whole = ts_sync_run(&input->sync, begin, carried + length);
  if (whole == 0) return;
  if (!input->options.is_rtp) pcr_jitter_take(&input->pcr_jitter, begin, whole, endpoint->now);
  hand_on(endpoint, input, begin, whole);
  input->is_out_of_sync = false;
}

static void tell_no_sync(struct endpoint *endpoint, struct input *input) {
  if (input->is_out_of_sync) return;
  input->is_out_of_sync = true;
  link_report(&endpoint->link, "no-sync", "id:%u", input->id);
}

static void take_in_order(void *context, uint8_t *payload, size_t length) {
  struct input *input = context;
  uint8_t room[TS_CARRY + RTP_SLOT_BYTES];
  /* Payloads normally hold whole packets; only one that does not needs room for the carried bytes. */
  if (input->sync.carried == 0) take_payload(input->endpoint, input, payload, length);
  else if (length <= RTP_SLOT_BYTES) {
    memcpy(room + TS_CARRY, payload, length);
    take_payload(input->endpoint, input, room + TS_CARRY, length);
  }
}

static void take(struct endpoint *endpoint, struct input *input, uint8_t *datagram, size_t length) {
  input->bytes += length;
  input->datagrams++;
  if (!input->options.is_rtp) take_payload(endpoint, input, datagram, length);
  else if (!rtp_take(&input->order, datagram, length, endpoint->now, take_in_order, input))
    input->sync.junk += length;
  if (ts_sync_has_failed(&input->sync)) tell_no_sync(endpoint, input);
}

/* Returns false when nothing is left to read. */
static bool read_some(struct endpoint *endpoint, struct input *input) {
  struct mmsghdr messages[DATAGRAMS_PER_READ];
  struct iovec parts[DATAGRAMS_PER_READ];
  union address senders[DATAGRAMS_PER_READ];
  for (size_t i = 0; i < DATAGRAMS_PER_READ; i++) {
    parts[i] = (struct iovec){.iov_base = arrived[i] + TS_CARRY, .iov_len = DATAGRAM_MAX};
    messages[i].msg_hdr = (struct msghdr){
        .msg_iov = &parts[i], .msg_iovlen = 1, .msg_name = &senders[i], .msg_namelen = sizeof senders[i]};
  }
  int count = recvmmsg(input->fd, messages, DATAGRAMS_PER_READ, MSG_DONTWAIT, NULL);
  for (int i = 0; i < count; i++) {
    const union address sender = address_of_peer(&senders[i].any);
    if (admit(endpoint, input, &sender)) take(endpoint, input, arrived[i] + TS_CARRY, messages[i].msg_len);
    else input->refused++;
  }
  return count == DATAGRAMS_PER_READ;
}

void input_read(struct endpoint *endpoint, struct input *input) {
  for (int i = 0; i < READS_PER_TURN && read_some(endpoint, input); i++) {
  }
}

void inputs_mend(struct endpoint *endpoint) {
  struct input *input;
  TAILQ_FOREACH(input, &endpoint->inputs, entry_in_all) {
    const int64_t since = input->joined_at > input->heard_at ? input->joined_at : input->heard_at;
    const int64_t wait = input->joined_at > input->heard_at ? MS(REJOIN_EVERY_MS) : MS(REJOIN_AFTER_MS);
    if (!address_is_multicast(&input->options.host) || endpoint->now - since < wait) continue;
    leave(input->fd, &input->options);
    join(input->fd, &input->options);
    input->joined_at = endpoint->now;
  }
}

void inputs_flush(struct endpoint *endpoint) {
  struct input *input;
  TAILQ_FOREACH(input, &endpoint->inputs, entry_in_all) {
      if (input->options.is_rtp) rtp_expire(&input->order, endpoint->now, take_in_order, input);
    if (input->batch_length > 0 && endpoint->now - input->batch_at >= input->options.batch_time) flush(endpoint, input);
  }
}

int64_t inputs_due(const struct endpoint *endpoint) {
  const struct input *input;
  int64_t due = INT64_MAX;
  TAILQ_FOREACH(input, &endpoint->inputs, entry_in_all) {
    int64_t at = input->batch_length > 0 ? input->batch_at + input->options.batch_time : INT64_MAX;
    int64_t expires = rtp_due(&input->order);
    if (expires < at) at = expires;
    if (at < due) due = at;
  }
  return due;
}
