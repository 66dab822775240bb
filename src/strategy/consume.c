#include "config.h"

#include "strategy/consume.h"

#include <string.h>

uint64_t consume_sum(const unsigned char *bytes, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += bytes[i];
    return sum;
}

uint64_t consume_count_newlines(const unsigned char *bytes, size_t n)
{
    uint64_t count = 0;
    for (const unsigned char *end = bytes + n; bytes < end; bytes++) {
        bytes = memchr(bytes, '\n', (size_t)(end - bytes));
        if (bytes == NULL)
            break;
        count++;
    }
    return count;
}
