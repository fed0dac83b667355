
#include "fail.h"
#include "sink.h"
#include "ts-reader.h"
#include "clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum { datagram_max = 2048, batch = 32, receive_buffer = 4 << 20, events_max = 64 };

static int epoll_fd;
static int *sockets;
static struct ts_reader *readers;

static int open_socket(const struct address *from, int port) {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int size = receive_buffer;
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  inet_pton(AF_INET, from->host, &at.sin_addr);
  if (bind(fd, (struct sockaddr *)&at, sizeof at) != 0) fail("udp port %d: %s", port, strerror(errno));
  return fd;
}

static void open_readers(const struct options *options, const struct address *from, struct sink_stats *stats) {
  (void)options;
  epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  sockets = allocate(stats->count * sizeof *sockets);
  readers = allocate(stats->count * sizeof *readers);
  for (size_t i = 0; i < stats->count; i++) {
    ts_reader_init(&readers[i], stats, i);
    sockets[i] = open_socket(from, from->port + (int)i);
    stats->readers[i].opened_ns = clock_ns();
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = i};
    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, sockets[i], &event);
  }
}

static void read_socket(size_t index) {
  static uint8_t data[batch][datagram_max];
  struct iovec parts[batch];
  struct mmsghdr messages[batch] = {0};
  for (int i = 0; i < batch; i++) {
    parts[i] = (struct iovec){data[i], datagram_max};
    messages[i].msg_hdr.msg_iov = &parts[i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  const int count = recvmmsg(sockets[index], messages, batch, MSG_DONTWAIT, NULL);
  for (int i = 0; i < count; i++) ts_reader_feed(&readers[index], data[i], messages[i].msg_len);
}

static void poll_readers(int timeout_ms) {
  struct epoll_event events[events_max];
  const int count = epoll_wait(epoll_fd, events, events_max, timeout_ms);
  for (int i = 0; i < count; i++) read_socket(events[i].data.u64);
}

const struct sink_protocol sink_udp = {"udp", open_readers, poll_readers};
