# How the native programs are built. A Makefile beside sets PROGRAM, and LIBRARIES (for pkg-config), SHARED_SOURCES and
# LINK where the defaults don't fit, then includes this:
#   make            build/$(PROGRAM)
#   make asan       build/$(PROGRAM)-asan, with the address and undefined-behaviour sanitizers, for the tests
CC ?= cc
PKG_CONFIG ?= pkg-config
BUILD := build
COMMON := ../common
SHARED_SOURCES ?= $(wildcard $(COMMON)/*.c)
LIBRARIES ?= libcjson
LINK ?= -pie

SOURCES := $(notdir $(wildcard *.c) $(SHARED_SOURCES))
HEADERS := $(wildcard *.h) $(wildcard $(COMMON)/*.h)
vpath %.c . $(COMMON)

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
            -Wpointer-arith -Wcast-qual -Wundef -Wvla -Werror
BASE := -std=c11 -D_GNU_SOURCE -pthread -I. -I$(COMMON) $(WARNINGS)
HARDENING := -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer

# Only asked for when something has to be compiled, so that `make clean` needs no libraries.
LIBRARY_CFLAGS = $(if $(LIBRARIES),$(shell $(PKG_CONFIG) --cflags $(LIBRARIES)))
LIBRARY_LIBS = $(if $(LIBRARIES),$(shell $(PKG_CONFIG) --libs $(LIBRARIES)))

.PHONY: all asan clean packages
all: $(BUILD)/$(PROGRAM)
asan: $(BUILD)/$(PROGRAM)-asan

OBJECTS := $(SOURCES:%.c=$(BUILD)/release/%.o)
ASAN_OBJECTS := $(SOURCES:%.c=$(BUILD)/asan/%.o)

$(BUILD)/$(PROGRAM): $(OBJECTS)
	$(CC) -pthread $(LINK) -Wl,-z,relro,-z,now $(LDFLAGS) -o $@ $^ $(LIBRARY_LIBS)

$(BUILD)/$(PROGRAM)-asan: $(ASAN_OBJECTS)
	$(CC) -pthread $(SANITIZE) -o $@ $^ $(LIBRARY_LIBS)

$(BUILD)/release/%.o: %.c $(HEADERS) Makefile $(COMMON)/build.mk | $(BUILD)/release packages
	$(CC) $(BASE) -O2 -g $(HARDENING) $(LIBRARY_CFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/asan/%.o: %.c $(HEADERS) Makefile $(COMMON)/build.mk | $(BUILD)/asan packages
	$(CC) $(BASE) -O1 -g $(SANITIZE) $(LIBRARY_CFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/release $(BUILD)/asan:
	@mkdir -p $@

packages:
	@$(if $(LIBRARIES),$(PKG_CONFIG) --print-errors --exists $(LIBRARIES) || \
	  { echo '$(PROGRAM) needs $(LIBRARIES): see system/dev/debian-packages.sh' >&2; exit 1; })

clean:
	rm -rf $(BUILD)
