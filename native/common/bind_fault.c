#include "bind_fault.h"

#include <errno.h>

const char *bind_fault(int fault) {
  switch (fault) {
    case EADDRINUSE:
      return "busy";
    case EACCES:
    case EPERM:
      return "denied";
    case EADDRNOTAVAIL:
    case ENODEV:
      return "no address";
    default:
      return "internal";
  }
}
