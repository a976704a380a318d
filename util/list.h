/* Arrays that grow: any struct { T *at; uint32_t count, room; }, zeroed when empty. `at` is the owner's to
 * free. */
#ifndef VITRAIL_UTIL_LIST_H
#define VITRAIL_UTIL_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Makes room for one element more than `count`: room doubles. False when memory is out. */
static inline bool util_list_grow(void **array, uint32_t *room, uint32_t count, size_t element)
{
    if (count < *room)
        return true;
    uint32_t more = *room ? *room * 2 : 16;
    void *bigger = realloc(*array, more * element);
    if (!bigger)
        return false;
    *array = bigger;
    *room = more;
    return true;
}

/* Appends a copy of `item`; false when memory is out. */
#define UTIL_LIST_ADD(list, item)                                                                            \
    (util_list_grow((void **)&(list).at, &(list).room, (list).count, sizeof *(list).at)                      \
         ? ((list).at[(list).count++] = (item), true)                                                        \
         : false)

#endif
