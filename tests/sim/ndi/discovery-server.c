/*
 * A double of the vendor's discovery server: listens on -bind ADDRESS -port PORT. A client that sends "x" ends it with
 * code 3. It can only be started with the folder of its home as the current one.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv) {
  struct sockaddr_in own = {.sin_family = AF_INET};
  for (int at = 1; at + 1 < argc; at += 2) {
    if (strcmp(argv[at], "-bind") == 0) inet_pton(AF_INET, argv[at + 1], &own.sin_addr);
    if (strcmp(argv[at], "-port") == 0) own.sin_port = htons((unsigned short)atoi(argv[at + 1]));
  }
  char folder[4096];
  const char *home = getenv("HOME");
  if (home == NULL || getcwd(folder, sizeof folder) == NULL || strcmp(home, folder) != 0) return 2;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, (struct sockaddr *)&own, sizeof own) != 0 || listen(listener, 16) != 0) {
    perror("listen");
    return 1;
  }
  puts("ready");
  fflush(stdout);
  for (;;) {
    int client = accept(listener, NULL, NULL);
    char said = 0;
    if (client >= 0 && read(client, &said, 1) == 1 && said == 'x') return 3;
    close(client);
  }
}
