#include "config.h"

#include "base/text.h"

char *text_printable(const char *text, char *shown, size_t size)
{
    size_t n = 0;
    for (; *text != '\0' && n + 1 < size; text++) {
        unsigned char byte = (unsigned char)*text;
        shown[n++] = byte < ' ' || byte == 0x7f ? '?' : *text;
    }
    /* not in the middle of a character */
    while (n > 0 && ((unsigned char)*text & 0xc0) == 0x80 &&
           ((unsigned char)shown[n - 1] & 0xc0) == 0x80)
        n--;
    if (n > 0 && ((unsigned char)*text & 0xc0) == 0x80 && (unsigned char)shown[n - 1] >= 0xc0)
        n--;
    shown[n] = '\0';
    return shown;
}

size_t text_columns(const char *text)
{
    size_t columns = 0;
    for (; *text != '\0'; text++)
        columns += ((unsigned char)*text & 0xc0) != 0x80;
    return columns;
}
