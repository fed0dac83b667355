#include "fail.h"
#include "grid.h"
#include "sink.h"
#include "ts-reader.h"
#include "clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>

enum { read_max = 65536, batch = 16, receive_buffer = 4 << 20, rtp_header = 12, no_sequence = -1 };

struct udp_reader {
  int socket;
  int is_rtp;
  /* Of the last RTP packet. */
  int sequence;
  struct ts_reader ts;
};

static size_t count;
static struct udp_reader *readers;
static struct sink_stats *udp_stats;

static int open_socket(const struct address *from, int port) {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int size = receive_buffer, on = 1;
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  /* Datagrams sent in one piece stay in one, because splitting them is a network card's job, not that of loopback. */
  setsockopt(fd, SOL_UDP, UDP_GRO, &on, sizeof on);
  if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0) fail("udp: no time stamps: %s", strerror(errno));
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  inet_pton(AF_INET, from->host, &at.sin_addr);
  if (bind(fd, (struct sockaddr *)&at, sizeof at) != 0) fail("udp port %d: %s", port, strerror(errno));
  return fd;
}

static void open_readers(const struct options *options, const struct address *from, struct sink_stats *stats) {
  const int step = (int)option_number(options, "step", 1);
  if (!grid_is_on()) grid_start(1);
  count = stats->count;
  udp_stats = stats;
  readers = allocate(count * sizeof *readers);
  for (size_t i = 0; i < count; i++) {
    struct udp_reader *reader = &readers[i];
    ts_reader_init(&reader->ts, stats, i);
    reader->is_rtp = strcmp(from->scheme, "rtp") == 0;
    reader->sequence = no_sequence;
    reader->socket = open_socket(from, from->port + (int)i * step);
    stats->readers[i].opened_ns = clock_ns();
  }
}

/* The kernel's timestamp is wall-clock time, so the offset between both clocks is read at every tick. */
static uint64_t day_minus_monotonic_ns(void) {
  struct timespec day;
  clock_gettime(CLOCK_REALTIME, &day);
  return (uint64_t)day.tv_sec * NS_PER_S + (uint64_t)day.tv_nsec - clock_ns();
}

/* What the kernel reports about the datagrams of one read. */
struct arrival {
  uint64_t at_ns;
  /* Of each datagram except the last. */
  size_t size;
};

static struct arrival read_arrival(struct msghdr *message, size_t length, uint64_t offset) {
  struct arrival arrival = {.at_ns = 0, .size = length};
  for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part != NULL; part = CMSG_NXTHDR(message, part)) {
    if (part->cmsg_level == SOL_UDP && part->cmsg_type == UDP_GRO) {
      int size;
      memcpy(&size, CMSG_DATA(part), sizeof size);
      arrival.size = (size_t)size;
    }
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPNS) continue;
    struct timespec at;
    memcpy(&at, CMSG_DATA(part), sizeof at);
    arrival.at_ns = (uint64_t)at.tv_sec * NS_PER_S + (uint64_t)at.tv_nsec - offset;
  }
  if (arrival.at_ns == 0) fail("udp: a datagram without time stamp");
  return arrival;
}

/* A jump of the sequence number is a fault, as is one of a continuity counter. */
static size_t skip_rtp_header(struct udp_reader *reader, const uint8_t *data, size_t size) {
  if (size < rtp_header) return size;
  const int sequence = data[2] << 8 | data[3];
  if (reader->sequence != no_sequence && sequence != ((reader->sequence + 1) & 0xffff)) {
    udp_stats->readers[reader->ts.index].faults++;
  }
  reader->sequence = sequence;
  return rtp_header;
}

static void take(struct udp_reader *reader, const uint8_t *data, size_t length, struct arrival arrival) {
  for (size_t at = 0; at < length; at += arrival.size) {
    const size_t size = length - at < arrival.size ? length - at : arrival.size;
    const size_t header = reader->is_rtp ? skip_rtp_header(reader, data + at, size) : 0;
    ts_reader_feed(&reader->ts, data + at + header, size - header, arrival.at_ns);
  }
}

/* Returns 0 when no more datagrams wait. */
static int read_some(struct udp_reader *reader, uint64_t offset) {
  static uint8_t data[batch][read_max];
  static char controls[batch][CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(sizeof(int))];
  struct iovec parts[batch];
  struct mmsghdr messages[batch] = {0};
  for (int i = 0; i < batch; i++) {
    parts[i] = (struct iovec){data[i], read_max};
    messages[i].msg_hdr = (struct msghdr){
        .msg_iov = &parts[i], .msg_iovlen = 1, .msg_control = controls[i], .msg_controllen = sizeof controls[i]};
  }
  const int got = recvmmsg(reader->socket, messages, batch, MSG_DONTWAIT, NULL);
  for (int i = 0; i < got; i++) {
    const size_t length = messages[i].msg_len;
    take(reader, data[i], length, read_arrival(&messages[i].msg_hdr, length, offset));
  }
  return got == batch;
}

static void poll_readers(int timeout_ms) {
  (void)timeout_ms;
  grid_wait();
  const uint64_t offset = day_minus_monotonic_ns();
  for (size_t i = 0; i < count; i++) {
    while (read_some(&readers[i], offset)) {
    }
  }
}

const struct sink_protocol sink_udp = {"udp", open_readers, poll_readers, NULL};
const struct sink_protocol sink_rtp = {"rtp", open_readers, poll_readers, NULL};
