#include "config.h"

#include "report/table.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { INDENT = 2, GAP = 2 };

int table_init(struct table *table, size_t rows)
{
    *table = (struct table){.n_rows = rows, .strong_row = rows};
    table->cells = calloc(rows > 0 ? rows : 1, sizeof *table->cells * TABLE_COLUMNS);
    return table->cells != NULL ? 0 : -1;
}

void table_free(struct table *table)
{
    free(table->cells);
    table->cells = NULL;
}

size_t table_add_column(struct table *table, const char *heading, bool left, unsigned last_kept)
{
    size_t at = table->n_columns < TABLE_COLUMNS ? table->n_columns++ : TABLE_COLUMNS - 1;
    struct table_column *column = &table->columns[at];
    *column = (struct table_column){.left = left, .last_kept = last_kept};
    snprintf(column->heading, sizeof column->heading, "%s", heading);
    return at;
}

char *table_cell(const struct table *table, size_t row, size_t column)
{
    return table->cells[row * TABLE_COLUMNS + column];
}

static bool is_silent(const char *cell)
{
    return strcmp(cell, "") == 0 || strcmp(cell, "-") == 0 || strcmp(cell, "0") == 0 ||
           strcmp(cell, "0 B") == 0;
}

void table_hide_silent(struct table *table)
{
    for (size_t c = 0; c < table->n_columns; c++) {
        bool silent = true;
        for (size_t r = 0; r < table->n_rows && silent; r++)
            silent = is_silent(table_cell(table, r, c));
        table->columns[c].hidden |= silent && table->columns[c].last_kept > 0;
    }
}

static size_t column_width(const struct table *table, size_t column)
{
    size_t width = text_columns(table->columns[column].heading);
    for (size_t r = 0; r < table->n_rows; r++) {
        size_t cell = text_columns(table_cell(table, r, column));
        if (cell > width)
            width = cell;
    }
    return width;
}

static size_t table_width(const struct table *table)
{
    size_t width = INDENT;
    for (size_t c = 0; c < table->n_columns; c++)
        if (!table->columns[c].hidden)
            width += column_width(table, c) + GAP;
    return width - GAP;
}

void table_fit(struct table *table, unsigned width)
{
    while (width > 0 && table_width(table) > width) {
        struct table_column *least = NULL;
        for (size_t c = 0; c < table->n_columns; c++) {
            struct table_column *column = &table->columns[c];
            bool droppable = !column->hidden && column->last_kept > 0;
            if (droppable && (least == NULL || column->last_kept >= least->last_kept))
                least = column;
        }
        if (least == NULL)
            return;
        least->hidden = true;
    }
}

static void print_padded(const char *text, size_t width, bool left, bool last, FILE *out)
{
    size_t used = text_columns(text);
    int padding = used < width ? (int)(width - used) : 0;
    if (left)
        fprintf(out, "%s%*s", text, last ? 0 : padding, "");
    else
        fprintf(out, "%*s%s", padding, "", text);
}

static size_t last_visible(const struct table *table)
{
    size_t last = 0;
    for (size_t c = 0; c < table->n_columns; c++)
        if (!table->columns[c].hidden)
            last = c;
    return last;
}

static void print_row(const struct table *table, size_t row, bool headings, FILE *out)
{
    size_t last = last_visible(table);
    int gap = INDENT;
    for (size_t c = 0; c < table->n_columns; c++) {
        const struct table_column *column = &table->columns[c];
        if (column->hidden)
            continue;
        const char *text = headings ? column->heading : table_cell(table, row, c);
        fprintf(out, "%*s", gap, "");
        print_padded(text, column_width(table, c), column->left, c == last, out);
        gap = GAP;
    }
}

void table_print(const struct table *table, bool color, FILE *out)
{
    fputs(color ? "\033[2m" : "", out);
    print_row(table, 0, true, out);
    fputs(color ? "\033[0m\n" : "\n", out);
    for (size_t r = 0; r < table->n_rows; r++) {
        bool strong = color && r == table->strong_row;
        fputs(strong ? "\033[1m" : "", out);
        print_row(table, r, false, out);
        fputs(strong ? "\033[0m\n" : "\n", out);
    }
}

/* A backslash before a bar would take the bar's own away, and what looks like a tag would vanish
 * (GitHub Flavored Markdown, section 4.10). */
static void print_markdown_cell(const char *text, FILE *out)
{
    for (; *text != '\0'; text++) {
        if (*text == '|' || *text == '\\')
            fputc('\\', out);
        if (*text == '<' || *text == '&')
            fputs(*text == '<' ? "&lt;" : "&amp;", out);
        else
            fputc(*text, out);
    }
}

void table_print_markdown(const struct table *table, FILE *out)
{
    for (size_t c = 0; c < table->n_columns; c++) {
        if (table->columns[c].hidden)
            continue;
        fputs("| ", out);
        print_markdown_cell(table->columns[c].heading, out);
        fputc(' ', out);
    }
    fputs("|\n", out);
    for (size_t c = 0; c < table->n_columns; c++)
        if (!table->columns[c].hidden)
            fputs(table->columns[c].left ? "|:---" : "|---:", out);
    fputs("|\n", out);
    for (size_t r = 0; r < table->n_rows; r++) {
        for (size_t c = 0; c < table->n_columns; c++) {
            if (table->columns[c].hidden)
                continue;
            fputs("| ", out);
            print_markdown_cell(table_cell(table, r, c), out);
            fputc(' ', out);
        }
        fputs("|\n", out);
    }
}
