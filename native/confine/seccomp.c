/*
 * Denies the system calls that children do not need. It is a deny list, not an allow list: the C library, libsrt,
 * FFmpeg's drivers and the JavaScript engine use different calls in each version. Landlock restricts files. This filter
 * covers the rest: unix sockets, metadata of files, other processes, and the kernel's rarely used and often faulty
 * interfaces.
 */
#include <asm/sockios.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "confine.h"

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#else
#error "no system call filter for this architecture"
#endif

/* Newer than the headers of Debian 12; the same number on every architecture. */
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef SYS_setxattrat
#define SYS_setxattrat 463
#define SYS_removexattrat 466
#endif
#ifndef SYS_open_tree_attr
#define SYS_open_tree_attr 467
#endif
#ifndef SYS_file_setattr
#define SYS_file_setattr 469
#endif

/* Denied to every child. */
static const int denied[] = {
    /* File changes without open(). Landlock covers truncate() from version 3 on, the others not at all. */
    SYS_truncate, SYS_fchmod, SYS_fchmodat, SYS_fchmodat2, SYS_fchown, SYS_fchownat, SYS_utimensat, SYS_setxattr,
    SYS_lsetxattr, SYS_fsetxattr, SYS_setxattrat, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr,
    SYS_removexattrat, SYS_file_setattr, SYS_name_to_handle_at, SYS_open_by_handle_at,
    /* Other processes. */
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_process_madvise, SYS_pidfd_getfd, SYS_kcmp,
    SYS_migrate_pages, SYS_move_pages, SYS_perf_event_open,
    /* Namespaces and mounts. */
    SYS_unshare, SYS_setns, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_move_mount, SYS_open_tree,
    SYS_open_tree_attr, SYS_fsopen, SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_mount_setattr,
    /* The kernel itself. */
    SYS_bpf, SYS_userfaultfd, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_init_module, SYS_finit_module,
    SYS_delete_module, SYS_kexec_load, SYS_kexec_file_load, SYS_reboot, SYS_swapon, SYS_swapoff, SYS_acct, SYS_quotactl,
    SYS_quotactl_fd,
    SYS_syslog, SYS_settimeofday, SYS_clock_settime, SYS_clock_adjtime, SYS_adjtimex, SYS_vhangup,
#ifdef __x86_64__
    SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat, SYS_iopl, SYS_ioperm, SYS_modify_ldt,
    SYS_uselib,
#endif
};

/* Also denied to a child that has no children. */
static const int denied_to_leaf[] = {
    SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_pidfd_open, SYS_pidfd_send_signal,
    SYS_shmget, SYS_semget, SYS_msgget, SYS_mq_open,
    /* A datagram pair can send to any process's socket. */
    SYS_socketpair,
    /* The priority of other processes, and the names of inaccessible files. */
    SYS_setpriority, SYS_ioprio_set, SYS_inotify_add_watch, SYS_fanotify_init, SYS_personality,
#ifdef __x86_64__
    SYS_fork, SYS_vfork,
#endif
};

/* These fail as if the kernel lacked them, so that callers fall back: io_uring bypasses this filter for sockets and
   files, and the flags of clone3 are in memory that a filter cannot read. */
static const int unknown[] = {SYS_clone3, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register};

/* A process without children may signal only itself, and change these only for itself. */
static const int of_self[] = {
    SYS_kill, SYS_tgkill, SYS_sched_setaffinity, SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr,
};

