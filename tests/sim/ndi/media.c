/* Senders and receivers of the double: a receiver gets copies of the frames that its source has sent since. */
#include "double.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Exports: senders ---- */

struct sender {
  struct entry *entry;
  struct stream *stream; /* NULL before the first frame */
  struct source source;
};

EXPORT void *NDIlib_send_create(const struct send_create *options) {
  prepare();
  if (fails("send_create")) return NULL;
  struct entry *entry = add_named(SENDER, options->name, options->groups);
  if (!entry) return NULL;
  struct sender *sender = calloc(1, sizeof *sender);
  sender->entry = entry;
  sender->source.name = entry->name;
  return sender;
}

EXPORT void NDIlib_send_destroy(struct sender *sender) {
  if (sender->stream) sender->stream->owner = 0;
  drop(sender->entry);
  free(sender);
}

static const struct entry *with_serial(uint64_t serial) {
  for (uint32_t at = 0; serial != 0 && at < network->used; at++) {
    if (network->entries[at].serial == serial && lives(&network->entries[at])) return &network->entries[at];
  }
  return NULL;
}

static struct stream *stream_of(uint64_t serial) {
  for (int at = 0; at < STREAMS; at++) {
    if (network->streams[at].owner == serial) return &network->streams[at];
  }
  return NULL;
}

/* Takes one whose sender is gone. */
static struct stream *new_stream(uint64_t serial) {
  for (int at = 0; at < STREAMS; at++) {
    struct stream *stream = &network->streams[at];
    uint64_t owner = stream->owner;
    if (with_serial(owner) || !atomic_compare_exchange_strong(&stream->owner, &owner, serial)) continue;
    stream->count = 0;
    return stream;
  }
  abort(); /* more senders of frames than any test has */
}

static void put(struct sender *sender, const struct head *head, const uint8_t *data, size_t bytes) {
  if (!sender->stream) sender->stream = new_stream(sender->entry->serial);
  struct stream *stream = sender->stream;
  struct packet *packet = &stream->kept[stream->count % KEPT];
  if (bytes > FRAME_BYTES) abort();
  packet->head = *head;
  memcpy(packet->data, data, bytes);
  stream->count++;
}

/* In 100 ns since 1970, as receivers of the real library get it. */
static int64_t now_ticks(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 10000000 + now.tv_nsec / 100;
}

static int64_t timecode_of(int64_t given) { return given == INT64_MAX ? now_ticks() : given; }

EXPORT void NDIlib_send_send_video_v2(struct sender *sender, const struct video_frame *frame) {
  fails("send_video");
  struct head head = {.is_video = true, .video = *frame};
  head.video.timecode = timecode_of(frame->timecode);
  head.video.timestamp = now_ticks();
  put(sender, &head, frame->data, (size_t)frame->stride * (size_t)frame->height);
}

EXPORT void NDIlib_send_send_audio_v3(struct sender *sender, const struct audio_frame *frame) {
  struct head head = {.is_video = false, .audio = *frame};
  head.audio.timecode = timecode_of(frame->timecode);
  head.audio.timestamp = now_ticks();
  put(sender, &head, frame->data, (size_t)frame->stride * (size_t)frame->channels);
}

static int count_receivers(const char *name) {
  int count = 0;
  for (uint32_t at = 0; at < network->used; at++) {
    const struct entry *entry = &network->entries[at];
    if (entry->kind == RECEIVER && strcmp(entry->target, name) == 0 && lives(entry)) count++;
  }
  return count;
}

/* For tests: all receivers on the network. */
EXPORT int double_count_receivers(void) {
  int count = 0;
  for (uint32_t at = 0; at < network->used; at++) {
    if (network->entries[at].kind == RECEIVER && lives(&network->entries[at])) count++;
  }
  return count;
}

EXPORT int NDIlib_send_get_no_connections(struct sender *sender, uint32_t timeout_ms) {
  int count = count_receivers(sender->entry->name);
  if (count == 0) sleep_ms((long)timeout_ms);
  return count;
}

EXPORT const struct source *NDIlib_send_get_source_name(struct sender *sender) { return &sender->source; }

/* ---- Exports: receivers ---- */

struct receiver {
  struct entry *entry;
  char resolved[NAME_BYTES]; /* the sender at the end of the chain; kept when a router's process ends */
  uint64_t serial;           /* of that sender */
  uint64_t count, clears;
  bool owes_black, has_low_bandwidth, wants_bgrx;
  /* When its next frames of a simulated source are due. */
  uint64_t simulated_video_ms, simulated_audio_ms;
};

