#include "http-get.h"

#include "fail.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

enum { read_size = 256 << 10 };

void http_open(struct http_get *get, const char *host, int port) {
  memset(get, 0, sizeof *get);
  get->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  inet_pton(AF_INET, host, &to.sin_addr);
  if (connect(get->socket, (struct sockaddr *)&to, sizeof to) != 0) fail("http://%s:%d: %s", host, port, strerror(errno));
  const int on = 1;
  setsockopt(get->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

int http_ask(struct http_get *get, const char *host, int port, const char *path, const char *agent) {
  char text[1024];
  const int size = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: %s:%d\r\nUser-Agent: %s\r\nAccept: */*\r\n\r\n", path,
                            host, port, agent);
  get->phase = http_head;
  get->line_size = 0;
  return send(get->socket, text, (size_t)size, MSG_NOSIGNAL) == size;
}

/* The header is complete: finds the start of the body, and how it ends. */
static void read_head(struct http_get *get) {
  get->line[get->line_size] = '\0';
  get->status = atoi(get->line + sizeof "HTTP/1.1");
  get->is_chunked = strcasestr(get->line, "\r\ntransfer-encoding: chunked") != NULL;
  const char *length = strcasestr(get->line, "\r\ncontent-length:");
  get->left = length == NULL ? 0 : strtoull(length + sizeof "\r\ncontent-length:" - 1, NULL, 10);
  get->line_size = 0;
  get->phase = get->is_chunked ? http_chunk_size : get->left > 0 ? http_length : http_idle;
}

static size_t take_line(struct http_get *get, const uint8_t *data) {
  if (get->line_size + 1 >= sizeof get->line) fail("http: a line without end");
  get->line[get->line_size++] = (char)*data;
  const char *end = get->line + get->line_size;
  if (get->phase == http_head) {
    if (get->line_size >= 4 && memcmp(end - 4, "\r\n\r\n", 4) == 0) read_head(get);
  } else if (get->line_size >= 2 && memcmp(end - 2, "\r\n", 2) == 0) {
    get->line[get->line_size] = '\0';
    get->left = strtoull(get->line, NULL, 16);
    get->line_size = 0;
    get->phase = get->left > 0 ? http_chunk : http_chunk_end;
    if (get->phase == http_chunk_end) get->left = 2;
  }
  return 1;
}

static size_t take_body(struct http_get *get, const uint8_t *data, size_t size, http_on_body on_body, void *context) {
  const size_t taken = size < get->left ? size : (size_t)get->left;
  if (get->phase != http_chunk_end) on_body(context, data, taken);
  get->left -= taken;
  if (get->left > 0) return taken;
  if (get->phase == http_chunk) {
    /* The line end after a chunk becomes part of the next line. */
    get->phase = http_chunk_size;
  } else {
    get->phase = http_idle;
  }
  return taken;
}

int http_read(struct http_get *get, http_on_body on_body, void *context) {
  static uint8_t buffer[read_size];
  for (;;) {
    const ssize_t size = recv(get->socket, buffer, sizeof buffer, MSG_DONTWAIT);
    if (size < 0) return errno == EAGAIN;
    if (size == 0) return 0;
    for (size_t at = 0; at < (size_t)size;) {
      if (get->phase == http_idle) fail("http: more than was asked for");
      const int is_line = get->phase == http_head || get->phase == http_chunk_size;
      /* Skips the end of the previous chunk. */
      if (get->phase == http_chunk_size && get->line_size == 0 && (buffer[at] == '\r' || buffer[at] == '\n')) {
        at++;
        continue;
      }
      at += is_line ? take_line(get, buffer + at) : take_body(get, buffer + at, (size_t)size - at, on_body, context);
    }
    if ((size_t)size < sizeof buffer) return 1;
  }
}
