/* Memory to read into. */
#ifndef IOBENCH_BASE_BUFFER_H
#define IOBENCH_BASE_BUFFER_H

#include "base/err.h"

#include <stddef.h>

/* n buffers of size bytes, one behind the other, the first at a page's beginning. All their pages
 * are there, so that no clock sees them come: in one call where the system can do so
 * (MADV_POPULATE_WRITE, Linux 5.14), since a fault for each page took several milliseconds of a
 * trial in a virtual machine. To be given to free(). NULL on failure. */
void *buffer_make(size_t n, size_t size, struct err *err);

#endif
