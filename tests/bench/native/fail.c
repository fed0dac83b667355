#include "fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void fail(const char *format, ...) {
  va_list values;
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  fputc('\n', stderr);
  exit(1);
}

void *allocate(unsigned long size) {
  void *memory = calloc(1, size ? size : 1);
  if (memory == NULL) fail("out of memory (%lu bytes)", size);
  return memory;
}

unsigned char *read_file(const char *path, unsigned long *size) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) fail("cannot open %s", path);
  fseek(file, 0, SEEK_END);
  long length = ftell(file);
  rewind(file);
  if (length <= 0) fail("%s is empty", path);
  unsigned char *bytes = allocate((unsigned long)length);
  if (fread(bytes, 1, (unsigned long)length, file) != (unsigned long)length) fail("cannot read %s", path);
  fclose(file);
  *size = (unsigned long)length;
  return bytes;
}
