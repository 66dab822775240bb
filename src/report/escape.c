#include "config.h"

#include "report/escape.h"

#include "report/json_value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Writes one byte of text. */
typedef void write_byte(char byte, FILE *out);

static void write_text(const char *text, write_byte *write, FILE *out)
{
    char *fixed = json_utf8(text);
    for (const char *s = fixed != NULL ? fixed : text; *s != '\0'; s++)
        write(*s, out);
    free(fixed);
}

static void write_plain(char byte, FILE *out)
{
    fputc(byte, out);
}

static void write_csv(char byte, FILE *out)
{
    if (byte == '"')
        fputc('"', out);
    fputc(byte, out);
}

void escape_csv(const char *text, FILE *out)
{
    if (text[strcspn(text, ",\"\r\n")] == '\0') {
        write_text(text, write_plain, out);
        return;
    }
    fputc('"', out);
    write_text(text, write_csv, out);
    fputc('"', out);
}

static void write_label(char byte, FILE *out)
{
    if (byte == '\\' || byte == '"')
        fputc('\\', out);
    if (byte == '\n')
        fputs("\\n", out);
    else
        fputc(byte, out);
}

void escape_label(const char *text, FILE *out)
{
    write_text(text, write_label, out);
}

static void write_gnuplot(char byte, FILE *out)
{
    unsigned char value = (unsigned char)byte;
    if (byte == '\\')
        fputc('\\', out);
    fputc(byte == '"' ? '\'' : value < ' ' || value == 0x7f ? '?' : byte, out);
}

void escape_gnuplot(const char *text, FILE *out)
{
    fputc('"', out);
    write_text(text, write_gnuplot, out);
    fputc('"', out);
}

void escape_gnuplot_number(double value, FILE *out)
{
    if (isfinite(value))
        fprintf(out, " %.15g", value);
    else
        fputs(" ?", out);
}