EXPORT void *NDIlib_recv_create_v3(const struct receive_create *options) {
  prepare();
  if (fails("recv_create")) return NULL;
  struct receiver *receiver = calloc(1, sizeof *receiver);
  receiver->entry = add(RECEIVER, "", "");
  if (!receiver->entry) abort();
  receiver->has_low_bandwidth = options->bandwidth == 0;
  receiver->wants_bgrx = options->color_format == 0;
  copy(receiver->entry->target, options->source.name);
  return receiver;
}

EXPORT void NDIlib_recv_destroy(struct receiver *receiver) {
  drop(receiver->entry);
  free(receiver);
}

/* Follows routers to a sender. Returns false if a process on the way is gone: then everything stays as it was. */
static bool resolve(struct receiver *receiver, char *name) {
  copy(name, receiver->entry->target);
  for (int hops = 0; hops < 16; hops++) {
    const struct entry *entry = named(name);
    if (!entry) return hops > 0 || simulated_number(name) >= 0; /* a target that is not there yet */
    if (entry->kind == SENDER) return true;
    if (hops == 0 && entry->clears != receiver->clears) {
      receiver->owes_black = receiver->resolved[0] != '\0' || entry->target[0] == '\0';
      receiver->clears = entry->clears;
    }
    copy(name, entry->target);
    if (name[0] == '\0') return true;
  }
  name[0] = '\0'; /* a loop */
  return true;
}

static uint8_t *allocate(size_t bytes) {
  uint8_t *data = malloc(bytes);
  if (!data) abort();
  return data;
}

static void give_black(struct video_frame *frame) {
  enum { WIDTH = 16, HEIGHT = 8 };
  *frame = (struct video_frame){.width = WIDTH, .height = HEIGHT, .stride = WIDTH * 2, .format = 1};
  memcpy(&frame->four_cc, "UYVY", 4);
  frame->data = allocate(WIDTH * HEIGHT * 2);
  for (size_t at = 0; at < WIDTH * HEIGHT * 2; at++) frame->data[at] = at % 2 == 0 ? 128 : 16;
}

/* The picture of a low-bandwidth receiver is at most 640 pixels wide. Pixels come in pairs. */
static void give_video(struct video_frame *frame, const struct video_frame *sent, const uint8_t *data, bool is_low) {
  enum { LOW_WIDTH = 640, PAIR_BYTES = 4 };
  int factor = 1;
  while (is_low && sent->width / factor > LOW_WIDTH) factor++;
  *frame = *sent;
  frame->metadata = NULL;
  frame->width = sent->width / factor & ~1;
  frame->height = sent->height / factor;
  frame->stride = frame->width * 2;
  frame->data = allocate((size_t)frame->stride * (size_t)frame->height);
  for (int y = 0; y < frame->height; y++) {
    const uint8_t *from = data + (size_t)(y * factor) * (size_t)sent->stride;
    uint8_t *to = frame->data + (size_t)y * (size_t)frame->stride;
    for (int x = 0; x < frame->width / 2; x++) memcpy(to + x * PAIR_BYTES, from + x * factor * PAIR_BYTES, PAIR_BYTES);
  }
}

static uint8_t in_range(double value) { return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)(value + 0.5); }

/* BT.601, as the real library has it for pictures of this size. */
static void make_bgrx(struct video_frame *frame) {
  uint8_t *pixels = allocate((size_t)frame->width * (size_t)frame->height * 4), *to = pixels;
  for (int y = 0; y < frame->height; y++) {
    for (int x = 0; x < frame->width; x++, to += 4) {
      const uint8_t *pair = frame->data + (size_t)y * (size_t)frame->stride + (size_t)(x & ~1) * 2;
      double luma = 1.164 * (pair[x & 1 ? 3 : 1] - 16), u = pair[0] - 128, v = pair[2] - 128;
      to[0] = in_range(luma + 2.017 * u);
      to[1] = in_range(luma - 0.392 * u - 0.813 * v);
      to[2] = in_range(luma + 1.596 * v);
      to[3] = 255;
    }
  }
  free(frame->data);
  frame->data = pixels;
  frame->stride = frame->width * 4;
  memcpy(&frame->four_cc, "BGRX", 4);
}

/* Returns whether a frame is due, and when the next one is: in step, but not in a hurry after a pause. */
static bool is_due(uint64_t *due, uint64_t now) {
  if (now < *due) return false;
  bool has_paused = now - *due > 10 * SIMULATED_FRAME_MS;
  *due = (has_paused ? now : *due) + SIMULATED_FRAME_MS;
  return true;
}

static void give_simulated_video(struct video_frame *frame, int number, uint64_t now) {
  *frame = (struct video_frame){.width = SIMULATED_WIDTH, .height = SIMULATED_HEIGHT, .format = 1};
  frame->rate_numerator = 1000 / SIMULATED_FRAME_MS;
  frame->rate_denominator = 1;
  frame->stride = SIMULATED_WIDTH * 2;
  frame->timecode = frame->timestamp = now_ticks();
  memcpy(&frame->four_cc, "UYVY", 4);
  frame->data = allocate((size_t)frame->stride * SIMULATED_HEIGHT);
  simulated_picture(frame, number, now);
}

