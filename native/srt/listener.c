#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>

#include "endpoint.h"
#include "log.h"
#include "refusals.h"

enum { BACKLOG = 64 };

/* The hook gets only the number of its listener, not the endpoint, which may be gone by then. */
static int wake_fd;

/* Called on a receive thread of libsrt, before the caller gets a response. */
static int accept_hook(void *opaque, SRTSOCKET socket, int handshake_version, const struct sockaddr *peer,
                       const char *stream_id) {
  uint32_t listener = (uint32_t)(uintptr_t)opaque;
  int code = admission_ask(socket, listener, handshake_version, peer, stream_id == NULL ? "" : stream_id);
  eventfd_write(wake_fd, 1);
  if (code == 0) return 0;
  srt_setrejectreason(socket, code);
  return -1;
}

static struct listener *find(struct endpoint *endpoint, uint32_t id) {
  for (uint32_t i = 0; i < endpoint->listener_count; i++) {
    if (endpoint->listeners[i].id == id) return &endpoint->listeners[i];
  }
  return NULL;
}

static void report_failure(struct endpoint *endpoint, uint32_t id, uint16_t port, const char *error,
                           const char *reason) {
  const char *members = "id:%u state:%s error:%s reason:%s";
  if (id != COMMON_LISTENER) link_report(&endpoint->link, "listener", members, id, "failed", error, reason);
  else link_report(&endpoint->link, "listen-failed", "port:%u error:%s reason:%s", port, error, reason);
}

static void report_library_failure(struct endpoint *endpoint, uint32_t id, uint16_t port) {
  int system = 0;
  int code = srt_getlasterror(&system);
  /* Another of our listeners uses the port. */
  bool is_ours = code == SRT_EBINDCONFLICT || code == SRT_EDUPLISTEN;
  report_failure(endpoint, id, port, system != 0 ? strerror(system) : srt_getlasterror_str(),
                 is_ours ? "busy" : bind_fault(system));
}

static bool start(struct endpoint *endpoint, SRTSOCKET socket, uint32_t id, struct port *port) {
  int events = SRT_EPOLL_IN;
  wake_fd = endpoint->wake_fd;
  /* libsrt requires a decision for "::"; 0 also accepts IPv4 callers. */
  if (port->address.any.sa_family == AF_INET6 && !socket_set_integer(socket, SRTO_IPV6ONLY, 0)) return false;
  return port_bind(port, socket) && srt_listen_callback(socket, accept_hook, (void *)(uintptr_t)id) == 0 &&
         srt_listen(socket, BACKLOG) == 0 && srt_epoll_add_usock(endpoint->poll_id, socket, &events) == 0;
}

static SRTSOCKET open_socket(struct endpoint *endpoint, const struct listener_options *options, uint32_t id,
                             struct port *port) {
  SRTSOCKET socket = srt_create_socket();
  if (socket == SRT_INVALID_SOCK) return SRT_INVALID_SOCK;
  if (socket_prepare(socket, &options->socket) && start(endpoint, socket, id, port)) return socket;
  report_library_failure(endpoint, id, options->port);
  srt_close(socket);
  return SRT_INVALID_SOCK;
}

void listener_open(struct endpoint *endpoint, const struct listener_options *options,
                   const struct listener_rule *rule) {
  union address address;
  uint32_t id = rule->listener;
  listener_close(endpoint, id);
  if (!address_read(options->bind, options->port, &address)) {
    report_failure(endpoint, id, options->port, "bad bind address", "internal");
    return;
  }
  if (!admission_open_listener(rule)) {
    report_failure(endpoint, id, options->port, "too many listeners", "internal");
    return;
  }
  struct port *port = port_take(&address);
  if (port == NULL && errno == EADDRINUSE) {
    /* The port may be one that a listener just released, at another address. */
    ports_sweep();
    port = port_take(&address);
  }
  if (port == NULL) report_failure(endpoint, id, options->port, strerror(errno), bind_fault(errno));
  SRTSOCKET socket = port == NULL ? SRT_INVALID_SOCK : open_socket(endpoint, options, id, port);
  if (socket == SRT_INVALID_SOCK) {
    if (port != NULL) port_leave(port);
    admission_close_listener(id);
    return;
  }
  endpoint->listeners[endpoint->listener_count++] = (struct listener){.id = id, .socket = socket, .port = port};
  if (id != COMMON_LISTENER) link_report(&endpoint->link, "listener", "id:%u state:%s", id, "listening");
  else link_report(&endpoint->link, "listening", "port:%u", address_port(&port->address));
}

