#ifndef SIGNALBOX_CONFINE_H
#define SIGNALBOX_CONFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The rights of a program. Everything not listed here is denied as far as the kernel can deny it. */

enum path_use { USE_RUN, USE_READ, USE_LIST, USE_WRITE };

struct path_rule {
  const char *path; /* ignored if it does not exist */
  enum path_use use;
};

/* `SOCKETS_INTERNET` includes the netlink socket that name resolution uses to list addresses. */
enum socket_use { SOCKETS_NONE, SOCKETS_INTERNET, SOCKETS_ANY };

enum { MAX_PATHS = 64 };

struct profile {
  const char *program;
  struct path_rule paths[MAX_PATHS];
  size_t path_count;
  enum socket_use sockets;
  bool may_fork;
};

/* Version of the kernel's Landlock interface; 0 without Landlock. */
int landlock_version(void);
/* Returns false, with errno, if the kernel refused the rules. Does nothing on a kernel without Landlock. */
bool landlock_apply(const struct profile *profile);

bool seccomp_is_supported(void);
/* Returns false, with errno, on failure. Does nothing on a kernel without seccomp. `self` is the id of this process. */
bool seccomp_apply(const struct profile *profile, pid_t self);

#endif
