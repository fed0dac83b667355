/* What the parts of the double share. */
#ifndef SIGNALBOX_NDI_DOUBLE_H
#define SIGNALBOX_NDI_DOUBLE_H

#define _GNU_SOURCE
#include "ndi-abi.h"

#include <stdatomic.h>
#include <sys/types.h>

#define EXPORT __attribute__((visibility("default")))

enum { SLOTS = 1024, NAME_BYTES = 256, FAULT_BYTES = 64, STREAMS = 16, KEPT = 16, FRAME_BYTES = 1920 * 1080 * 2 };
enum kind { FREE, SENDER, ROUTER, RECEIVER };

/* One sender, router or receiver of any process. It is gone when its process is. */
struct entry {
  enum kind kind;
  pid_t pid;
  uint64_t serial;         /* of no other entry */
  char name[NAME_BYTES];   /* on the network; empty for a receiver */
  char target[NAME_BYTES]; /* of a router or receiver; empty if there is none */
  char groups[NAME_BYTES];
  uint64_t clears; /* of a router: how often it was cleared */
};

/* A frame, without the pointers of its sender. */
struct head {
  bool is_video;
  struct video_frame video;
  struct audio_frame audio;
};
struct packet {
  struct head head;
  uint8_t data[FRAME_BYTES];
};

/* The newest frames of one sender. */
struct stream {
  _Atomic uint64_t owner; /* serial of the sender */
  _Atomic uint64_t count; /* frames that were ever sent */
  struct packet kept[KEPT];
};

struct network {
  char fault[FAULT_BYTES];
  _Atomic pid_t lock; /* the process that adds an entry */
  uint32_t used;      /* slots that were ever used */
  uint64_t serial;    /* of the newest entry */
  struct entry entries[SLOTS];
  struct stream streams[STREAMS];
};

extern struct network *network;
extern int network_file;

uint64_t now_ms(void);
void sleep_ms(long ms);
void copy(char *to, const char *from);
void prepare(void);
/* Does what was asked of this call. Returns whether the call is to be refused. */
bool fails(const char *call);

bool lives(const struct entry *entry);
struct entry *named(const char *name);
/* Return NULL if the name is taken. */
struct entry *add(enum kind kind, const char *name, const char *groups);
struct entry *add_named(enum kind kind, const char *name, const char *groups);
void drop(struct entry *entry);

/* Whether this process serves its network, which then needs no file. */
extern bool serves_network;
/* Writes the name of the simulated source with this number, from 0. Returns false if there are not that many. */
bool simulated_name(int number, char *name);
/* Returns the number of the simulated source with this name; -1 if there is none. */
int simulated_number(const char *name);
enum { SIMULATED_WIDTH = 640, SIMULATED_HEIGHT = 360, SIMULATED_FRAME_MS = 40 };
/* Draws its picture at this time into a UYVY frame of that size. */
void simulated_picture(struct video_frame *frame, int number, uint64_t ms);
/* Fills the samples with a quiet tone of 1 kHz. */
void simulated_sound(struct audio_frame *frame);

/* Returns the descriptor of a network that another process serves; -1 if there is none. */
int served_network(void);

#endif
