/* One error message with its place, filled where the fault is found and printed by the tool.
 * Functions that take a struct util_error * accept NULL. The first message stays; later ones do not overwrite
 * it. */
#ifndef VITRAIL_UTIL_ERROR_H
#define VITRAIL_UTIL_ERROR_H

struct util_error {
    int code; /* negative errno, or 0 when empty */
    char text[480];
};

/* Records a printf-style message and returns `code`, so that callers can write `return util_fail(err,
 * -EINVAL, ...)`. */
int util_fail(struct util_error *error, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
