/* One keep-alive connection that fetches one file after another, with just enough HTTP/1.1. */
#ifndef BENCH_HTTP_GET_H
#define BENCH_HTTP_GET_H

#include <stddef.h>
#include <stdint.h>

enum http_phase { http_idle, http_head, http_length, http_chunk_size, http_chunk, http_chunk_end };

struct http_get {
  int socket;
  enum http_phase phase;
  int status;
  uint64_t left;
  int is_chunked;
  /* Of the header, or of the line with the size of a chunk. */
  char line[2048];
  size_t line_size;
};

typedef void (*http_on_body)(void *context, const uint8_t *data, size_t size);

/* Connects and blocks until connected. */
void http_open(struct http_get *get, const char *host, int port);
/* `agent` distinguishes viewers. Returns 0 when the connection ended. */
int http_ask(struct http_get *get, const char *host, int port, const char *path, const char *agent);
/* Reads available data; phase http_idle means that the response is complete. Returns 0 when the connection ended. */
int http_read(struct http_get *get, http_on_body on_body, void *context);

#endif
