/* The client side of RTMP, with just enough for measurements: publish one stream or play one. */
#ifndef BENCH_RTMP_SESSION_H
#define BENCH_RTMP_SESSION_H

#include <stddef.h>
#include <stdint.h>

enum rtmp_type {
  rtmp_set_chunk_size = 1,
  rtmp_acknowledgement = 3,
  rtmp_user_control = 4,
  rtmp_window_size = 5,
  rtmp_peer_bandwidth = 6,
  rtmp_audio = 8,
  rtmp_video = 9,
  rtmp_data = 18,
  rtmp_command = 20,
};

enum rtmp_state { rtmp_handshaking, rtmp_connecting, rtmp_creating, rtmp_starting, rtmp_running };
enum rtmp_role { rtmp_publisher, rtmp_player };

struct rtmp_message {
  uint8_t type;
  uint32_t timestamp;
  const uint8_t *body;
  uint32_t size;
};

struct rtmp_session;
/* Audio, video and data only. */
typedef void (*rtmp_on_media)(void *context, const struct rtmp_message *message);

struct rtmp_options {
  enum rtmp_role role;
  const char *host;
  int port;
  const char *app;
  const char *stream;
  rtmp_on_media on_media;
  void *context;
  /* Bytes; 0: the system's choice. */
  int receive_buffer;
};

/* Starts to connect; call rtmp_read whenever its socket is readable. */
struct rtmp_session *rtmp_open(struct rtmp_options options);
int rtmp_socket(const struct rtmp_session *session);
enum rtmp_state rtmp_state(const struct rtmp_session *session);
uint64_t rtmp_bytes_received(const struct rtmp_session *session);
/* Reads available data. Returns 0 when the connection ended. */
int rtmp_read(struct rtmp_session *session);
/* Blocks while the socket is full. Returns 0 when the connection ended. */
int rtmp_send(struct rtmp_session *session, const struct rtmp_message *message);
/* The server's reason for a refusal, otherwise "". */
const char *rtmp_refusal(const struct rtmp_session *session);

#endif
