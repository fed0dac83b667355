/*
 * Starts a program with no more rights than it needs: `confine OPTION... -- PROGRAM ARGUMENT...`. Keeps the process id.
 * Limits apply before the first instruction of the program and to everything that it starts; none can be lifted.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "confine.h"

enum { EXIT_CONFINE = 125, EXIT_NOT_RUN = 126, FIRST_FREE_FD = 3 };

static const char usage[] =
    "usage: confine OPTION... -- PROGRAM ARGUMENT...\n"
    "  --channel         keeps descriptor 3, a channel to the parent; must be the first option\n"
    "  --run PATH        may read and execute what is there\n"
    "  --read PATH       may read it\n"
    "  --list PATH       may list its folders\n"
    "  --write PATH      may read, change, create and remove it\n"
    "  --sockets KIND    none (default), internet, any\n"
    "  --connect PATH    connects to this unix socket; the program finds it as descriptor 3, the next one as 4, ...\n"
    "  --fork            may start processes and signal them\n"
    "  --outlive         is not killed when its parent ends\n"
    "  --address-space BYTES, --data BYTES, --stack BYTES, --files COUNT, --nice STEPS\n"
    "       confine --support\n"
    "                    prints what the kernel offers: `landlock VERSION` and `seccomp 1` or 0\n";

/* The parent shows this line to users. */
static _Noreturn void give_up(const char *what, const char *detail) {
  fprintf(stderr, "error %s: %s\n", what, detail);
  exit(EXIT_CONFINE);
}

static _Noreturn void misused(void) {
  fputs(usage, stderr);
  exit(EXIT_CONFINE);
}

static unsigned long long number(const char *text, unsigned long long max) {
  char *end = NULL;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value > max) misused();
  return value;
}

static void add_path(struct profile *profile, const char *path, enum path_use use) {
  if (profile->path_count == MAX_PATHS) give_up("too many paths", path);
  profile->paths[profile->path_count++] = (struct path_rule){.path = path, .use = use};
}

static void limit(int resource, const char *text) {
  rlim_t value = (rlim_t)number(text, LONG_MAX);
  struct rlimit now;
  if (getrlimit(resource, &now) != 0) give_up("cannot read a limit", strerror(errno));
  if (now.rlim_max != RLIM_INFINITY && value > now.rlim_max) value = now.rlim_max;
  now.rlim_cur = now.rlim_max = value;
  if (setrlimit(resource, &now) != 0) give_up("cannot set a limit", strerror(errno));
}

/* The program must not inherit the parent's descriptors, except those opened for it. */
static void close_inherited(int first) {
  enum { MAX = 1 << 20 };
  if (syscall(SYS_close_range, first, UINT_MAX, 0) == 0) return;
  /* The kernel, or the container, lacks that call. */
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) give_up("cannot read a limit", strerror(errno));
  const int end = files.rlim_max < MAX ? (int)files.rlim_max : MAX;
  for (int fd = first; fd < end; fd++) close(fd);
}

static void connect_to(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) give_up("path too long", path);
  strcpy(address.sun_path, path);
  /* Not close-on-exec: it is for the program. */
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0)
    give_up("cannot connect", strerror(errno));
}

static enum socket_use socket_use_of(const char *text) {
  static const char *const names[] = {"none", "internet", "any"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strcmp(text, names[i]) == 0) return (enum socket_use)i;
  }
  misused();
}

static const struct option options[] = {
    {"run", required_argument, NULL, 'r'},     {"read", required_argument, NULL, 'R'},
    {"list", required_argument, NULL, 'l'},    {"write", required_argument, NULL, 'w'},
    {"sockets", required_argument, NULL, 's'}, {"connect", required_argument, NULL, 'c'},
    {"fork", no_argument, NULL, 'f'},          {"outlive", no_argument, NULL, 'o'},
    {"address-space", required_argument, NULL, 'a'}, {"data", required_argument, NULL, 'd'},
    {"stack", required_argument, NULL, 'k'},   {"files", required_argument, NULL, 'n'},
    {"nice", required_argument, NULL, 'N'},    {"support", no_argument, NULL, 'S'},
    {NULL, 0, NULL, 0},
};

struct lifetime {
  bool outlives;
  pid_t parent;
};

