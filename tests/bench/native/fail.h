/* The tools are started by a script, so an error is one line on stderr and exit code 1. */
#ifndef BENCH_FAIL_H
#define BENCH_FAIL_H

_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Never returns NULL. */
void *allocate(unsigned long size);
/* Returns the whole file; the caller owns it. */
unsigned char *read_file(const char *path, unsigned long *size);

#endif
