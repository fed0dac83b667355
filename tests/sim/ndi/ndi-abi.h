/* The part of the NDI library's binary interface that the double has: written from its documented behavior, and
   compared with the daemon's table (native/ndi/layout.ts) by the numbers below. */
#ifndef SIGNALBOX_NDI_ABI_H
#define SIGNALBOX_NDI_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source {
  const char *name;
  const char *address;
};

struct find_create {
  bool show_local;
  const char *groups;
  const char *extra_ips;
};

struct routing_create {
  const char *name;
  const char *groups;
};

struct send_create {
  const char *name;
  const char *groups;
  bool clock_video, clock_audio;
};

struct receive_create {
  struct source source;
  int32_t color_format, bandwidth;
  bool allow_fields;
  const char *name;
};

struct video_frame {
  int32_t width, height, four_cc, rate_numerator, rate_denominator;
  float aspect;
  int32_t format;
  int64_t timecode;
  uint8_t *data;
  int32_t stride;
  const char *metadata;
  int64_t timestamp;
};

/* Planes of floating-point samples. */
struct audio_frame {
  int32_t sample_rate, channels, samples;
  int64_t timecode;
  int32_t four_cc;
  uint8_t *data;
  int32_t stride;
  const char *metadata;
  int64_t timestamp;
};

#define LIES(type, field, at) _Static_assert(offsetof(struct type, field) == (at), #type "." #field)
#define HAS(type, bytes) _Static_assert(sizeof(struct type) == (bytes), #type)
HAS(source, 16);
LIES(source, address, 8);
HAS(find_create, 24);
LIES(find_create, groups, 8);
LIES(find_create, extra_ips, 16);
HAS(routing_create, 16);
LIES(routing_create, groups, 8);
HAS(send_create, 24);
LIES(send_create, clock_video, 16);
LIES(send_create, clock_audio, 17);
HAS(receive_create, 40);
LIES(receive_create, color_format, 16);
LIES(receive_create, bandwidth, 20);
LIES(receive_create, allow_fields, 24);
LIES(receive_create, name, 32);
HAS(video_frame, 72);
LIES(video_frame, four_cc, 8);
LIES(video_frame, aspect, 20);
LIES(video_frame, format, 24);
LIES(video_frame, timecode, 32);
LIES(video_frame, data, 40);
LIES(video_frame, stride, 48);
LIES(video_frame, metadata, 56);
LIES(video_frame, timestamp, 64);
HAS(audio_frame, 64);
LIES(audio_frame, timecode, 16);
LIES(audio_frame, four_cc, 24);
LIES(audio_frame, data, 32);
LIES(audio_frame, stride, 40);
LIES(audio_frame, metadata, 48);
LIES(audio_frame, timestamp, 56);

enum { FRAME_NONE = 0, FRAME_VIDEO = 1, FRAME_AUDIO = 2, FRAME_SOURCE_CHANGE = 101 };

#endif
