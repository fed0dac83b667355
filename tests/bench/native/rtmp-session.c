#include "rtmp-session.h"

#include "fail.h"
#include "rtmp-chunks.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { handshake_size = 1536, out_chunk_size = 4096, read_size = 1 << 16, default_window = 2500000, amf_max = 2048 };
enum { amf_number = 0, amf_string = 2, amf_object = 3, amf_null = 5, amf_end = 9 };
enum { ping_request = 6, ping_response = 7 };

struct rtmp_session {
  struct rtmp_options options;
  int socket;
  enum rtmp_state state;
  uint32_t handshake_received;
  uint8_t handshake[1 + 2 * handshake_size];
  struct chunk_reader reader;
  uint32_t out_chunk_size;
  uint32_t stream_id;
  uint64_t received;
  uint64_t acknowledged;
  uint32_t window;
  int failed;
  char refusal[64];
  uint8_t *out;
  size_t out_capacity;
};

/* --- AMF0, written --- */

struct amf {
  uint8_t bytes[amf_max];
  uint32_t size;
};

static void put(struct amf *amf, const void *bytes, uint32_t size) {
  if (amf->size + size > amf_max) fail("a command is too long");
  memcpy(amf->bytes + amf->size, bytes, size);
  amf->size += size;
}
static void put_byte(struct amf *amf, uint8_t byte) { put(amf, &byte, 1); }
static void put_name(struct amf *amf, const char *text) {
  const uint16_t length = htons((uint16_t)strlen(text));
  put(amf, &length, 2);
  put(amf, text, (uint32_t)strlen(text));
}
static void put_string(struct amf *amf, const char *text) {
  put_byte(amf, amf_string);
  put_name(amf, text);
}
static void put_number(struct amf *amf, double value) {
  uint64_t bits;
  memcpy(&bits, &value, 8);
  put_byte(amf, amf_number);
  for (int shift = 56; shift >= 0; shift -= 8) put_byte(amf, (uint8_t)(bits >> shift));
}
static void put_member(struct amf *amf, const char *name, const char *text) {
  put_name(amf, name);
  put_string(amf, text);
}
static struct amf command(const char *name, double transaction) {
  struct amf amf = {.size = 0};
  put_string(&amf, name);
  put_number(&amf, transaction);
  return amf;
}

/* --- sending --- */

static int send_all(struct rtmp_session *session, const uint8_t *data, size_t size) {
  while (size > 0) {
    const ssize_t sent = send(session->socket, data, size, MSG_NOSIGNAL);
    if (sent > 0) {
      data += sent;
      size -= (size_t)sent;
      continue;
    }
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno != EAGAIN) return 0;
    struct pollfd wait = {.fd = session->socket, .events = POLLOUT};
    if (poll(&wait, 1, 10000) <= 0) return 0;
  }
  return 1;
}

int rtmp_send(struct rtmp_session *session, const struct rtmp_message *message) {
  const size_t needed = chunk_written_size(message->size, session->out_chunk_size);
  if (session->out_capacity < needed) {
    free(session->out);
    session->out = allocate(needed);
    session->out_capacity = needed;
  }
  const int is_control = message->type < rtmp_audio;
  const size_t size = chunk_write(session->out, message, is_control ? 0 : session->stream_id, session->out_chunk_size);
  return send_all(session, session->out, size);
}

static void send_message(struct rtmp_session *session, uint8_t type, const uint8_t *body, uint32_t size) {
  const struct rtmp_message message = {type, 0, body, size};
  if (!rtmp_send(session, &message)) session->failed = 1;
}

static void send_command(struct rtmp_session *session, const struct amf *amf) {
  send_message(session, rtmp_command, amf->bytes, amf->size);
}

static void send_u32(struct rtmp_session *session, uint8_t type, uint32_t value) {
  const uint32_t body = htonl(value);
  send_message(session, type, (const uint8_t *)&body, 4);
}

