#ifndef SIGNALBOX_STREAM_ID_H
#define SIGNALBOX_STREAM_ID_H

#include <stdbool.h>

enum { STREAM_ID_MAX = 512, KEY_MAX = 128 };

enum stream_mode { MODE_ANY, MODE_PUBLISH, MODE_REQUEST };

struct stream_id {
  char key[KEY_MAX]; /* zero-padded, so that keys compare over their whole width */
  enum stream_mode mode;
};

/* Reads a caller's stream id: a plain key, or the access-control form `#!::r=<key>,m=publish|request` (`u=` replaces a
   missing `r=`, other fields are ignored). In both a path may precede the key, `publish:` or `read:` the path, and a
   query or `:user:password` may follow. Returns 0 or the code to reject with. */
int stream_id_parse(const char *text, struct stream_id *id);

/* Takes the same time wherever the keys differ. */
bool stream_key_equal(const char left[KEY_MAX], const char right[KEY_MAX]);

#endif