static void take_in(struct endpoint *endpoint, SRTSOCKET socket, struct port *port) {
  struct admitted admitted;
  if (!admission_accept(socket, &admitted)) {
    /* The key or the dedicated listener was removed between handshake and accept. */
    srt_close(socket);
    return;
  }
  enum connection_kind kind = admitted.kind == ADMITTED_PUBLISHER ? CONNECTION_PUBLISHER : CONNECTION_PLAYER;
  struct connection *connection = connection_add(endpoint, kind, endpoint->next_connection, admitted.feed);
  if (connection == NULL) {
    log_warn("no room for the connection of %s", admitted.peer);
    admission_release(socket);
    srt_close(socket);
    return;
  }
  endpoint->next_connection++;
  connection->socket = socket;
  connection->admitted = admitted;
  connection->port = port;
  port_share(port);
  memcpy(connection->peer, admitted.peer, sizeof connection->peer);
  connection_connected(endpoint, connection);
}

static void accept_all(struct endpoint *endpoint, const struct listener *listener) {
  for (int i = 0; i < BACKLOG; i++) {
    SRTSOCKET socket = srt_accept(listener->socket, NULL, NULL);
    if (socket == SRT_INVALID_SOCK) return;
    take_in(endpoint, socket, listener->port);
  }
}

void listener_accept(struct endpoint *endpoint, SRTSOCKET socket) {
  for (uint32_t i = 0; i < endpoint->listener_count; i++) {
    if (endpoint->listeners[i].socket != socket) continue;
    accept_all(endpoint, &endpoint->listeners[i]);
    return;
  }
}

void listener_close(struct endpoint *endpoint, uint32_t id) {
  struct listener *listener = find(endpoint, id);
  if (listener == NULL) return;
  struct listener closing = *listener;
  admission_close_listener(id);
  /* Otherwise just accepted connections would hang for seconds: `take_in` closes those of a dedicated listener. */
  accept_all(endpoint, &closing);
  *listener = endpoint->listeners[--endpoint->listener_count];
  srt_epoll_remove_usock(endpoint->poll_id, closing.socket);
  srt_close(closing.socket);
  port_leave(closing.port);
}

void listeners_close(struct endpoint *endpoint) {
  while (endpoint->listener_count > 0) listener_close(endpoint, endpoint->listeners[0].id);
}

static void drop_failed(void) {
  SRTSOCKET pending[MAX_ADMITTED];
  uint32_t count = admission_pending(pending);
  for (uint32_t i = 0; i < count; i++) {
    /* libsrt silently closes a socket whose handshake failed. */
    if (srt_getsockstate(pending[i]) >= SRTS_BROKEN) admission_drop_pending(pending[i]);
  }
}

static void tell_refused(struct endpoint *endpoint, const struct refusal *refusal) {
  struct json_writer *json = link_event(&endpoint->link, "rejected");
  if (refusal->listener != COMMON_LISTENER) json_put_integer(json, "listener", refusal->listener);
  json_put_text(json, "peer", refusal->peer);
  json_put_text(json, "reason", refusal->reason);
  json_put_integer(json, "code", refusal->code);
  json_put_integer(json, "count", refusal->count);
  link_send(&endpoint->link);
}

void listener_tidy(struct endpoint *endpoint) {
  struct refusal refusal;
  if (admission_has_pending()) drop_failed();
  while (refusal_take(&refusal, endpoint->now)) tell_refused(endpoint, &refusal);
}