static void send_connect(struct rtmp_session *session) {
  if (session->options.role == rtmp_publisher) {
    send_u32(session, rtmp_set_chunk_size, out_chunk_size);
    session->out_chunk_size = out_chunk_size;
  }
  char tc_url[128];
  snprintf(tc_url, sizeof tc_url, "rtmp://%s:%d/%s", session->options.host, session->options.port, session->options.app);
  struct amf amf = command("connect", 1);
  put_byte(&amf, amf_object);
  put_member(&amf, "app", session->options.app);
  put_member(&amf, "type", "nonprivate");
  put_member(&amf, "flashVer", "FMLE/3.0 (compatible; bench)");
  put_member(&amf, "tcUrl", tc_url);
  put_name(&amf, "");
  put_byte(&amf, amf_end);
  send_command(session, &amf);
}

static void send_create_stream(struct rtmp_session *session) {
  if (session->options.role == rtmp_publisher) {
    const char *const names[] = {"releaseStream", "FCPublish"};
    for (int i = 0; i < 2; i++) {
      struct amf amf = command(names[i], 2 + i);
      put_byte(&amf, amf_null);
      put_string(&amf, session->options.stream);
      send_command(session, &amf);
    }
  }
  struct amf amf = command("createStream", 4);
  put_byte(&amf, amf_null);
  send_command(session, &amf);
}

static void send_start(struct rtmp_session *session) {
  struct amf amf = command(session->options.role == rtmp_publisher ? "publish" : "play", 5);
  put_byte(&amf, amf_null);
  put_string(&amf, session->options.stream);
  if (session->options.role == rtmp_publisher) put_string(&amf, "live");
  send_command(session, &amf);
}

/* --- receiving --- */

static double read_number(const uint8_t *at) {
  uint64_t bits = 0;
  for (int i = 0; i < 8; i++) bits = bits << 8 | at[i];
  double value;
  memcpy(&value, &bits, 8);
  return value;
}

static int says(const struct rtmp_message *message, const char *text) {
  return memmem(message->body, message->size, text, strlen(text)) != NULL;
}

static void refuse(struct rtmp_session *session, const char *why) {
  snprintf(session->refusal, sizeof session->refusal, "%s", why);
  session->failed = 1;
}

static void on_status(struct rtmp_session *session, const struct rtmp_message *message) {
  const char *const refusals[] = {"NetStream.Publish.BadName", "NetStream.Publish.Denied", "NetStream.Play.StreamNotFound",
                                  "NetStream.Play.Failed",     "NetStream.Failed",         "NetConnection.Connect.Rejected"};
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    if (says(message, refusals[i])) return refuse(session, refusals[i]);
  }
  if (says(message, "NetStream.Publish.Start") || says(message, "NetStream.Play.Start")) session->state = rtmp_running;
}

static void on_command(struct rtmp_session *session, const struct rtmp_message *message) {
  const uint8_t *body = message->body;
  if (message->size < 12 || body[0] != amf_string) return;
  const uint32_t name_size = (uint32_t)body[1] << 8 | body[2];
  if (message->size < 3 + name_size + 9) return;
  if (name_size == 6 && memcmp(body + 3, "_error", 6) == 0) {
    /* Servers may refuse releaseStream and FCPublish, which are optional. */
    const double transaction = read_number(body + 3 + name_size + 1);
    if (transaction != 2 && transaction != 3) refuse(session, "_error");
  } else if (name_size == 7 && memcmp(body + 3, "_result", 7) == 0) {
    const double transaction = read_number(body + 3 + name_size + 1);
    if (transaction == 1 && session->state == rtmp_connecting) {
      session->state = rtmp_creating;
      send_create_stream(session);
    } else if (transaction == 4 && message->size >= 9) {
      session->stream_id = (uint32_t)read_number(body + message->size - 8);
      session->state = rtmp_starting;
      send_start(session);
    }
  } else if (name_size == 8 && memcmp(body + 3, "onStatus", 8) == 0) {
    on_status(session, message);
  }
}

