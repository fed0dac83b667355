/* Passes the descriptor of the network's file through a socket, for processes that cannot open the file. */
#include "double.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

bool serves_network;

union control {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

static struct msghdr message_with(struct iovec *part, union control *control) {
  return (struct msghdr){
      .msg_iov = part, .msg_iovlen = 1, .msg_control = control->bytes, .msg_controllen = sizeof control->bytes};
}

/* `network.sock` in the folder of this library. Returns false if that is longer than an address can be. */
static bool address_of_network(struct sockaddr_un *address) {
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  Dl_info self;
  if (dladdr((void *)address_of_network, &self) == 0) abort();
  const char *name = strrchr(self.dli_fname, '/');
  int length = name ? (int)(name - self.dli_fname) : 0;
  int written = snprintf(address->sun_path, sizeof address->sun_path, "%.*s/network.sock", length, self.dli_fname);
  return written < (int)sizeof address->sun_path;
}

int served_network(void) {
  struct sockaddr_un address;
  if (!address_of_network(&address)) return -1;
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), passed = -1;
  if (fd < 0) return -1;
  char byte;
  struct iovec part = {&byte, 1};
  union control control = {.bytes = ""};
  struct msghdr message = message_with(&part, &control);
  if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0 && recvmsg(fd, &message, MSG_CMSG_CLOEXEC) == 1) {
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_type == SCM_RIGHTS) memcpy(&passed, CMSG_DATA(header), sizeof passed);
  }
  close(fd);
  return passed;
}

static void pass_network(int client) {
  struct iovec part = {"", 1};
  union control control = {.bytes = ""};
  struct msghdr message = message_with(&part, &control);
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(header), &network_file, sizeof network_file);
  sendmsg(client, &message, MSG_NOSIGNAL);
}

static void *serve(void *listener) {
  for (int client; (client = accept((int)(intptr_t)listener, NULL, NULL)) >= 0;) {
    pass_network(client);
    close(client);
  }
  return NULL;
}

/* Serves the network of this process until it ends. Must be the first call of the library. Returns whether it can. */
EXPORT bool double_serve_network(void) {
  struct sockaddr_un address;
  if (!address_of_network(&address)) return false;
  serves_network = true;
  prepare();
  pthread_t thread;
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  unlink(address.sun_path);
  return network_file >= 0 && fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
         listen(fd, 64) == 0 && pthread_create(&thread, NULL, serve, (void *)(intptr_t)fd) == 0;
}
