#include "clock.h"
#include "fail.h"
#include "grid.h"
#include "sink.h"
#include "srt-socket.h"
#include "ts-reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Callers share local ports in groups: libsrt starts two threads per port, and 128 of them would disturb. */
enum { group_size = 16, message_max = 2048, events_max = 256, no_socket = -1 };

static int epoll_id;
static const struct options *srt_options;
static struct address srt_from;
static int port_step;
static struct sink_stats *srt_stats;
static SRTSOCKET *sockets;
static struct ts_reader *readers;
static SRTSOCKET listener = no_socket;

/* Only after all readers have media, because the time of the handshake becomes part of a connection's delay. */
static int is_on_grid(void) { return grid_is_on() && srt_stats != NULL && __atomic_load_n(&srt_stats->with_media, __ATOMIC_RELAXED) == srt_stats->count; }

/*
 * libsrt's receiving thread sleeps in recvmsg(), so every packet would wake it. The library links to this function
 * instead of the C library's: available data is returned at once, otherwise after the next tick.
 */
ssize_t recvmsg(int fd, struct msghdr *message, int flags) {
  if (!is_on_grid()) return syscall(SYS_recvmsg, fd, message, flags);
  const ssize_t size = syscall(SYS_recvmsg, fd, message, flags | MSG_DONTWAIT);
  if (size >= 0 || errno != EAGAIN) return size;
  grid_wait();
  return syscall(SYS_recvmsg, fd, message, flags | MSG_DONTWAIT);
}

static void watch(SRTSOCKET socket) {
  const int events = SRT_EPOLL_IN | SRT_EPOLL_ERR;
  srt_epoll_add_usock(epoll_id, socket, &events);
}

static void share_local_port(size_t index, SRTSOCKET socket) {
  static struct sockaddr_in local;
  int size = sizeof local;
  if (index % group_size == 0) {
    local = (struct sockaddr_in){.sin_family = AF_INET};
    local.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  }
  if (srt_bind(socket, (struct sockaddr *)&local, sizeof local) != 0) fail("srt bind: %s", srt_getlasterror_str());
  if (index % group_size == 0) srt_getsockname(socket, (struct sockaddr *)&local, &size);
}

static void call(size_t index, int shares_port) {
  const SRTSOCKET socket = srt_make_socket(srt_options, 0, option_number(srt_options, "first", 0) + (long)index);
  sockets[index] = socket;
  if (shares_port) share_local_port(index, socket);
  const struct sockaddr_in to = srt_address(&srt_from, srt_from.port + (int)index * port_step);
  watch(socket);
  if (srt_connect(socket, (const struct sockaddr *)&to, sizeof to) == SRT_ERROR) fail("srt: %s", srt_getlasterror_str());
}

static void open_common(const struct options *options, const struct address *from, struct sink_stats *stats) {
  srt_startup();
  srt_setloglevel(0);
  srt_options = options;
  srt_from = *from;
  port_step = (int)option_number(options, "step", 0);
  srt_stats = stats;
  epoll_id = srt_epoll_create();
  srt_epoll_set(epoll_id, SRT_EPOLL_ENABLE_EMPTY);
  sockets = allocate(stats->count * sizeof *sockets);
  readers = allocate(stats->count * sizeof *readers);
  for (size_t i = 0; i < stats->count; i++) {
    ts_reader_init(&readers[i], stats, i);
    stats->readers[i].opened_ns = clock_ns();
    sockets[i] = no_socket;
  }
}

static void open_callers(const struct options *options, const struct address *from, struct sink_stats *stats) {
  open_common(options, from, stats);
  for (size_t i = 0; i < stats->count; i++) {
    stats->readers[i].opened_ns = clock_ns();
    call(i, 1);
  }
}

static void open_listener(const struct options *options, const struct address *from, struct sink_stats *stats) {
  open_common(options, from, stats);
  listener = srt_make_socket(options, 0, 0);
  const struct sockaddr_in at = srt_address(from, from->port);
  if (srt_bind(listener, (const struct sockaddr *)&at, sizeof at) != 0 || srt_listen(listener, (int)stats->count) != 0) {
    fail("srt port %d: %s", from->port, srt_getlasterror_str());
  }
  watch(listener);
}

static void take_caller(void) {
  const SRTSOCKET socket = srt_accept(listener, NULL, NULL);
  if (socket == SRT_INVALID_SOCK) return;
  for (size_t i = 0; i < srt_stats->count; i++) {
    if (sockets[i] != no_socket) continue;
    sockets[i] = socket;
    watch(socket);
    return;
  }
  srt_close(socket);
}

static void on_end(size_t index) {
  const int reason = srt_getrejectreason(sockets[index]);
  srt_epoll_remove_usock(epoll_id, sockets[index]);
  srt_close(sockets[index]);
  sockets[index] = no_socket;
  struct reader_stats *of = &srt_stats->readers[index];
  /* Before the first media the server may not be ready yet. */
  if (listener == no_socket && of->first_media_ns == 0 && reason < SRT_REJC_PREDEFINED) return call(index, 0);
  of->is_closed = 1;
  fprintf(stderr, "reader %zu: connection ended (reason %d)\n", index, reason);
}

/* When the protocol was due to deliver the message: a sink with many readers processes some of them later. */
static uint64_t due_ns(const SRT_MSGCTRL *control) {
  const int64_t ago_us = srt_time_now() - control->srctime;
  return clock_ns() - (uint64_t)ago_us * NS_PER_US;
}

static void read_socket(size_t index) {
  char data[message_max];
  for (;;) {
    SRT_MSGCTRL control = srt_msgctrl_default;
    const int size = srt_recvmsg2(sockets[index], data, sizeof data, &control);
    if (size > 0) {
      ts_reader_feed(&readers[index], (const uint8_t *)data, (size_t)size, due_ns(&control));
      continue;
    }
    if (size == 0 || srt_getlasterror(NULL) != SRT_EASYNCRCV) {
      if (srt_getsockstate(sockets[index]) >= SRTS_BROKEN) on_end(index);
    }
    return;
  }
}

static void poll_readers(int timeout_ms) {
  static SRT_EPOLL_EVENT events[events_max];
  if (is_on_grid()) {
    grid_wait();
    timeout_ms = 0;
  }
  const int count = srt_epoll_uwait(epoll_id, events, events_max, timeout_ms);
  for (int i = 0; i < count && i < events_max; i++) {
    if (events[i].fd == listener) {
      take_caller();
      continue;
    }
    for (size_t index = 0; index < srt_stats->count; index++) {
      if (sockets[index] == events[i].fd) {
        read_socket(index);
        break;
      }
    }
  }
}

const struct sink_protocol sink_srt = {"srt", open_callers, poll_readers, NULL};
const struct sink_protocol sink_srt_listener = {"srt-listener", open_listener, poll_readers, NULL};
