#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>

#include "clock.h"
#include "endpoint.h"
#include "events.h"
#include "log.h"
#include "sockets.h"

enum { BACKLOG = 64 };

/* On libsrt's receive thread, before anything is answered to the caller. */
static int accept_hook(void *opaque, SRTSOCKET socket, int handshake_version, const struct sockaddr *peer,
                       const char *stream_id) {
  const struct endpoint *endpoint = opaque;
  int code = admission_ask(socket, handshake_version, peer, stream_id == NULL ? "" : stream_id);
  eventfd_write(endpoint->wake_fd, 1);
  if (code == 0) return 0;
  srt_setrejectreason(socket, code);
  return -1;
}

static bool read_address(const char *bind, uint16_t port, struct sockaddr_storage *out, int *length) {
  struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
  struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
  memset(out, 0, sizeof *out);
  if (inet_pton(AF_INET, bind, &v4.sin_addr) == 1) {
    memcpy(out, &v4, sizeof v4);
    *length = sizeof v4;
    return true;
  }
  if (inet_pton(AF_INET6, bind, &v6.sin6_addr) == 1) {
    memcpy(out, &v6, sizeof v6);
    *length = sizeof v6;
    return true;
  }
  return false;
}

static void report_failure(struct endpoint *endpoint, uint16_t port) {
  int system = 0;
  srt_getlasterror(&system);
  event_listen_failed(endpoint, port, system != 0 ? strerror(system) : srt_getlasterror_str(), system == EADDRINUSE);
}

static bool start(struct endpoint *endpoint, SRTSOCKET socket, const struct sockaddr *address, int length) {
  int events = SRT_EPOLL_IN;
  /* The library insists on a decision for "::"; 0 takes IPv4 callers as well. */
  if (address->sa_family == AF_INET6 && !socket_set_integer(socket, SRTO_IPV6ONLY, 0)) return false;
  return srt_bind(socket, address, length) == 0 && srt_listen_callback(socket, accept_hook, endpoint) == 0 &&
         srt_listen(socket, BACKLOG) == 0 && srt_epoll_add_usock(endpoint->poll_id, socket, &events) == 0;
}

void listener_open(struct endpoint *endpoint, const char *bind, uint16_t port, int latency, const char *passphrase,
                   int key_length) {
  struct sockaddr_storage address;
  int length;
  listener_close(endpoint);
  if (!read_address(bind, port, &address, &length)) {
    event_listen_failed(endpoint, port, "bad bind address", false);
    return;
  }
  SRTSOCKET socket = srt_create_socket();
  if (socket == SRT_INVALID_SOCK || !socket_prepare(socket, latency, passphrase, key_length) ||
      !start(endpoint, socket, (const struct sockaddr *)&address, length)) {
    report_failure(endpoint, port);
    if (socket != SRT_INVALID_SOCK) srt_close(socket);
    return;
  }
  endpoint->listener = socket;
  endpoint->listener_port = port;
  endpoint->listener_encrypted = passphrase[0] != '\0';
  event_listening(endpoint, port);
}

void listener_close(struct endpoint *endpoint) {
  if (endpoint->listener == SRT_INVALID_SOCK) return;
  srt_epoll_remove_usock(endpoint->poll_id, endpoint->listener);
  srt_close(endpoint->listener);
  endpoint->listener = SRT_INVALID_SOCK;
}

static void take_in(struct endpoint *endpoint, SRTSOCKET socket) {
  struct admitted admitted;
  if (!admission_accept(socket, &admitted)) {
    /* The key went away between handshake and here. */
    srt_close(socket);
    return;
  }
  enum leg_kind kind = admitted.kind == ADMITTED_PUBLISHER ? LEG_PUBLISHER : LEG_PLAYER;
  struct leg *leg = leg_add(endpoint, kind, endpoint->next_connection, admitted.feed);
  if (leg == NULL) {
    log_warn("no room for the connection of %s", admitted.peer);
    admission_release(socket);
    srt_close(socket);
    return;
  }
  endpoint->next_connection++;
  leg->socket = socket;
  leg->admitted = admitted;
  memcpy(leg->peer, admitted.peer, sizeof leg->peer);
  leg->state = LEG_CONNECTED;
  if (kind == LEG_PLAYER) fanout_join(endpoint, leg);
  event_connected(endpoint, leg, socket_get_integer(socket, kind == LEG_PLAYER ? SRTO_PEERLATENCY : SRTO_RCVLATENCY),
                  socket_is_encrypted(socket));
  if (!leg_watch(endpoint, leg, SRT_EPOLL_IN)) leg_broken(endpoint, leg);
}

void listener_accept(struct endpoint *endpoint) {
  for (int i = 0; i < BACKLOG && endpoint->listener != SRT_INVALID_SOCK; i++) {
    struct sockaddr_storage peer;
    int length = sizeof peer;
    SRTSOCKET socket = srt_accept(endpoint->listener, (struct sockaddr *)&peer, &length);
    if (socket == SRT_INVALID_SOCK) return;
    take_in(endpoint, socket);
  }
}

static void drop_failed(struct endpoint *endpoint) {
  SRTSOCKET pending[MAX_ADMITTED];
  uint32_t count = admission_pending(pending);
  for (uint32_t i = 0; i < count; i++) {
    /* A socket whose handshake failed is closed by the library without a word. */
    if (srt_getsockstate(pending[i]) >= SRTS_BROKEN) admission_drop_pending(pending[i], endpoint->listener_encrypted);
  }
}

void listener_tidy(struct endpoint *endpoint) {
  struct refusal refusal;
  if (admission_has_pending()) drop_failed(endpoint);
  while (refusal_take(&refusal, endpoint->now)) event_refused(endpoint, &refusal);
}