static void on_message(void *context, const struct rtmp_message *message) {
  struct rtmp_session *session = context;
  if (message->type == rtmp_audio || message->type == rtmp_video || message->type == rtmp_data) {
    if (session->options.on_media != NULL) session->options.on_media(session->options.context, message);
  } else if (message->type == rtmp_command) {
    on_command(session, message);
  } else if (message->type == rtmp_window_size && message->size >= 4) {
    uint32_t window;
    memcpy(&window, message->body, 4);
    session->window = ntohl(window);
  } else if (message->type == rtmp_user_control && message->size >= 6 && message->body[1] == ping_request) {
    uint8_t pong[6] = {0, ping_response};
    memcpy(pong + 2, message->body + 2, 4);
    send_message(session, rtmp_user_control, pong, sizeof pong);
  }
}

static size_t read_handshake(struct rtmp_session *session, const uint8_t *data, size_t size) {
  const size_t missing = sizeof session->handshake - session->handshake_received;
  const size_t take = size < missing ? size : missing;
  memcpy(session->handshake + session->handshake_received, data, take);
  session->handshake_received += (uint32_t)take;
  if (session->handshake_received == sizeof session->handshake) {
    if (!send_all(session, session->handshake + 1, handshake_size)) session->failed = 1;
    session->state = rtmp_connecting;
    send_connect(session);
  }
  return take;
}

static int consume(struct rtmp_session *session, const uint8_t *data, size_t size) {
  session->received += size;
  if (session->state == rtmp_handshaking) {
    const size_t taken = read_handshake(session, data, size);
    data += taken;
    size -= taken;
  }
  if (size > 0 && !chunk_read(&session->reader, data, size, on_message, session)) return 0;
  if (session->received - session->acknowledged >= session->window / 2 && session->state != rtmp_handshaking) {
    session->acknowledged = session->received;
    send_u32(session, rtmp_acknowledgement, (uint32_t)session->received);
  }
  return !session->failed;
}

int rtmp_read(struct rtmp_session *session) {
  static uint8_t buffer[read_size];
  for (;;) {
    const ssize_t size = recv(session->socket, buffer, sizeof buffer, MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN;
    if (size == 0) return 0;
    if (!consume(session, buffer, (size_t)size)) return 0;
    if ((size_t)size < sizeof buffer) return 1;
  }
}

struct rtmp_session *rtmp_open(struct rtmp_options options) {
  struct rtmp_session *session = allocate(sizeof *session);
  session->options = options;
  session->out_chunk_size = 128;
  session->window = default_window;
  chunk_reader_init(&session->reader);
  session->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  /* Before connecting, which determines how large the window may grow. */
  if (options.receive_buffer > 0) {
    setsockopt(session->socket, SOL_SOCKET, SO_RCVBUF, &options.receive_buffer, sizeof options.receive_buffer);
  }
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)options.port)};
  inet_pton(AF_INET, options.host, &to.sin_addr);
  if (connect(session->socket, (struct sockaddr *)&to, sizeof to) != 0) {
    fail("rtmp://%s:%d: %s", options.host, options.port, strerror(errno));
  }
  const int on = 1;
  setsockopt(session->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  uint8_t hello[1 + handshake_size] = {3};
  for (size_t i = 9; i < sizeof hello; i++) hello[i] = (uint8_t)(i * 31);
  if (!send_all(session, hello, sizeof hello)) session->failed = 1;
  return session;
}

int rtmp_socket(const struct rtmp_session *session) { return session->socket; }
enum rtmp_state rtmp_state(const struct rtmp_session *session) { return session->state; }
uint64_t rtmp_bytes_received(const struct rtmp_session *session) { return session->received; }
const char *rtmp_refusal(const struct rtmp_session *session) { return session->refusal; }
