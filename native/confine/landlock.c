/* Landlock limits the files that a process can open, the TCP ports it can use, and the processes it can signal. The
   headers of Debian 12 only know version 2 of the interface, so its constants are repeated here (linux/landlock.h). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "confine.h"

enum { CREATE_RULESET_VERSION = 1, RULE_PATH_BENEATH = 1 };

#define FS_EXECUTE (1ULL << 0)
#define FS_WRITE_FILE (1ULL << 1)
#define FS_READ_FILE (1ULL << 2)
#define FS_READ_DIR (1ULL << 3)
#define FS_VERSION_1 ((1ULL << 13) - 1)
#define FS_REFER (1ULL << 13)
#define FS_TRUNCATE (1ULL << 14)
#define FS_IOCTL_DEV (1ULL << 15)
/* The rights that apply to a file; the kernel refuses the others. */
#define FS_FILE (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)
#define NET_BIND_TCP (1ULL << 0)
#define NET_CONNECT_TCP (1ULL << 1)
#define SCOPE_ABSTRACT_UNIX (1ULL << 0)
#define SCOPE_SIGNAL (1ULL << 1)

struct ruleset {
  uint64_t files;
  uint64_t net;
  uint64_t scoped;
};

struct path_beneath {
  uint64_t access;
  int32_t parent_fd;
} __attribute__((packed));

/* An older kernel accepts the longer structure if the part unknown to it is zero. */
static long create_ruleset(const struct ruleset *ruleset, size_t size, uint32_t flags) {
  return syscall(SYS_landlock_create_ruleset, ruleset, size, flags);
}

int landlock_version(void) {
  long version = create_ruleset(NULL, 0, CREATE_RULESET_VERSION);
  return version > 0 ? (int)version : 0;
}

static struct ruleset ruleset_for(int version, enum socket_use sockets) {
  struct ruleset ruleset = {.files = FS_VERSION_1};
  if (version >= 2) ruleset.files |= FS_REFER;
  if (version >= 3) ruleset.files |= FS_TRUNCATE;
  if (version >= 4 && sockets == SOCKETS_NONE) ruleset.net = NET_BIND_TCP | NET_CONNECT_TCP;
  if (version >= 5) ruleset.files |= FS_IOCTL_DEV;
  if (version >= 6) ruleset.scoped = SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL;
  return ruleset;
}

static uint64_t rights_of(enum path_use use) {
  switch (use) {
    case USE_RUN:
      return FS_EXECUTE | FS_READ_FILE | FS_READ_DIR;
    case USE_READ:
      return FS_READ_FILE | FS_READ_DIR;
    case USE_LIST:
      return FS_READ_DIR;
    case USE_WRITE:
      break;
  }
  return ~FS_EXECUTE;
}

static bool allow_path(int ruleset_fd, const struct path_rule *rule, uint64_t handled) {
  struct stat status;
  int fd = open(rule->path, O_PATH | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT || errno == ENOTDIR || errno == EACCES;
  struct path_beneath beneath = {.access = rights_of(rule->use) & handled, .parent_fd = fd};
  bool ok = fstat(fd, &status) == 0;
  if (ok && !S_ISDIR(status.st_mode)) beneath.access &= FS_FILE;
  ok = ok && syscall(SYS_landlock_add_rule, ruleset_fd, RULE_PATH_BENEATH, &beneath, 0) == 0;
  close(fd);
  return ok;
}

static bool allow_all(int fd, const struct profile *profile, const struct ruleset *ruleset) {
  for (size_t i = 0; i < profile->path_count; i++) {
    if (!allow_path(fd, &profile->paths[i], ruleset->files)) return false;
  }
  return true;
}

bool landlock_apply(const struct profile *profile) {
  int version = landlock_version();
  if (version == 0) return true;
  struct ruleset ruleset = ruleset_for(version, profile->sockets);
  int fd = (int)create_ruleset(&ruleset, sizeof ruleset, 0);
  if (fd < 0) return false;
  bool ok = allow_all(fd, profile, &ruleset) && syscall(SYS_landlock_restrict_self, fd, 0) == 0;
  int fault = errno;
  close(fd);
  errno = fault;
  return ok;
}
