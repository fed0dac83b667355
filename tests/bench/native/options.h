/* Arguments of the form name=value. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stddef.h>

struct options {
  int count;
  char **pairs;
};

/* Returns the value, or the fallback; a NULL fallback makes the option mandatory. */
const char *option_text(const struct options *options, const char *name, const char *fallback);
long option_number(const struct options *options, const char *name, long fallback);

struct address {
  char scheme[16];
  char host[64];
  int port;
  /* Without the leading slash. */
  char path[256];
};

/* Returns a copy of the text whose `{}`, if any, is replaced by the number; fails if that does not fit. */
void put_number(char *out, size_t size, const char *text, long number);
struct address parse_address(const char *url);

#endif
