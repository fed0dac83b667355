#include "frames.h"

enum {
  FRAME_KEY = 1,
  FRAME_GENERATED_KEY = 4,
  FRAME_COMMAND = 5,
  CODEC_AVC = 7,
  CODEC_HEVC = 12,
  CODEC_AV1 = 13,
  EX_HEADER = 0x80,
  EX_CODED_FRAMES = 1,
  EX_CODED_FRAMES_X = 3,
  /* Packet type, FourCC, composition time. */
  EX_VIDEO_BYTES = 8,
  EX_AUDIO_BYTES = 5,
  SOUND_AAC = 10,
  SOUND_EX = 9,
  FOUR_CC_AVC = 'a' << 24 | 'v' << 16 | 'c' << 8 | '1',
  FOUR_CC_HEVC = 'h' << 24 | 'v' << 16 | 'c' << 8 | '1',
  LEGACY_HEADER = 5,
  NAL_LENGTH = 4,
  AVC_SET = 7,
  HEVC_SET = 33,
  /* An access unit delimiter, other parameter sets and SEI units may precede the parameter set; slices follow it. */
  MAX_UNITS_BEFORE = 8,
};

static uint32_t get_u32(const uint8_t *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint32_t video_format(const uint8_t *body, size_t length) {
  const int frame = body[0] >> 4 & 7;
  const uint32_t low = body[0] & 0x0f;
  if (frame == FRAME_COMMAND) return FRAME_OTHER;
  if ((body[0] & EX_HEADER) != 0) {
    const bool is_coded = low == EX_CODED_FRAMES || low == EX_CODED_FRAMES_X;
    return is_coded && length >= EX_VIDEO_BYTES ? get_u32(body + 1) : FRAME_OTHER;
  }
  if (low != CODEC_AVC && low != CODEC_HEVC && low != CODEC_AV1) return low;
  return length >= 5 && body[1] == 1 ? low : FRAME_OTHER;
}

static uint32_t audio_format(const uint8_t *body, size_t length) {
  const uint32_t format = body[0] >> 4;
  if (format == SOUND_EX) {
    return (body[0] & 0x0f) == EX_CODED_FRAMES && length >= EX_AUDIO_BYTES ? get_u32(body + 1) : FRAME_OTHER;
  }
  if (format != SOUND_AAC) return format;
  return length >= 2 && body[1] != 0 ? format : FRAME_OTHER;
}

uint32_t frame_format(uint8_t type, const uint8_t *body, size_t length) {
  if (length == 0) return FRAME_OTHER;
  if (type == MESSAGE_VIDEO) return video_format(body, length);
  return type == MESSAGE_AUDIO ? audio_format(body, length) : FRAME_OTHER;
}

bool frame_is_key(const uint8_t *body) {
  const int frame = body[0] >> 4 & 7;
  return frame == FRAME_KEY || frame == FRAME_GENERATED_KEY;
}

const uint8_t *frame_parameter_set(uint32_t format, const uint8_t *body, size_t length, size_t *set_length) {
  const bool is_avc = format == CODEC_AVC || format == FOUR_CC_AVC;
  if (!is_avc && format != CODEC_HEVC && format != FOUR_CC_HEVC) return NULL;
  const bool has_time = (body[0] & EX_HEADER) != 0 && (body[0] & 0x0f) == EX_CODED_FRAMES;
  size_t at = has_time ? EX_VIDEO_BYTES : LEGACY_HEADER;
  for (int unit = 0; unit <= MAX_UNITS_BEFORE && length - at > NAL_LENGTH; unit++) {
    const size_t size = get_u32(body + at);
    at += NAL_LENGTH;
    if (size > length - at) return NULL;
    *set_length = size;
    if (size > 0 && (is_avc ? (body[at] & 0x1f) == AVC_SET : (body[at] >> 1 & 0x3f) == HEVC_SET)) return body + at;
    at += size;
  }
  return NULL;
}
