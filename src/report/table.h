/* A table of text cells, and its two renderings. */
#ifndef IOBENCH_REPORT_TABLE_H
#define IOBENCH_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TABLE_COLUMNS = 48, TABLE_CELL = 96 };

struct table_column {
    char heading[TABLE_CELL];
    bool left;          /* aligned; numbers stand to the right */
    unsigned last_kept; /* when the terminal is narrow the highest go first; 0: never */
    bool hidden;
};

struct table {
    struct table_column columns[TABLE_COLUMNS];
    size_t n_columns, n_rows;
    char (*cells)[TABLE_CELL]; /* n_rows x TABLE_COLUMNS */
    size_t strong_row;         /* shown bold where there is colour; n_rows: none */
};

/* 0, or -1 when out of memory; free with table_free. */
int table_init(struct table *table, size_t rows);
void table_free(struct table *table);

/* Adds a column and returns its index. */
size_t table_add_column(struct table *table, const char *heading, bool left, unsigned last_kept);
char *table_cell(const struct table *table, size_t row, size_t column);

/* Hides columns whose cells all say nothing: "-", "0" or "". */
void table_hide_silent(struct table *table);

/* Hides columns until a row fits; width 0: any does. */
void table_fit(struct table *table, unsigned width);

void table_print(const struct table *table, bool color, FILE *out);
void table_print_markdown(const struct table *table, FILE *out);

#endif
