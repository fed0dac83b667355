/*
 * What a program tries once an attacker runs code in it. It takes the place of a child of the hub and writes one line to
 * stderr for each attempt: `info NAME: done`, or the error that it got. DATA is the hub's data folder, HUB_PID a process
 * of the same user that is not its own child; both are defined when it is compiled.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void report(const char *name, long outcome) {
  fprintf(stderr, "info %s: %s\n", name, outcome >= 0 ? "done" : strerrorname_np(errno));
}

static struct sockaddr_un address_of(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  return address;
}

static long connect_unix(const char *path) {
  struct sockaddr_un address = address_of(path);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  return fd < 0 ? fd : connect(fd, (struct sockaddr *)&address, sizeof address);
}

/* A datagram pair needs no socket() and can still send to a path. */
static long send_by_pair(const char *path) {
  struct sockaddr_un address = address_of(path);
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0) return -1;
  return sendto(pair[0], "x", 1, 0, (struct sockaddr *)&address, sizeof address);
}

/* Data within the connection request: no call of connect(). */
static long send_at_once(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(1), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  return fd < 0 ? fd : sendto(fd, "x", 1, MSG_FASTOPEN, (struct sockaddr *)&address, sizeof address);
}

static long listen_anywhere(void) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  return fd < 0 ? fd : listen(fd, 1);
}

/* The kernel would signal the hub when the pipe is ready. */
static long signal_by_pipe(void) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  return fcntl(ends[0], F_SETOWN, HUB_PID);
}

static void attack_files(void) {
  report("read database", open(DATA "/hub.sqlite", O_RDONLY));
  report("read key", open(DATA "/secrets.key", O_RDONLY));
  report("write database", open(DATA "/hub.sqlite", O_WRONLY));
  report("cut database", truncate(DATA "/hub.sqlite", 0));
  report("open key to all", chmod(DATA "/secrets.key", 0644));
  report("remove key", unlink(DATA "/secrets.key"));
  report("rename database", rename(DATA "/hub.sqlite", DATA "/stolen"));
  report("create file", open(DATA "/planted", O_WRONLY | O_CREAT, 0600));
  report("create folder", mkdir(DATA "/planted-folder", 0700));
  report("link key", link(DATA "/secrets.key", DATA "/run/key"));
  report("read users of the system", open("/etc/passwd", O_RDONLY));
  report("watch data folder", inotify_add_watch(inotify_init(), DATA, IN_CREATE));
  report("list data folder", open(DATA, O_RDONLY | O_DIRECTORY));
}

static void attack_sockets(void) {
  report("connect to engine", connect_unix(DATA "/run/engine.sock"));
  report("connect to endpoint", connect_unix(DATA "/run/srt.sock"));
  report("datagram to a path", send_by_pair(DATA "/run/engine.sock"));
  report("internet socket", socket(AF_INET, SOCK_DGRAM, 0));
  report("stream socket", socket(AF_INET, SOCK_STREAM, 0));
  report("raw socket", socket(AF_INET, SOCK_RAW, IPPROTO_ICMP));
  report("multipath socket", socket(AF_INET, SOCK_STREAM, IPPROTO_MPTCP));
  report("send within a connection request", send_at_once());
  report("listen", listen_anywhere());
  report("firewall of the kernel", socket(AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER));
}

static void attack_processes(void) {
  char byte = 0;
  char path[64];
  struct iovec local = {&byte, 1}, remote = {&byte, 1};
  struct io_uring_params ring = {0};
  snprintf(path, sizeof path, "/proc/%d/environ", HUB_PID);
  report("read environment of the hub", open(path, O_RDONLY));
  report("trace the hub", ptrace(PTRACE_SEIZE, HUB_PID, 0, 0));
  report("read memory of the hub", process_vm_readv(HUB_PID, &local, 1, &remote, 1, 0));
  report("signal the hub", kill(HUB_PID, 0));
  report("signal the parent", kill(getppid(), 0));
  report("signal the hub by a pipe", signal_by_pipe());
  report("slow down the hub", setpriority(PRIO_PROCESS, HUB_PID, 19));
  report("move the hub", sched_setaffinity(HUB_PID, sizeof(cpu_set_t), &(cpu_set_t){{1}}));
  report("new namespaces", unshare(CLONE_NEWUSER));
  report("io_uring", syscall(SYS_io_uring_setup, 1, &ring));
}

static void attack_by_shell(void) {
  char *const arguments[] = {"/bin/sh", "-c", "echo info run a shell: done >&2", NULL};
  pid_t child = fork();
  report("start a process", child);
  if (child == 0) _exit(0);
  if (child > 0) waitpid(child, NULL, 0);
  /* Only returns when it fails. */
  report("run a shell", execv(arguments[0], arguments));
}

int main(void) {
  signal(SIGTERM, SIG_DFL);
  attack_files();
  attack_sockets();
  attack_processes();
  attack_by_shell();
  pause();
  return 0;
}