static void give_simulated_audio(struct audio_frame *frame) {
  *frame = (struct audio_frame){.sample_rate = 48000, .channels = 2, .samples = 48 * SIMULATED_FRAME_MS};
  frame->stride = frame->samples * (int32_t)sizeof(float);
  frame->timecode = frame->timestamp = now_ticks();
  memcpy(&frame->four_cc, "FLTp", 4);
  frame->data = allocate((size_t)frame->stride * (size_t)frame->channels);
  simulated_sound(frame);
}

static int give_simulated(struct receiver *receiver, struct video_frame *video, struct audio_frame *audio, int number) {
  uint64_t now = now_ms();
  if (audio && is_due(&receiver->simulated_audio_ms, now)) {
    give_simulated_audio(audio);
    return FRAME_AUDIO;
  }
  if (!video || !is_due(&receiver->simulated_video_ms, now)) return FRAME_NONE;
  give_simulated_video(video, number, now);
  return FRAME_VIDEO;
}

static void give_audio(struct audio_frame *frame, const struct audio_frame *sent, const uint8_t *data) {
  size_t bytes = (size_t)sent->stride * (size_t)sent->channels;
  *frame = *sent;
  frame->metadata = NULL;
  frame->data = allocate(bytes);
  memcpy(frame->data, data, bytes);
}

/* Whether the sender is not overwriting this frame, and has not done so. */
static bool is_kept(const struct stream *stream, uint64_t at) { return stream->count - at < KEPT; }

/* Gives the next frame of a wanted kind. */
static int take(struct receiver *receiver, struct stream *stream, struct video_frame *video, struct audio_frame *audio) {
  while (receiver->count < stream->count) {
    if (!is_kept(stream, receiver->count)) receiver->count = stream->count - KEPT / 2;
    uint64_t at = receiver->count++;
    const struct packet *packet = &stream->kept[at % KEPT];
    struct head head = packet->head;
    if (!is_kept(stream, at) || !(head.is_video ? (void *)video : (void *)audio)) continue;
    if (head.is_video) give_video(video, &head.video, packet->data, receiver->has_low_bandwidth);
    else give_audio(audio, &head.audio, packet->data);
    if (is_kept(stream, at)) return head.is_video ? FRAME_VIDEO : FRAME_AUDIO;
    free(head.is_video ? video->data : audio->data);
  }
  return FRAME_NONE;
}

static int capture(struct receiver *receiver, struct video_frame *video, struct audio_frame *audio) {
  char name[NAME_BYTES];
  if (resolve(receiver, name)) {
    const struct entry *sender = named(name);
    bool has_changed = strcmp(name, receiver->resolved) != 0 || (sender && sender->serial != receiver->serial);
    if (has_changed) {
      copy(receiver->resolved, name);
      receiver->serial = sender ? sender->serial : 0;
      const struct stream *stream = sender ? stream_of(sender->serial) : NULL;
      receiver->count = stream ? stream->count : 0;
      if (sender) return FRAME_SOURCE_CHANGE;
    }
  }
  if (receiver->owes_black && video) {
    receiver->owes_black = false;
    give_black(video);
    return FRAME_VIDEO;
  }
  int simulated = receiver->serial == 0 ? simulated_number(receiver->resolved) : -1;
  if (simulated >= 0) return give_simulated(receiver, video, audio, simulated);
  struct stream *stream = receiver->serial != 0 ? stream_of(receiver->serial) : NULL;
  return stream && with_serial(receiver->serial) ? take(receiver, stream, video, audio) : FRAME_NONE;
}

EXPORT int NDIlib_recv_capture_v3(struct receiver *receiver, struct video_frame *video, struct audio_frame *audio,
                                  void *metadata, uint32_t timeout_ms) {
  (void)metadata;
  fails("recv_capture");
  for (uint64_t end = now_ms() + timeout_ms;;) {
    int type = capture(receiver, video, audio);
    if (type == FRAME_VIDEO && receiver->wants_bgrx) make_bgrx(video);
    if (type != FRAME_NONE || now_ms() >= end) return type;
    sleep_ms(2);
  }
}

EXPORT void NDIlib_recv_free_video_v2(struct receiver *receiver, struct video_frame *video) {
  (void)receiver;
  free(video->data);
}

EXPORT void NDIlib_recv_free_audio_v3(struct receiver *receiver, struct audio_frame *audio) {
  (void)receiver;
  free(audio->data);
}

EXPORT void NDIlib_recv_free_metadata(struct receiver *receiver, void *metadata) { (void)receiver, (void)metadata; }
