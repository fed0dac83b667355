#ifndef SIGNALBOX_RTMP_FRAMES_H
#define SIGNALBOX_RTMP_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MESSAGE_AUDIO = 8, MESSAGE_VIDEO = 9, MESSAGE_DATA = 18 };

/* The codec of a coded frame of one track: the number of a legacy tag, else its FourCC. FRAME_OTHER: a header, a frame
   of several tracks, or anything else that the engine must look at. daemon/engine/flv/frame-format.ts is the same. */
#define FRAME_OTHER 0xffffffffu
uint32_t frame_format(uint8_t type, const uint8_t *body, size_t length);
/* Of video with a format. */
bool frame_is_key(const uint8_t *body);
/* Returns the sequence parameter set in a keyframe of H.264 or HEVC; NULL if there is none. Searches like `inBandSps`
   of daemon/engine/flv/media-info.ts, but supports only NAL unit lengths of four bytes, which all encoders write. */
const uint8_t *frame_parameter_set(uint32_t format, const uint8_t *body, size_t length, size_t *set_length);

#endif