/* The process that the kernel signals when a descriptor is ready: any process, before Linux 6.12. */
static const uint32_t owner_controls[] = {F_SETOWN, F_SETSIG, F_SETOWN_EX};
static const uint32_t owner_requests[] = {FIOSETOWN, SIOCSPGRP};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define ARGUMENT(n) offsetof(struct seccomp_data, args[n]) /* lower half; both architectures are little-endian */
#define NEW_NAMESPACE \
  (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

enum { MAX_INSTRUCTIONS = 500, X32_BIT = 0x40000000 };

struct program {
  struct sock_filter code[MAX_INSTRUCTIONS];
  unsigned short length;
};

static void add(struct program *program, unsigned short code, uint32_t value, unsigned char yes, unsigned char no) {
  program->code[program->length++] = (struct sock_filter)BPF_JUMP(code, value, yes, no);
}

static void load(struct program *program, size_t offset) {
  add(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void allow(struct program *program) { add(program, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0); }

static void fail(struct program *program, int error) {
  add(program, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error, 0, 0);
}

static void fail_each(struct program *program, const int *numbers, size_t count, int error) {
  for (size_t i = 0; i < count; i++) {
    add(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)numbers[i], 0, 1);
    fail(program, error);
  }
}

/* Opens a block that checks the arguments of one call; `end_call` closes it. */
static unsigned short begin_call(struct program *program, int number) {
  add(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 0);
  return program->length;
}

static void end_call(struct program *program, unsigned short from) {
  allow(program);
  program->code[from - 1].jf = (unsigned char)(program->length - from);
}

static void allow_if(struct program *program, uint32_t value) {
  add(program, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
  allow(program);
}

static void fail_unless_equal(struct program *program, uint32_t value, int error) {
  add(program, BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0);
  fail(program, error);
}

static void fail_if_equal(struct program *program, uint32_t value, int error) {
  add(program, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
  fail(program, error);
}

static void limit_sockets(struct program *program, enum socket_use use) {
  if (use == SOCKETS_ANY) return;
  unsigned short block = begin_call(program, SYS_socket);
  if (use == SOCKETS_INTERNET) {
    load(program, ARGUMENT(0));
    add(program, BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 0, 4);
    load(program, ARGUMENT(2));
    fail_unless_equal(program, NETLINK_ROUTE, EPROTONOSUPPORT);
    allow(program);
  }
  load(program, ARGUMENT(0));
  if (use == SOCKETS_INTERNET) {
    allow_if(program, AF_INET);
    allow_if(program, AF_INET6);
  }
  fail(program, EAFNOSUPPORT);
  end_call(program, block);
}

static void limit_owners(struct program *program, int number, const uint32_t *operations, size_t count) {
  unsigned short block = begin_call(program, number);
  load(program, ARGUMENT(1));
  for (size_t i = 0; i < count; i++) fail_if_equal(program, operations[i], EPERM);
  end_call(program, block);
}

static void limit_processes(struct program *program, bool may_fork) {
  unsigned short block = begin_call(program, SYS_clone);
  load(program, ARGUMENT(0));
  add(program, BPF_JMP | BPF_JSET | BPF_K, NEW_NAMESPACE, 0, 1);
  fail(program, EPERM);
  if (!may_fork) {
    add(program, BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0);
    fail(program, EPERM);
  }
  end_call(program, block);
}

/* Process 0 is also this one, but to kill() it is the whole process group. */
static void limit_to_self(struct program *program, int number, pid_t self) {
  unsigned short block = begin_call(program, number);
  load(program, ARGUMENT(0));
  if (number != SYS_kill && number != SYS_tgkill) allow_if(program, 0);
  fail_unless_equal(program, (uint32_t)self, EPERM);
  end_call(program, block);
}

static void build(struct program *program, const struct profile *profile, pid_t self) {
  load(program, offsetof(struct seccomp_data, arch));
  fail_unless_equal(program, NATIVE_ARCH, ENOSYS);
  load(program, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
  add(program, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
  fail(program, ENOSYS);
#endif
  fail_each(program, denied, COUNT(denied), EPERM);
  fail_each(program, unknown, COUNT(unknown), ENOSYS);
  limit_sockets(program, profile->sockets);
  limit_processes(program, profile->may_fork);
  limit_to_self(program, SYS_prlimit64, self);
  if (!profile->may_fork) {
    fail_each(program, denied_to_leaf, COUNT(denied_to_leaf), EPERM);
    for (size_t i = 0; i < COUNT(of_self); i++) limit_to_self(program, of_self[i], self);
    limit_owners(program, SYS_fcntl, owner_controls, COUNT(owner_controls));
    limit_owners(program, SYS_ioctl, owner_requests, COUNT(owner_requests));
  }
  allow(program);
}

bool seccomp_is_supported(void) {
  uint32_t action = SECCOMP_RET_ERRNO;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

bool seccomp_apply(const struct profile *profile, pid_t self) {
  struct program program = {.length = 0};
  if (!seccomp_is_supported()) return true;
  build(&program, profile, self);
  struct sock_fprog filter = {.len = program.length, .filter = program.code};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}
