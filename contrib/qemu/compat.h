/* QEMU's names as they were in 7.2, for those that later versions call otherwise. */
#ifndef VITRAIL_QEMU_COMPAT_H
#define VITRAIL_QEMU_COMPAT_H

#include "qemu/osdep.h"

#include "hw/boards.h"
#include "hw/irq.h"
#include "hw/platform-bus.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "qapi/error.h"
#include "qapi/qapi-commands-control.h"
#include "qemu/error-report.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "qemu/module.h"
#include "qemu/timer.h"
#include "ui/console.h"

#if QEMU_VERSION_MAJOR >= 10
#include "exec/address-spaces.h"
#include "exec/memory.h"
#include "system/cpu-timers.h"
#include "system/cpus.h"
#include "system/device_tree.h"
#include "system/reset.h"
#include "system/runstate.h"
#else
#include "exec/address-spaces.h"
#include "exec/memory.h"
#include "sysemu/cpu-timers.h"
#include "sysemu/cpus.h"
#include "sysemu/device_tree.h"
#include "sysemu/reset.h"
#include "sysemu/runstate.h"
#endif

#if QEMU_VERSION_MAJOR >= 9
#define qemu_mutex_iothread_locked bql_locked
#endif

#define QEMU_AT_LEAST(major, minor)                                                                          \
    (QEMU_VERSION_MAJOR > (major) || (QEMU_VERSION_MAJOR == (major) && QEMU_VERSION_MINOR >= (minor)))

/* Heads of a MemoryListener's functions. */
#if QEMU_AT_LEAST(9, 1)
#define LOG_GLOBAL_START(name) bool name(MemoryListener *listener, Error **errp G_GNUC_UNUSED)
#define LOG_GLOBAL_STARTED     true
#else
#define LOG_GLOBAL_START(name) void name(MemoryListener *listener)
#define LOG_GLOBAL_STARTED
#endif
#if QEMU_AT_LEAST(8, 1)
#define LOG_SYNC_GLOBAL(name) void name(MemoryListener *listener, bool last_stage G_GNUC_UNUSED)
#else
#define LOG_SYNC_GLOBAL(name) void name(MemoryListener *listener)
#endif

/* Lists of properties had a last element before 10. */
#if QEMU_VERSION_MAJOR >= 10
#define PROPERTIES(name, ...) static const Property name[] = {__VA_ARGS__}
#else
#define PROPERTIES(name, ...) static Property name[] = {__VA_ARGS__, DEFINE_PROP_END_OF_LIST()}
#endif

#endif