static void take_option(struct profile *profile, struct lifetime *lifetime, int option) {
  switch (option) {
    case 'r': add_path(profile, optarg, USE_RUN); break;
    case 'R': add_path(profile, optarg, USE_READ); break;
    case 'l': add_path(profile, optarg, USE_LIST); break;
    case 'w': add_path(profile, optarg, USE_WRITE); break;
    case 's': profile->sockets = socket_use_of(optarg); break;
    case 'c': connect_to(optarg); break;
    case 'f': profile->may_fork = true; break;
    case 'o': lifetime->outlives = true; break;
    case 'a': limit(RLIMIT_AS, optarg); break;
    case 'd': limit(RLIMIT_DATA, optarg); break;
    case 'k': limit(RLIMIT_STACK, optarg); break;
    case 'n': limit(RLIMIT_NOFILE, optarg); break;
    case 'N':
      if (setpriority(PRIO_PROCESS, 0, (int)number(optarg, 19)) != 0) give_up("cannot be nice", strerror(errno));
      break;
    case 'S':
      printf("landlock %d\nseccomp %d\n", landlock_version(), seccomp_is_supported() ? 1 : 0);
      exit(EXIT_SUCCESS);
    default: misused();
  }
}

/* What every program needs to start: itself, the loader, libraries, and information about the processor and itself. */
static void add_basics(struct profile *profile, const char *program) {
#ifdef __x86_64__
  static const char loader[] = "/lib64/ld-linux-x86-64.so.2";
#else
  static const char loader[] = "/lib/ld-linux-aarch64.so.1";
#endif
  static const char *const readable[] = {
      "/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/ssl/openssl.cnf",
      "/dev/urandom", "/dev/zero", "/proc/self", "/sys/devices/system",
  };
  profile->program = program;
  add_path(profile, program, USE_RUN);
  add_path(profile, loader, USE_RUN);
  for (size_t i = 0; i < sizeof readable / sizeof readable[0]; i++) add_path(profile, readable[i], USE_READ);
  add_path(profile, "/dev/null", USE_WRITE);
}

/* If the parent has already exited, it sends no signal. */
static void die_with_parent(const struct lifetime *lifetime) {
  if (lifetime->outlives) return;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up("no signal at the end of the parent", strerror(errno));
  if (getppid() != lifetime->parent) exit(EXIT_CONFINE);
}

/* Ports below 1024, and folders of other users in which root may run the hub. */
static const uint64_t kept_capabilities = 1ULL << CAP_NET_BIND_SERVICE | 1ULL << CAP_DAC_OVERRIDE;

/* Also those that a service manager passes on to a hub that is not root. After `no_new_privs`, the program has none that
   are not permitted here; from the bounding set, only a process with CAP_SETPCAP may drop them. */
static void drop_capabilities(void) {
  enum { PER_WORD = 32 };
  for (unsigned long i = 0; prctl(PR_CAPBSET_READ, i, 0, 0, 0) >= 0; i++) {
    if ((kept_capabilities >> i & 1) != 0) continue;
    prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_LOWER, i, 0, 0);
  }
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
  if (syscall(SYS_capget, &header, sets) != 0) give_up("cannot read capabilities", strerror(errno));
  bool has_more = false;
  for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
    const uint32_t kept = (uint32_t)(kept_capabilities >> (i * PER_WORD));
    has_more |= ((sets[i].permitted | sets[i].inheritable) & ~kept) != 0;
    sets[i].effective &= kept;
    sets[i].permitted &= kept;
    sets[i].inheritable &= kept;
  }
  /* The service's filter refuses this call, but its processes have none to drop. */
  if (has_more && syscall(SYS_capset, &header, sets) != 0) give_up("cannot drop capabilities", strerror(errno));
}

static void give_up_privileges(const struct profile *profile) {
  const struct rlimit no_core = {0, 0};
  if (setrlimit(RLIMIT_CORE, &no_core) != 0) give_up("cannot set a limit", strerror(errno));
  drop_capabilities();
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) give_up("cannot give up privileges", strerror(errno));
  if (!landlock_apply(profile)) give_up("Landlock", strerror(errno));
  if (!seccomp_apply(profile, getpid())) give_up("seccomp", strerror(errno));
}

int main(int count, char **arguments) {
  struct profile profile = {.sockets = SOCKETS_NONE};
  struct lifetime lifetime = {.outlives = false, .parent = getppid()};
  /* Before the options, because --connect opens descriptors. */
  const bool has_channel = count > 1 && strcmp(arguments[1], "--channel") == 0;
  close_inherited(FIRST_FREE_FD + (has_channel ? 1 : 0));
  optind = has_channel ? 2 : 1;
  for (int option; (option = getopt_long(count, arguments, "+", options, NULL)) != -1;)
    take_option(&profile, &lifetime, option);
  if (optind >= count || strchr(arguments[optind], '/') == NULL) misused();
  add_basics(&profile, arguments[optind]);
  die_with_parent(&lifetime);
  give_up_privileges(&profile);
  execv(profile.program, arguments + optind);
  fprintf(stderr, "error cannot run %s: %s\n", profile.program, strerror(errno));
  return EXIT_NOT_RUN;
}
